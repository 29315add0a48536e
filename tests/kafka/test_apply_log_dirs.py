"""Replicas moved between the log dirs of real brokers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from harness.cluster import KafkaCluster
from harness.runs import next_plan_is_empty, plan_for, well
from harness.tools import log_dirs
from harness.traffic import Traffic, fill

pytestmark = pytest.mark.kafka


def places(cluster: KafkaCluster) -> dict[int, str]:
    """The log dir that the partition has on each broker, as Kafka's own tool tells it."""
    return {
        found["broker"]: one["logDir"]
        for found in log_dirs(cluster, "dirs")
        for one in found["logDirs"]
        if one["partitions"]
    }


def test_replicas_go_to_the_log_dirs_that_were_asked_for(cluster: KafkaCluster, tmp_path: Path) -> None:
    """One comes from another broker, one stays on its own; ``kafka-log-dirs`` finds both in place."""
    cluster.create("dirs", {0: [0, 1]})
    cluster.create("live", {0: [0, 1]})
    fill(cluster, "dirs", [0], 1_000_000)
    wanted = ("--replace", "1=4", "--topics", "dirs")
    plan = plan_for(cluster, tmp_path, *wanted, "--throttle", "2MB")
    stays = next(path for path in cluster.nodes[0].log_dirs if path != places(cluster)[0])
    comes = cluster.nodes[4].log_dirs[1]
    rows = [{"topic": "dirs", "partition": 0, "replicas": [0, 4], "log_dirs": [stays, comes]}]
    (tmp_path / "dirs.json").write_text(json.dumps({"version": 1, "partitions": rows}))
    with Traffic(cluster, "live") as traffic:
        well(plan.run("apply", "--yes", "--log-dirs", str(tmp_path / "dirs.json")))
    assert traffic.check()
    assert places(cluster) == {0: stays, 4: comes}
    plan.assert_applied()
    assert next_plan_is_empty(cluster, tmp_path, wanted)
