"""What the fake brokers do: moves, elections, moves between log dirs."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from kafka.protocol import admin

from fake import model as m
from fake.model import BIGGEST_REQUEST, Model


def alter_reassignments(model: Model, request: Any, broker: int, ports: dict[int, int]) -> Any:
    response = admin.AlterPartitionReassignmentsResponse
    topic_row = response.ReassignableTopicResponse
    row = topic_row.ReassignablePartitionResponse
    code = too_large(sum(len(topic.partitions) for topic in request.topics)) or not_here(model, broker)
    rows = []
    for topic in [] if code else request.topics:
        codes = [
            (p.partition_index, model.alter((topic.name, p.partition_index), p.replicas))
            for p in topic.partitions
        ]
        rows.append(topic_row(name=topic.name, partitions=[
            row(partition_index=number, error_code=found, error_message=None) for number, found in codes
        ]))  # fmt: skip
    return response(
        throttle_time_ms=0,
        allow_replication_factor_change=True,
        error_code=code,
        error_message=None,
        responses=rows,
    )


def list_reassignments(model: Model, request: Any, broker: int, ports: dict[int, int]) -> Any:
    response = admin.ListPartitionReassignmentsResponse
    topic_row = response.OngoingTopicReassignment
    row = topic_row.OngoingPartitionReassignment
    moving = model.in_flight()
    if request.topics is not None:
        wanted = {(topic.name, number) for topic in request.topics for number in topic.partition_indexes}
        moving = {of: p for of, p in moving.items() if of in wanted}
    grouped: dict[str, list[Any]] = defaultdict(list)
    for (name, number), p in moving.items():
        grouped[name].append(
            row(
                partition_index=number,
                replicas=p.replicas,
                adding_replicas=p.adding,
                removing_replicas=p.removing,
            )
        )
    return response(
        throttle_time_ms=0, error_code=not_here(model, broker), error_message=None,
        topics=[topic_row(name=name, partitions=ps) for name, ps in grouped.items()],
    )  # fmt: skip


def elect_leaders(model: Model, request: Any, broker: int, ports: dict[int, int]) -> Any:
    response = admin.ElectLeadersResponse
    topic_row = response.ReplicaElectionResult
    row = topic_row.PartitionResult
    code = too_large(sum(len(t.partitions) for t in request.topic_partitions)) or not_here(model, broker)
    results = [
        topic_row(topic=t.topic, partition_result=[
            row(partition_id=number, error_code=model.elect((t.topic, number)), error_message=None)
            for number in t.partitions
        ])
        for t in ([] if code else request.topic_partitions)
    ]  # fmt: skip
    return response(throttle_time_ms=0, error_code=code, replica_election_results=results)


def too_large(n_records: int) -> int:
    return m.POLICY_VIOLATION if n_records > BIGGEST_REQUEST else 0


def not_here(model: Model, broker: int) -> int:
    return 0 if model.controller == broker else m.NOT_CONTROLLER


def alter_replica_log_dirs(model: Model, request: Any, broker: int, ports: dict[int, int]) -> Any:
    response = admin.AlterReplicaLogDirsResponse
    topic_row = response.AlterReplicaLogDirTopicResult
    row = topic_row.AlterReplicaLogDirPartitionResult
    results: dict[str, list[Any]] = defaultdict(list)
    for one in request.dirs:
        for topic in one.topics:
            for number in topic.partitions:
                code = model.move_dir((topic.name, number), broker, one.path)
                results[topic.name].append(row(partition_index=number, error_code=code))
    rows = [topic_row(topic_name=name, partitions=ps) for name, ps in results.items()]
    return response(throttle_time_ms=0, results=rows)
