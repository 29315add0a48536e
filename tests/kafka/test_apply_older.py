"""The main stories on the last 3.x and on an older 4.x."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from harness.cluster import KafkaCluster
from harness.flights import assert_adopted, assert_steered, in_flight
from harness.inside import Eye, carried, copying, once
from harness.runs import next_plan_is_empty, plan_for, well
from harness.traffic import Traffic, fill

pytestmark = pytest.mark.kafka

DRAIN = ("--drain", "1", "--topics", "old.*")


def test_drained_cancelled_and_rolled_back(older_cluster: KafkaCluster, tmp_path: Path) -> None:
    """Cancelled in mid-move, applied under traffic, confirmed by its own tool, and put back."""
    cluster = older_cluster
    cluster.create("old", {0: [1, 0, 2], 1: [2, 1, 3], 2: [0, 2, 3]})
    cluster.create("old-heavy", {0: [1, 2, 3]})
    fill(cluster, "old-heavy", [0], 3_000_000)
    plan = plan_for(cluster, tmp_path, *DRAIN, "--throttle", "1MB")
    end, _ = carried(plan, eye=Eye(once(lambda: "cancel", copying)), throttle=100_000)
    assert end.outcome == "cancelled" and ("old-heavy", 0) in plan.assert_cancelled()
    with Traffic(cluster, "old") as traffic:
        well(plan.run("apply", "--yes", "--throttle", "5MB"))
    assert traffic.check()
    plan.assert_applied()
    assert next_plan_is_empty(cluster, tmp_path, DRAIN)
    well(plan.run("rollback", "--yes"))
    plan.assert_undone()


def test_steered_and_adopted(older_cluster: KafkaCluster, tmp_path: Path) -> None:
    """Outside its hours nothing begins; in flight it gets another rate, and is paused and let go; killed, its
    journal lost, it is adopted and cancelled."""
    cluster = older_cluster
    cluster.create("old", {0: [1, 0, 2], 1: [2, 1, 3]})
    fill(cluster, "old", [0, 1], 8_000_000)
    plan = plan_for(cluster, tmp_path, *DRAIN, "--throttle", "50kB")
    begin, end = (datetime.now() + timedelta(hours=hours) for hours in (2, 3))
    done = plan.run("apply", "--yes", "--between", f"{begin:%H:%M}-{end:%H:%M}", "--for", "2s")
    assert done.code == 1 and "Stopped: 2 moves, 0 done, 2 pending." in done.out, done
    plan.assert_undone()
    process = in_flight(plan, "--resume", "--between", "always")
    assert_steered(plan)
    process.kill()
    process.communicate()
    assert_adopted(plan)
