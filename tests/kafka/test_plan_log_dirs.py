"""Log dirs of real brokers: emptied, levelled and given back, by the product and by Kafka's own tool."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from harness.cluster import KafkaCluster
from harness.runs import next_plan_is_empty, plan_for, well
from harness.tools import log_dirs, tool
from harness.traffic import fill
from harness.waiting import wait_until

pytestmark = pytest.mark.kafka

Places = dict[str, str]
"""Dir of each replica, as ``dirs-0@1``."""


def places(cluster: KafkaCluster) -> Places:
    """Where every replica of the topic lies, as Kafka's own tool tells it; none of them is being copied."""
    return {
        f"{held['partition']}@{found['broker']}": one["logDir"]
        for found in log_dirs(cluster, "dirs")
        for one in found["logDirs"]
        for held in one["partitions"]
        if not held["isFuture"]
    }


def execute(cluster: KafkaCluster, file: Path) -> None:
    """Have Kafka's own tool carry a file out, and wait until it says that it has."""
    common = ("--reassignment-json-file", str(file))
    tool(cluster, "kafka-reassign-partitions", "--execute", *common)

    def verified() -> bool:
        told = tool(cluster, "kafka-reassign-partitions", "--verify", *common)
        return "still in progress" not in told

    wait_until(verified, f"{file.name} carried out")


@pytest.fixture
def crowded(cluster: KafkaCluster, tmp_path: Path) -> KafkaCluster:
    """A topic of which broker 0 has all four partitions in its first dir, brokers 1 and 2 as they pleased."""
    cluster.create("dirs", {0: [0, 1], 1: [0, 1], 2: [0, 2], 3: [0, 2]})
    fill(cluster, "dirs", range(4), 100_000)
    first, lists = cluster.nodes[0].log_dirs[0], {0: [0, 1], 1: [0, 1], 2: [0, 2], 3: [0, 2]}
    rows = [
        {"topic": "dirs", "partition": p, "replicas": ids, "log_dirs": [first, *["any"] * (len(ids) - 1)]}
        for p, ids in lists.items()
    ]
    (tmp_path / "crowded.json").write_text(json.dumps({"version": 1, "partitions": rows}))
    execute(cluster, tmp_path / "crowded.json")
    assert {path for name, path in places(cluster).items() if name.endswith("@0")} == {first}
    return cluster


def test_a_dir_is_drained_and_given_back(crowded: KafkaCluster, tmp_path: Path) -> None:
    """The rest of the broker's replicas stay; planned again there is nothing to do; the roll back puts all
    back."""
    before, (first, second) = places(crowded), crowded.nodes[0].log_dirs
    options = ("--required-only", "--topics", "dirs", "--drain-dir", f"0:{first}")
    plan = plan_for(crowded, tmp_path, *options)
    rehearsed = well(plan.run("apply", "--dry-run")).out
    assert rehearsed.count("AlterReplicaLogDirs dirs-") == 4 and places(crowded) == before
    well(plan.run("apply", "--yes", "--throttle", "50MB"))
    assert places(crowded) == before | {f"dirs-{p}@0": second for p in range(4)}
    plan.assert_clean()
    assert plan_for(crowded, tmp_path, *options, name="next").content["log_dirs"]["moves"] == []
    well(plan.run("rollback", "--yes"))
    assert places(crowded) == before


def test_dirs_are_levelled_by_kafkas_own_tool_and_a_broker_comes_with_its_dir(
    crowded: KafkaCluster, tmp_path: Path
) -> None:
    """``reassignment.json`` has what the tool needs, and ``rollback.json`` the way back."""
    before = places(crowded)
    options = ("--replace", "1=4", "--topics", "dirs", "--log-dirs", "level:30")
    plan = plan_for(crowded, tmp_path, *options)
    assert plan.content["log_dirs"]["certificate"][0]["value"] == 0
    execute(crowded, plan.folder / "reassignment.json")
    after = places(crowded)
    on_broker = {b: [path for name, path in after.items() if name.endswith(f"@{b}")] for b in (0, 1, 4)}
    assert sorted(on_broker[0]) == sorted([*crowded.nodes[0].log_dirs] * 2)
    assert sorted(on_broker[4]) == sorted(crowded.nodes[4].log_dirs) and on_broker[1] == []
    assert next_plan_is_empty(crowded, tmp_path, options)
    execute(crowded, plan.folder / "rollback.json")
    assert places(crowded) == before
