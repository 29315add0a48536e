"""Log dirs of a plan as rows, from which the days until each dir is full are known."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.cluster import Brokers, build_cluster
from equipoise.cluster.log_dirs import LogDirs
from equipoise.pipeline.transforms import rows
from equipoise.planning import make_plan
from equipoise.planning.request.options import request_of


@pytest.mark.parametrize("levels_dirs", [False, True])
def test_replicas_that_a_plan_puts_into_a_dir(levels_dirs: bool) -> None:
    """Those that change their dir or come to a broker; nothing where log dirs are left to Kafka."""
    dirs = LogDirs(
        np.array([1, 1, 2]), ("/a", "/b", "/a"), np.full(3, np.nan), np.ones(3, dtype=bool),
        np.arange(4), np.zeros(4, dtype=np.int32),
    )  # fmt: skip
    cluster = build_cluster("c", Brokers.of([1, 2]), ["t"] * 4, range(4), [[1]] * 4, dirs=dirs)
    plan = make_plan(cluster, request_of({"log-dirs": "level"} if levels_dirs else {}))
    found = rows.placed(plan)
    if not levels_dirs:
        assert found is None
        return
    assert found is not None
    named = zip(*(found[key].to_pylist() for key in ("partition", "broker", "log_dir")), strict=True)
    held = dict.fromkeys(range(4), (1, "/a")) | {p: (broker, path) for p, broker, path in named}
    assert sorted(held.values()) == [(1, "/a"), (1, "/b"), (2, "/a"), (2, "/a")]
