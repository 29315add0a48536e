"""One cluster in the middle of a move, told by eight tools (tests/data/mid-move): any mix agrees."""

from itertools import combinations
from pathlib import Path

import pytest

from equipoise.errors import UnusableInput
from equipoise.files.sources import read_sources

STORY = Path(__file__).parents[2] / "data" / "mid-move"
TOPOLOGIES = ("describe.txt", "kcat.json", "state.json")


def read(*names):
    return read_sources([STORY / name for name in names])


def held(cluster):
    ids = cluster.ids_of(cluster.replicas).tolist()
    return {cluster.label(row): [i for i in ids[row] if i >= 0] for row in range(cluster.n_partitions)}


TRUE = {"log-by-day-0": [3, 1], "pay-0": [1, 2, 3], "pay-1": [2, 3, 1]}


@pytest.mark.parametrize("mix", [mix for size in (1, 2, 3) for mix in combinations(TOPOLOGIES, size)])
def test_any_mix_of_topologies_agrees(mix):
    """With the list of moves every mix gives the same cluster, replication factor 3 for pay."""
    cluster = read(*mix, "moves.txt")
    assert held(cluster) == TRUE
    assert cluster.fingerprint == read("describe.txt").fingerprint
    assert cluster.ids_of(cluster.leader).tolist() == [3, 1, 2]
    assert cluster.notes == ("1 reassignment in flight: pay-1",)


def test_a_copy_that_is_being_made_does_not_count():
    """Sizes are those of finished replicas: no new replica, no move between directories."""
    cluster = read("describe.txt", "dirs.txt", "versions.txt")
    assert cluster.size_bytes.tolist() == [10, 71, 100]
    assert cluster.brokers.racks == ("a", "b", "c", "c")
    assert cluster.min_isr.tolist() == [1, 2, 2]
    assert cluster.missing == ("rates", "capacities")


def test_what_was_saved_before_contradicts():
    """The state before the move is another order of replicas: the difference is shown, not resolved."""
    assert held(read("saved.json", "moves.txt"))["pay-1"] == [1, 2, 3]
    with pytest.raises(UnusableInput) as error:
        read("saved.json", "describe.txt")
    saved, describe = STORY / "saved.json", STORY / "describe.txt"
    assert str(error.value) == (
        f"{saved}, partitions[2]: pay-1 [1, 2, 3]: {describe} has [4, 2, 3, 1] for it. "
        "Keep the source that is right"
    )
