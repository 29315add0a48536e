"""What brokers answer, in the port's words. Answers are kafka-python's decoded responses, or the exception
in place of one that did not come."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Mapping
from typing import Any

from equipoise.execution.connect import code_name
from equipoise.execution.port import (
    BrokerState,
    Failure,
    LogDir,
    NotAuthorised,
    PartitionState,
    Reassignment,
    RequestRefused,
    StoredReplica,
    TopicPartition,
)
from equipoise.execution.requests import LOST

UNKNOWN_TOPIC, INVALID_TOPIC = 3, 17
TOPIC_AUTHORIZATION_FAILED, CLUSTER_AUTHORIZATION_FAILED = 29, 31
ELECTION_NOT_NEEDED = 84

Results = Mapping[Any, Failure | None] | Failure
"""Result of each key, or the failure of the whole request."""


def failure(code: int, message: str | None = None) -> Failure | None:
    """None for code 0."""
    return Failure(code_name(code), message or "") if code else None


def lost(error: Exception) -> Failure:
    """The failure that an exception in place of an answer means."""
    if isinstance(error, LOST):
        return Failure("UNREACHABLE", type(error).__name__)
    return Failure(code_name(error))


def check(answer: Any) -> Any:
    """The answer itself; raises where it is an error for the whole request."""
    code = getattr(answer, "error_code", 0)
    if code in (TOPIC_AUTHORIZATION_FAILED, CLUSTER_AUTHORIZATION_FAILED):
        raise NotAuthorised(
            f"not authorised ({code_name(code)}): {type(answer).__name__.removesuffix('Response')}"
        )
    if code:
        raise RequestRefused(code_name(code), getattr(answer, "error_message", None) or "")
    return answer


def result(results: Results, key: Any) -> Failure | None:
    """What was answered for one key."""
    if isinstance(results, Failure):
        return results
    return results.get(key, Failure("NO_ANSWER", "the broker's answer does not mention it"))


def broker(row: Any) -> BrokerState:
    """A broker of DescribeCluster, or of Metadata where that is not known."""
    number = getattr(row, "broker_id", None)
    fenced = bool(getattr(row, "is_fenced", False))
    return BrokerState(row.node_id if number is None else number, row.host, row.port, row.rack, fenced)


def topic_ids(answer: Any) -> dict[str, str]:
    """Ids as Kafka prints them, 22 characters; topics without one are left out."""
    return {
        topic.name: urlsafe_b64encode(topic.topic_id.bytes).decode().rstrip("=")
        for topic in answer.topics
        if topic.name and topic.topic_id and topic.topic_id.int
    }


def partitions(answer: Any) -> dict[TopicPartition, PartitionState]:
    found: dict[TopicPartition, PartitionState] = {}
    ids = topic_ids(answer)
    for topic in answer.topics:
        if topic.error_code in (UNKNOWN_TOPIC, INVALID_TOPIC):
            continue
        if topic.error_code == TOPIC_AUTHORIZATION_FAILED:
            raise NotAuthorised(f"not authorised to describe topic {topic.name}")
        for row in topic.partitions:
            found[TopicPartition(topic.name, row.partition_index)] = PartitionState(
                tuple(row.replica_nodes),
                tuple(row.isr_nodes),
                row.leader_id,
                tuple(row.offline_replicas or ()),
                ids.get(topic.name, ""),
            )
    return found


def reassignments(answer: Any) -> dict[TopicPartition, Reassignment]:
    return {
        TopicPartition(topic.name, row.partition_index): Reassignment(
            tuple(row.replicas), tuple(row.adding_replicas), tuple(row.removing_replicas)
        )
        for topic in answer.topics
        for row in topic.partitions
    }


def alterations(answer: Any) -> Results:
    """Results of AlterPartitionReassignments."""
    if isinstance(answer, Exception):
        return lost(answer)
    if refused := failure(answer.error_code, answer.error_message):
        return refused
    return {
        TopicPartition(topic.name, row.partition_index): failure(row.error_code, row.error_message)
        for topic in answer.responses
        for row in topic.partitions
    }


def elections(answer: Any) -> Results:
    """Results of ElectLeaders; where the preferred replica leads already, nothing failed."""
    if isinstance(answer, Exception):
        return lost(answer)
    if refused := failure(answer.error_code):
        return refused
    return {
        TopicPartition(topic.topic, row.partition_id): None
        if row.error_code == ELECTION_NOT_NEEDED
        else failure(row.error_code, row.error_message)
        for topic in answer.replica_election_results
        for row in topic.partition_result
    }


def log_dir_moves(answer: Any) -> Results:
    """Results of AlterReplicaLogDirs of one broker."""
    if isinstance(answer, Exception):
        return lost(answer)
    return {
        TopicPartition(topic.topic_name, row.partition_index): failure(row.error_code)
        for topic in answer.results
        for row in topic.partitions
    }


def log_dirs(answer: Any) -> tuple[LogDir, ...] | Failure:
    """The log dirs of one broker."""
    if isinstance(answer, Exception):
        return lost(answer)
    if refused := failure(getattr(answer, "error_code", 0) or 0):
        return refused
    if not answer.results:  # before version 3 of the request, a refusal looks like this
        return Failure(code_name(CLUSTER_AUTHORIZATION_FAILED), "no log dirs are shown")
    return tuple(log_dir(row) for row in answer.results)


def log_dir(row: Any) -> LogDir:
    replicas: dict[TopicPartition, StoredReplica] = {}
    future: dict[TopicPartition, StoredReplica] = {}
    for topic in row.topics:
        name = topic.name
        for p in topic.partitions:
            kind = future if p.is_future_key else replicas
            kind[TopicPartition(name, p.partition_index)] = StoredReplica(p.partition_size, p.offset_lag)
    return LogDir(
        path=row.log_dir,
        error=failure(row.error_code),
        total_bytes=known(row.total_bytes),
        usable_bytes=known(row.usable_bytes),
        cordoned=bool(row.is_cordoned),
        replicas=replicas,
        future=future,
    )


def known(size: int | None) -> int | None:
    """-1 is Kafka's word for unknown."""
    return size if size is not None and size >= 0 else None
