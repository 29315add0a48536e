"""Plans that must not be carried out: one clear line, exit 2, the cluster untouched."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.cluster import KafkaCluster
from harness.runs import Plan, plan_for
from harness.throttles import assert_throttles, crawl, speed_up
from harness.traffic import fill
from harness.waiting import wait_until

from equipoise.execution.kafka import KafkaPort

pytestmark = pytest.mark.kafka


@pytest.fixture
def plan(cluster: KafkaCluster, tmp_path: Path) -> Plan:
    cluster.create("calm", {0: [0, 1, 2], 1: [1, 2, 0]})
    return plan_for(cluster, tmp_path, "--replace", "1=4", "--topics", "calm")


def refused(plan: Plan, *options: str) -> str:
    """The line that ``apply`` ends with; nothing was begun and nothing is set or moving.

    What the brokers have is asked of the topic by its name: the plan's own files may be damaged.
    """
    before = plan.cluster.describe("calm")
    done = plan.run("apply", "--yes", *options)
    assert done.code == 2 and "Traceback" not in done.err, done
    after = plan.cluster.describe("calm")
    assert {p: s["replica_nodes"] for p, s in after.items()} == {
        p: s["replica_nodes"] for p, s in before.items()
    }
    assert_throttles(plan.cluster, {}, ["calm"])
    assert not (plan.folder / "journal.jsonl").exists()
    return done.err


def test_a_drifted_cluster(plan: Plan) -> None:
    """What differs is said for each partition; what would still fit is not done either."""
    plan.cluster.move("calm", {0: [0, 2, 1]})
    wait_until(lambda: not plan.cluster.in_flight(), "the drift")
    told = refused(plan)
    assert "calm-0: has [0,2,1], the plan was made from [0,1,2]" in told and "calm-1" not in told


def test_the_wrong_cluster(plan: Plan, tmp_path: Path) -> None:
    """A plan of a cluster with another id is not for this one."""
    cluster = plan.cluster
    other = tmp_path / "other"
    meta = next((tmp_path / "snapshot-plan").rglob("*.json"))
    assert meta
    name = plan.content["source"]
    assert name
    from equipoise.cluster import build_cluster
    from equipoise.files.plan_directory import read_plan, write_plan

    made = read_plan(plan.folder)
    c = made.cluster
    assert c.cluster_id
    moved = build_cluster(
        c.name, c.brokers, [c.topics[t] for t in c.topic_idx], c.partition, c.ids_of(c.replicas),
        leader_id=c.ids_of(c.leader), size_bytes=c.size_bytes, cluster_id="AAAAAAAAAAAAAAAAAAAAAA",
    )  # fmt: skip
    from dataclasses import replace

    write_plan(replace(made, cluster=moved), other)
    told = refused(Plan(cluster, other))
    assert f"this is cluster {c.cluster_id}, the plan was made for AAAAAAAAAAAAAAAAAAAAAA" in told


@pytest.mark.parametrize(
    "file", ["plan.json", "reassignment.json", "waves/throttles.json", "certificate.npz"]
)
def test_a_changed_byte(plan: Plan, file: str) -> None:
    """Not a byte of what was approved may differ."""
    path = plan.folder / file
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))
    assert file in refused(plan)


def test_a_foreign_reassignment(plan: Plan) -> None:
    """Somebody else's move anywhere is waited for, not worked beside."""
    cluster = plan.cluster
    cluster.create("foreign", {0: [3]})
    fill(cluster, "foreign", [0], 2_000_000)
    crawl(cluster, "foreign")
    cluster.move("foreign", {0: [2]})
    done = plan.run("apply", "--yes")
    assert done.code == 2 and "foreign-0: somebody else is moving it to [2]" in done.err
    speed_up(cluster)
    wait_until(lambda: not cluster.in_flight(), "the foreign move done")


def test_a_dead_target(plan: Plan) -> None:
    """Kafka would accept it, and the move would hang."""
    cluster = plan.cluster
    cluster.kill(4)
    wait_until(lambda: 4 not in cluster.unfenced(), "broker 4 fenced")
    assert "broker 4 is to receive replicas and is down" in refused(plan)
    cluster.start(4)


def test_an_under_replicated_partition(plan: Plan) -> None:
    """A cluster that is not well is left alone; under min ISR whatever was asked for."""
    cluster = plan.cluster
    cluster.create("sick", {0: [2, 3]})
    cluster.create("worse", {0: [2, 3]}, min_insync_replicas="2")
    cluster.kill(3)
    for topic in ("sick", "worse"):
        wait_until(lambda: cluster.describe(topic)[0]["isr_nodes"] == [2], "the ISR without broker 3")  # noqa: B023
    told = refused(plan)
    assert "worse-0 is under its min ISR" in told
    assert "sick-0 is under-replicated: broker 3 is not in its ISR" in told
    told = refused(plan, "--despite-under-replicated")
    assert "worse-0 is under its min ISR" in told and "sick-0" not in told
    cluster.start(3)


def test_without_a_terminal_and_without_yes_nothing_is_done(plan: Plan) -> None:
    """It says what it would do and ends with exit 2."""
    done = plan.run("apply")
    assert done.code == 2 and "2 partitions will change" in done.out and "--yes" in done.out
    plan.assert_undone()


def test_a_dry_run_prints_every_request_and_changes_nothing(plan: Plan) -> None:
    """Throttles on, submissions, throttles off; no election, since the new first replica leads anyway."""
    done = plan.run("apply", "--dry-run", "--throttle", "1MB")
    assert done.code == 0, done.err
    assert (
        "IncrementalAlterConfigs topic calm: set follower.replication.throttled.replicas=0:4,1:4" in done.out
    )
    assert "AlterPartitionReassignments calm-0: [0, 4, 2]" in done.out
    assert "IncrementalAlterConfigs broker 4: delete follower.replication.throttled.rate" in done.out
    plan.assert_undone()


def test_a_cordoned_target(plan: Plan) -> None:
    """From Kafka 4.3 a broker whose log dirs are all cordoned takes nothing new."""
    from harness.throttles import configure

    cluster = plan.cluster
    configure(cluster, "broker", "4", {"cordoned.log.dirs": "*"})
    with KafkaPort(cluster.bootstrap()) as port:
        wait_until(lambda: all(one.cordoned for one in port.log_dirs([4])[4]), "broker 4 cordoned")  # type: ignore[union-attr]
    told = refused(plan)
    assert "broker 4 is to receive replicas and is cordoned" in told
