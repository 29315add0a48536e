"""What a user without rights is told: by ``snapshot``, and by a dry run before anything is begun."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.cluster import KafkaCluster
from harness.runs import Done, Plan, equipoise, plan_for, well
from harness.waiting import soon
from kafka.admin import (
    ACL,
    ACLFilter,
    ACLOperation,
    ACLPermissionType,
    ACLResourcePatternType,
    ResourcePattern,
    ResourcePatternFilter,
    ResourceType,
)

pytestmark = pytest.mark.kafka

VISITOR = "User:visitor"


@pytest.fixture
def rights(cluster: KafkaCluster) -> Iterator[KafkaCluster]:
    """A cluster on which the visitor's rights are taken away again."""
    yield cluster
    every = ResourcePatternFilter(ResourceType.ANY, None, ACLResourcePatternType.ANY)
    cluster.admin.delete_acls([ACLFilter(VISITOR, None, ACLOperation.ANY, ACLPermissionType.ANY, every)])


def allow(cluster: KafkaCluster, operation: str, kind: str, name: str) -> None:
    """One right more for the visitor."""
    where = ResourcePattern(ResourceType[kind], name)
    cluster.admin.create_acls([ACL(VISITOR, "*", ACLOperation[operation], ACLPermissionType.ALLOW, where)])


def as_visitor(cluster: KafkaCluster, *command: str) -> Done:
    config = cluster.client_file("SASL", "visitor.properties", user="visitor")
    servers = ["--bootstrap-server", cluster.bootstrap("SASL"), "--command-config", str(config)]
    return equipoise(*command, *servers)


def test_each_missing_right_is_named_before_anything_is_begun(rights: KafkaCluster, tmp_path: Path) -> None:
    """With Describe on the cluster alone a snapshot is not whole and says so; what a dry run lacks it names,
    one right after the other."""
    cluster = rights
    cluster.create("hidden", {0: [0, 1], 1: [1, 2]})
    plan = plan_for(cluster, tmp_path, "--replace", "1=4", "--topics", "hidden", "--throttle", "1MB")
    allow(cluster, "DESCRIBE", "CLUSTER", "kafka-cluster")
    assert_not_whole(cluster, tmp_path / "some")
    assert_missing(plan, "", "not authorised to describe topic hidden")
    for operation in ("DESCRIBE", "DESCRIBE_CONFIGS"):
        allow(cluster, operation, "TOPIC", "*")
    allow(cluster, "DESCRIBE_CONFIGS", "CLUSTER", "kafka-cluster")
    assert_missing(
        plan,
        "AlterPartitionReassignments hidden-0",
        "not authorised to move partitions and elect leaders (Alter on the cluster)",
        "no throttle could be set on broker 0 and 3 more (CLUSTER_AUTHORIZATION_FAILED",
        "no throttle could be set on topic hidden (TOPIC_AUTHORIZATION_FAILED",
    )
    assert_whole(cluster, tmp_path / "all")
    well(equipoise("apply", str(plan.folder), "--dry-run", "--bootstrap-server", cluster.bootstrap()))
    plan.assert_undone()


@soon
def assert_not_whole(cluster: KafkaCluster, folder: Path) -> None:
    """Asked again until every broker knows of the right."""
    told = snapshot(cluster, folder)
    assert told.code == 1 and "0 topics, 0 partitions" in told.out, told
    assert "are on disk that this user may not describe" in told.err


@soon
def assert_whole(cluster: KafkaCluster, folder: Path) -> None:
    assert snapshot(cluster, folder).code == 0


@soon
def assert_missing(plan: Plan, planned: str, *missing: str) -> None:
    """A dry run prints what is planned, and names what the user lacks; asked again as above."""
    told = dry_run(plan)
    assert told.code == 2 and planned in told.out, told
    assert all(line in told.err for line in missing), told


def snapshot(cluster: KafkaCluster, folder: Path) -> Done:
    return as_visitor(cluster, "snapshot", "--out", str(folder))


def dry_run(plan: Plan) -> Done:
    return as_visitor(plan.cluster, "apply", str(plan.folder), "--dry-run")


def test_a_run_that_may_set_no_throttle_has_done_nothing_and_says_so(
    rights: KafkaCluster, tmp_path: Path
) -> None:
    """All is skipped, with the reason: that is no finished run, neither at its end nor later."""
    cluster = rights
    cluster.create("hidden", {0: [0, 1], 1: [1, 2]})
    plan = plan_for(cluster, tmp_path, "--replace", "1=4", "--topics", "hidden", "--throttle", "1MB")
    for operation, kind, name in (
        ("DESCRIBE", "TOPIC", "*"),
        ("DESCRIBE_CONFIGS", "TOPIC", "*"),
        ("DESCRIBE", "CLUSTER", "kafka-cluster"),
        ("DESCRIBE_CONFIGS", "CLUSTER", "kafka-cluster"),
        ("ALTER", "CLUSTER", "kafka-cluster"),
    ):
        allow(cluster, operation, kind, name)
    assert_missing(plan, "AlterPartitionReassignments hidden-0", "no throttle could be set on broker 0")
    done = as_visitor(cluster, "apply", str(plan.folder), "--yes")
    assert done.code == 1 and "Incomplete: 2 moves, 0 done, 2 skipped." in done.out, done
    assert "no throttle can be set on" in done.err and "AUTHORIZATION_FAILED" in done.err, done
    told = plan.run("status")
    assert told.code == 1 and "apply incomplete" in told.out, told
    plan.assert_undone()
