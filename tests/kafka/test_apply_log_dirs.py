"""Replicas moved between the log dirs of real brokers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from harness.cluster import KafkaCluster
from harness.runs import plan_for, well
from harness.tools import log_dirs
from harness.traffic import Traffic, fill

pytestmark = pytest.mark.kafka


def test_replicas_go_to_the_log_dirs_that_were_asked_for(cluster: KafkaCluster, tmp_path: Path) -> None:
    """One comes from another broker, one stays on its own: ``kafka-log-dirs`` finds both where they should be."""
    cluster.create("dirs", {0: [0, 1]})
    cluster.create("live", {0: [0, 1]})
    fill(cluster, "dirs", [0], 1_000_000)
    there = {
        b["broker"]: d["logDir"] for b in log_dirs(cluster, "dirs") for d in b["logDirs"] if d["partitions"]
    }
    other = {i: next(d for d in cluster.nodes[i].log_dirs if d != there.get(i)) for i in (0, 1, 4)}
    plan = plan_for(cluster, tmp_path, "--replace", "1=4", "--topics", "dirs", "--throttle", "2MB")
    rows = [
        {
            "topic": "dirs",
            "partition": 0,
            "replicas": [0, 4],
            "log_dirs": [other[0], cluster.nodes[4].log_dirs[1]],
        }
    ]
    (tmp_path / "dirs.json").write_text(json.dumps({"version": 1, "partitions": rows}))
    with Traffic(cluster, "live") as traffic:
        well(plan.run("apply", "--yes", "--log-dirs", str(tmp_path / "dirs.json")))
    assert traffic.check()
    now = {
        b["broker"]: d["logDir"] for b in log_dirs(cluster, "dirs") for d in b["logDirs"] if d["partitions"]
    }
    assert now == {0: other[0], 4: cluster.nodes[4].log_dirs[1]}
    plan.assert_applied()
