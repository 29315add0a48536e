"""What a user without rights is told: by ``snapshot``, and by a dry run before anything is begun."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.cluster import KafkaCluster
from harness.runs import Done, Plan, equipoise, plan_for, well
from harness.waiting import wait_until
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
    wait_until(lambda: "not auth" not in snapshot(cluster, tmp_path / "some").err, "the right in force")
    told = snapshot(cluster, tmp_path / "some")
    assert told.code == 1 and "0 topics, 0 partitions" in told.out, told
    assert "are on disk that this user may not describe" in told.err
    told = dry_run(plan)
    assert told.code == 2 and "not authorised to describe topic hidden" in told.err, told
    for operation in ("DESCRIBE", "DESCRIBE_CONFIGS"):
        allow(cluster, operation, "TOPIC", "*")
    allow(cluster, "DESCRIBE_CONFIGS", "CLUSTER", "kafka-cluster")
    wait_until(lambda: "not authorised to describe" not in dry_run(plan).err, "the rights in force")
    assert snapshot(cluster, tmp_path / "all").code == 0
    told = dry_run(plan)
    assert told.code == 2 and "AlterPartitionReassignments hidden-0" in told.out, told
    assert "not authorised to move partitions and elect leaders (Alter on the cluster)" in told.err
    assert "no throttle could be set on broker 0 and 3 more (CLUSTER_AUTHORIZATION_FAILED" in told.err
    assert "no throttle could be set on topic hidden (TOPIC_AUTHORIZATION_FAILED" in told.err
    well(equipoise("apply", str(plan.folder), "--dry-run", "--bootstrap-server", cluster.bootstrap()))
    plan.assert_undone()


def snapshot(cluster: KafkaCluster, folder: Path) -> Done:
    return as_visitor(cluster, "snapshot", "--out", str(folder))


def dry_run(plan: Plan) -> Done:
    return as_visitor(plan.cluster, "apply", str(plan.folder), "--dry-run")
