"""Which request is answered by which function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kafka.protocol import admin, metadata

from fake import altering, configs, describing
from fake.model import Model

Answer = Callable[[Model, Any, int, "dict[int, int]"], Any]
"""The answer to a request of one broker; the last argument are the ports of all brokers."""

ANSWERS: dict[type, Answer] = {
    metadata.ApiVersionsRequest: describing.api_versions,
    metadata.MetadataRequest: describing.describe_metadata,
    admin.DescribeClusterRequest: describing.describe_cluster,
    admin.DescribeTopicPartitionsRequest: describing.describe_topic_partitions,
    admin.DescribeLogDirsRequest: describing.describe_log_dirs,
    admin.AlterReplicaLogDirsRequest: altering.alter_replica_log_dirs,
    admin.DescribeConfigsRequest: configs.describe_configs,
    admin.IncrementalAlterConfigsRequest: configs.alter_configs,
    admin.AlterPartitionReassignmentsRequest: altering.alter_reassignments,
    admin.ListPartitionReassignmentsRequest: altering.list_reassignments,
    admin.ElectLeadersRequest: altering.elect_leaders,
}
BY_KEY = {request.API_KEY: (request, answer) for request, answer in ANSWERS.items()}
