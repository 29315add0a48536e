"""Plans carried out on real brokers under traffic."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.cluster import KafkaCluster
from harness.runs import next_plan_is_empty, plan_for, well
from harness.traffic import Traffic, fill
from harness.waiting import wait_until

pytestmark = pytest.mark.kafka

ONLY = ("--topics", "story.*")
"""The plans leave Kafka's own topics alone."""

LISTS = {0: [0, 1, 2], 1: [1, 2, 3], 2: [2, 3, 4], 3: [3, 4, 0], 4: [4, 0, 1], 5: [0, 4, 2]}


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("drain", ("--drain", "4", "--rack-rule", "spread")),
        ("add", ("--brokers", "0,1,2,3,4")),
        ("leaders-only", ("--leaders-only",)),
        ("replace", ("--replace", "1=3")),
        ("wider", ("--replication-factor", "3")),
        ("narrower", ("--replication-factor", "2")),
    ],
)
def test_a_plan_is_carried_out_under_traffic(
    cluster: KafkaCluster, tmp_path: Path, name: str, options: tuple[str, ...]
) -> None:
    """Kafka's own tool confirms it, every record is there once and in order, planning again finds nothing."""
    lists = {
        "add": {p: [p % 3, (p + 1) % 3] for p in range(6)},
        "replace": {0: [0, 1], 1: [1, 2], 2: [2, 4], 3: [1, 0]},
        "wider": {0: [0, 1], 1: [1, 2], 2: [3, 2]},
        "leaders-only": {p: [0, 1 + p % 4] for p in range(5)},
    }.get(name, LISTS)
    cluster.create("story", lists)
    cluster.create("story-heavy", {p: lists[p] for p in (0, 1)})
    fill(cluster, "story-heavy", [0, 1], 2_000_000)
    plan = plan_for(cluster, tmp_path, *options, *ONLY, "--throttle", "3MB")
    assert plan.moves
    with Traffic(cluster, "story") as traffic:
        wait_until(lambda: traffic.acknowledged > 50, "some records")
        done = well(plan.run("apply", "--yes"))
    assert "Finished" in done.out
    assert traffic.check() > 50
    plan.assert_applied()
    assert next_plan_is_empty(cluster, tmp_path, (*options, *ONLY))
