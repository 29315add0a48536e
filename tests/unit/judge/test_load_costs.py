"""What rules alone force to be copied and what racks may hold, partition by partition, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest
from tests.unit.judge.small import REQUESTS, crowded

from equipoise.judge import Case, rules_of
from equipoise.judge.load_costs import forced_copies
from equipoise.judge.load_levels import most_in_racks


@pytest.mark.parametrize(("request_name", "as_they_are", "mended"), [
    ("nothing asked", [0, 0, 0], [1, 0, 0]),
    ("one replica more", [1, 1, 1], [2, 1, 1]),
    ("drained", [0, 1, 0], [1, 1, 0]),
])  # fmt: skip
def test_copies_that_rules_force(request_name: str, as_they_are: list[int], mended: list[int]) -> None:
    """The first list has both replicas in rack a: one has to go where racks are mended, none elsewhere."""
    cluster = crowded()
    everyone = np.ones(cluster.n_brokers, dtype=bool)
    case = Case(cluster, cluster.replicas, rules_of(cluster, REQUESTS[request_name]), everyone)
    assert forced_copies(case, mended=False).tolist() == as_they_are
    assert forced_copies(case, mended=True).tolist() == mended


def test_what_racks_may_hold_of_each_partition() -> None:
    """Where a replica stays in its rack, a rack may hold as many as it does; elsewhere one, or as many."""
    cluster, rows = crowded(), np.arange(3)
    everyone = np.ones(cluster.n_brokers, dtype=bool)
    for request, expected in (
        (REQUESTS["in its rack"], [[2, 0, 0], [0, 1, 1], [1, 1, 0]]),
        (REQUESTS["nothing asked"], [[2, 2, 1], [1, 1, 1], [1, 1, 1]]),
    ):
        case = Case(cluster, cluster.replicas, rules_of(cluster, request), everyone)
        assert most_in_racks(case, rows).tolist() == expected
