"""What a user without rights is told: by ``snapshot``, and by a dry run before anything is begun."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.cluster import KafkaCluster
from harness.runs import Done, Plan, equipoise, plan_for
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


NAMES = {"CLUSTER": "kafka-cluster", "TOPIC": "*"}


def acl(operation: str, kind: str, name: str, permission: ACLPermissionType) -> ACL:
    """Of the visitor."""
    where = ResourcePattern(ResourceType[kind], name)
    return ACL(VISITOR, "*", ACLOperation[operation], permission, where)


def allow(cluster: KafkaCluster, operation: str, kind: str, name: str) -> None:
    """One right more for the visitor."""
    cluster.admin.create_acls([acl(operation, kind, name, ACLPermissionType.ALLOW)])


def as_visitor(cluster: KafkaCluster, *command: str) -> Done:
    config = cluster.client_file("SASL", "visitor.properties", user="visitor")
    servers = ["--bootstrap-server", cluster.bootstrap("SASL"), "--command-config", str(config)]
    return equipoise(*command, *servers)


def test_what_may_not_be_described_is_said(rights: KafkaCluster, tmp_path: Path) -> None:
    """With Describe on the cluster, or on it and one of two topics, a snapshot is not whole and says so; a
    dry run names the topic."""
    cluster = rights
    cluster.create("hidden", {0: [0, 1], 1: [1, 2]})
    cluster.create("shown", {0: [0, 2]})
    plan = plan_for(cluster, tmp_path, "--replace", "1=4", "--topics", "hidden", "--throttle", "1MB")
    allow(cluster, "DESCRIBE", "CLUSTER", "kafka-cluster")
    assert_not_whole(cluster, tmp_path / "none", "0 topics, 0 partitions", "2 topics are")
    assert_missing(plan, "not authorised to describe topic hidden")
    allow(cluster, "DESCRIBE", "TOPIC", "shown")
    assert_not_whole(cluster, tmp_path / "some", "1 topic, 1 partition", "1 topic are")
    for operation in ("DESCRIBE", "DESCRIBE_CONFIGS"):
        allow(cluster, operation, "TOPIC", "*")
    allow(cluster, "DESCRIBE_CONFIGS", "CLUSTER", "kafka-cluster")
    assert_whole(cluster, tmp_path / "all")


RIGHTS = {
    ("DESCRIBE", "CLUSTER"): "not authorised",
    ("DESCRIBE_CONFIGS", "CLUSTER"): "throttles cannot be read of broker 0 and 4 more (DescribeConfigs",
    ("ALTER", "CLUSTER"): "not authorised to move partitions and elect leaders (Alter on the cluster)",
    ("ALTER_CONFIGS", "CLUSTER"): "no throttle could be set on broker 0 and 3 more (CLUSTER_AUTHORIZATION",
    ("DESCRIBE", "TOPIC"): "not authorised to describe topic hidden",
    ("DESCRIBE_CONFIGS", "TOPIC"): "throttles cannot be read of topic hidden (DescribeConfigs",
    ("ALTER_CONFIGS", "TOPIC"): "no throttle could be set on topic hidden (TOPIC_AUTHORIZATION_FAILED",
}
"""What a run needs, and what is said where it is missing. Who may alter may describe, so each is denied."""


def test_each_missing_right_is_named_before_anything_is_begun(rights: KafkaCluster, tmp_path: Path) -> None:
    """All of them but one, each in turn: a dry run names it and ends with 2, and with all of them with 0."""
    cluster = rights
    cluster.create("hidden", {0: [0, 1], 1: [1, 2]})
    plan = plan_for(cluster, tmp_path, "--replace", "1=4", "--topics", "hidden", "--throttle", "1MB")
    for operation, kind in RIGHTS:
        allow(cluster, operation, kind, NAMES[kind])
    assert_allowed(plan)
    for (operation, kind), said in RIGHTS.items():
        denied = acl(operation, kind, NAMES[kind], ACLPermissionType.DENY)
        cluster.admin.create_acls([denied])
        assert_missing(plan, said)
        cluster.admin.delete_acls([denied])
    plan.assert_undone()


@soon
def assert_not_whole(cluster: KafkaCluster, folder: Path, shown: str, hidden: str) -> None:
    """Asked again until every broker knows of the right."""
    told = snapshot(cluster, folder)
    assert told.code == 1 and shown in told.out, told
    assert f"replicas of {hidden} on disk that this user may not describe, hidden among them" in told.err


@soon
def assert_whole(cluster: KafkaCluster, folder: Path) -> None:
    assert snapshot(cluster, folder).code == 0


@soon
def assert_missing(plan: Plan, *said: str) -> None:
    """A dry run names what the user lacks; asked again as above."""
    told = dry_run(plan)
    assert told.code == 2 and all(words in told.out + told.err for words in said), told


@soon
def assert_allowed(plan: Plan) -> None:
    told = dry_run(plan)
    assert told.code == 0 and "AlterPartitionReassignments hidden-0" in told.out, told


def snapshot(cluster: KafkaCluster, folder: Path) -> Done:
    return as_visitor(cluster, "snapshot", "--out", str(folder))


def dry_run(plan: Plan) -> Done:
    return as_visitor(plan.cluster, "apply", str(plan.folder), "--dry-run")


def test_a_run_that_may_set_no_throttle_has_done_nothing_and_says_so(
    rights: KafkaCluster, tmp_path: Path
) -> None:
    """All is skipped, with the reason: that is no finished run, neither at its end nor later."""
    cluster = rights
    cluster.create("hidden", {0: [0, 1], 1: [0, 1]})
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
    (line,) = [line for line in done.out.splitlines() if "skipped: " in line]  # one reason, one line
    assert line.startswith("hidden-0 and 1 more are skipped: no throttle can be set on broker 0 ("), done
    told = plan.run("status")
    assert told.code == 1 and "apply incomplete" in told.out, told
    plan.assert_undone()
