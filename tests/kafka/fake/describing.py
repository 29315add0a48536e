"""What the fake brokers tell: versions, metadata, the cluster, its partitions and log dirs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any
from uuid import NAMESPACE_URL, UUID, uuid5

from kafka.protocol import admin, metadata
from kafka.protocol.broker_version_data import BrokerVersionData

from fake import model as m
from fake.model import Model

VERSION = (4, 3)


def api_versions(model: Model, request: Any, broker: int, ports: dict[int, int]) -> Any:
    response = metadata.ApiVersionsResponse
    known = BrokerVersionData(VERSION).api_versions
    return response(
        error_code=0,
        api_keys=[
            response.ApiVersion(api_key=k, min_version=v[0], max_version=v[1]) for k, v in known.items()
        ],
        supported_features=[],
        finalized_features_epoch=1,
        finalized_features=[
            response.FinalizedFeatureKey(name="metadata.version", max_version_level=30, min_version_level=30)
        ],
        zk_migration_ready=False,
    )


def describe_metadata(model: Model, request: Any, broker: int, ports: dict[int, int]) -> Any:
    response = metadata.MetadataResponse
    topic_row = response.MetadataResponseTopic
    row = topic_row.MetadataResponsePartition
    wanted = None if request.topics is None else [topic.name for topic in request.topics]
    grouped: dict[str, list[Any]] = defaultdict(list)
    gone = model.fenced | model.dead
    chosen = model.partitions.items() if wanted is None else in_topics(model, wanted)
    for (name, number), p in chosen:
        offline = [i for i in p.replicas if i in gone] if gone else []
        grouped[name].append(
            row(error_code=0 if p.leader >= 0 else 5, partition_index=number,
                leader_id=p.leader, leader_epoch=1, replica_nodes=p.replicas, isr_nodes=p.isr,
                offline_replicas=offline)
        )  # fmt: skip
    return response(
        throttle_time_ms=0,
        brokers=[
            response.MetadataResponseBroker(node_id=i, host="127.0.0.1", port=ports[i], rack=model.racks[i])
            for i in sorted(model.racks) if i not in model.fenced
        ],
        cluster_id=model.cluster_id,
        controller_id=model.controller,
        topics=[
            topic_row(error_code=0, name=name, topic_id=topic_id(name), is_internal=False,
                      partitions=grouped[name], authorized_operations=set())
            for name in (sorted(grouped) if wanted is None else wanted) if name in grouped
        ] + [
            topic_row(error_code=m.UNKNOWN_TOPIC, name=name, topic_id=UUID(int=0), is_internal=False,
                      partitions=[], authorized_operations=set())
            for name in wanted or [] if name not in grouped
        ],
        authorized_operations=set(),
        error_code=0,
    )  # fmt: skip


def in_topics(model: Model, names: Iterable[str]) -> list[tuple[m.TP, m.Partition]]:
    wanted = set(names)
    return [(of, p) for of, p in model.partitions.items() if of[0] in wanted]


def topic_id(name: str) -> UUID:
    return uuid5(NAMESPACE_URL, name)


def describe_cluster(model: Model, request: Any, broker: int, ports: dict[int, int]) -> Any:
    response = admin.DescribeClusterResponse
    return response(
        throttle_time_ms=0, error_code=0, error_message=None, endpoint_type=1, cluster_id=model.cluster_id,
        controller_id=model.controller, authorized_operations=set(),
        brokers=[
            response.DescribeClusterBroker(
                broker_id=i, host="127.0.0.1", port=ports[i], rack=model.racks[i], is_fenced=i in model.fenced
            )
            for i in sorted(model.racks) if request.include_fenced_brokers or i not in model.fenced
        ],
    )  # fmt: skip


def describe_topic_partitions(model: Model, request: Any, broker: int, ports: dict[int, int]) -> Any:
    response = admin.DescribeTopicPartitionsResponse
    topic_row = response.DescribeTopicPartitionsResponseTopic
    row = topic_row.DescribeTopicPartitionsResponsePartition
    rows = sorted(in_topics(model, [topic.name for topic in request.topics]))
    if request.cursor is not None:
        rows = [r for r in rows if r[0] >= (request.cursor.topic_name, request.cursor.partition_index)]
    page, rest = rows[: request.response_partition_limit], rows[request.response_partition_limit :]
    grouped: dict[str, list[Any]] = defaultdict(list)
    for (name, number), p in page:
        grouped[name].append(
            row(error_code=0, partition_index=number, leader_id=p.leader, leader_epoch=1,
                replica_nodes=p.replicas, isr_nodes=p.isr, eligible_leader_replicas=[],
                last_known_elr=[], offline_replicas=[])
        )  # fmt: skip
    cursor = rest and response.Cursor(topic_name=rest[0][0][0], partition_index=rest[0][0][1])
    return response(
        throttle_time_ms=0, next_cursor=cursor or None,
        topics=[topic_row(error_code=0, name=name, topic_id=topic_id(name), is_internal=False, partitions=ps,
                          topic_authorized_operations=0) for name, ps in grouped.items()],
    )  # fmt: skip


def describe_log_dirs(model: Model, request: Any, broker: int, ports: dict[int, int]) -> Any:
    response = admin.DescribeLogDirsResponse
    dir_row = response.DescribeLogDirsResult
    topic_row = dir_row.DescribeLogDirsTopic
    row = topic_row.DescribeLogDirsPartition
    wanted = None if request.topics is None else {(t.topic, p) for t in request.topics for p in t.partitions}
    held: dict[str, dict[str, list[Any]]] = {path: defaultdict(list) for path in model.dirs[broker]}
    chosen = model.partitions if wanted is None else wanted & model.partitions.keys()
    for of in sorted(of for of in chosen if broker in model.partitions[of].replicas):
        p = model.partitions[of]
        size = int(p.copied.get(broker, p.size))
        path = model.dir_of(of, broker)
        held[path][of[0]].append(
            row(partition_index=of[1], partition_size=size, offset_lag=0, is_future_key=False)
        )
        if move := model.dir_moves.get((of, broker)):
            held[move.dir][of[0]].append(
                row(partition_index=of[1], partition_size=int(move.copied), offset_lag=0, is_future_key=True)
            )
    return response(
        throttle_time_ms=0, error_code=0,
        results=[
            dir_row(error_code=m.KAFKA_STORAGE_ERROR if (broker, path) in model.failed_dirs else 0,
                    log_dir=path, topics=[] if (broker, path) in model.failed_dirs
                    else [topic_row(name=name, partitions=ps) for name, ps in topics.items()],
                    total_bytes=model.volume_bytes, usable_bytes=model.usable_bytes,
                    is_cordoned=(broker, path) in model.cordoned)
            for path, topics in held.items()
        ],
    )  # fmt: skip
