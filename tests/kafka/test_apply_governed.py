"""A throttle between two bounds on real brokers: calm raises it, a lost replica halves it."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from harness.cluster import BROKER_THROTTLES, KafkaCluster
from harness.runs import plan_for, well
from harness.throttles import throttles
from harness.traffic import fill
from harness.waiting import wait_until

pytestmark = pytest.mark.kafka

MB = 1_000_000
LOW, HIGH = 50_000, 550_000


def rates(cluster: KafkaCluster) -> set[int]:
    """Every rate that is set on a running broker."""
    found = throttles(cluster)
    return {int(values[key]) for values in found.values() for key in BROKER_THROTTLES[:2] if key in values}


def test_it_follows_the_health_of_the_cluster(cluster: KafkaCluster, tmp_path: Path) -> None:
    """Calm raises it; a broker that has nothing to do with the moves dies, and it is halved; killed and taken
    up it is still between its bounds, and at the end nothing is left."""
    cluster.create("auto", {0: [0, 1], 1: [1, 0]})
    cluster.create("calm", {0: [2, 4]})
    fill(cluster, "auto", [0, 1], 8 * MB)
    plan = plan_for(cluster, tmp_path, "--replace", "1=3", "--topics", "auto", "--throttle", "1MB")
    process = plan.start("apply", "--yes", "--throttle", "auto:50kB-550kB")
    wait_until(lambda: len(rates(cluster)) == 1 and max(rates(cluster)) >= 2 * LOW, "raised", seconds=240)
    before = max(rates(cluster))
    cluster.kill(4)
    wait_until(lambda: rates(cluster) and max(rates(cluster)) < before, "halved", seconds=120)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert cluster.in_flight() and all(LOW <= rate <= HIGH for rate in rates(cluster))
    cluster.start(4)
    told = plan.run("status")
    assert told.code == 1 and "throttle between 50 kB/s and 550 kB/s a broker each way, now" in told.out, told
    steers = [entry for entry in plan.journal if entry["type"] == "steer"]
    assert steers and all(LOW <= entry["throttle"] <= HIGH for entry in steers)
    well(plan.run("apply", "--yes", "--resume", "--throttle", "20MB"))
    plan.assert_applied()
