"""The real cluster behind the port: requests through kafka-python, answers in the port's words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from kafka.errors import IncompatibleBrokerVersion, KafkaError
from kafka.protocol.admin import (
    AlterPartitionReassignmentsRequest,
    AlterReplicaLogDirsRequest,
    DescribeClusterRequest,
    DescribeLogDirsRequest,
    ElectLeadersRequest,
    ListPartitionReassignmentsRequest,
)
from kafka.protocol.metadata import ApiVersionsRequest, MetadataRequest

from equipoise import __version__
from equipoise.execution import answers, kafka_configs
from equipoise.execution.chunks import by_topic, chunks
from equipoise.execution.client_config import ClientConfig
from equipoise.execution.connect import connect, explain
from equipoise.execution.port import (
    ClusterState,
    ConfigValue,
    Failure,
    LogDir,
    PartitionState,
    Reassignment,
    Replica,
    Resource,
    TopicPartition,
)

ALTER = 7
"""The operation's number in ACLs."""
PREFERRED = 0
"""The election type; kafka-python exports no name for it."""


class KafkaPort:
    """A :class:`~equipoise.execution.port.Port` on brokers; use it as a context or ``close`` it.

    Raises a ``PortError`` when built where the cluster cannot be reached.
    """

    def __init__(self, bootstrap_servers: str, config: ClientConfig | None = None) -> None:
        self.config = config or ClientConfig()
        self.client = connect(bootstrap_servers, self.config)
        self.timeout_ms: int = self.client.config["request_timeout_ms"]

    def __enter__(self) -> KafkaPort:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.client.close()

    # -- reading ------------------------------------------------------------------------------

    def cluster(self) -> ClusterState:
        try:
            answer = self.client.ask(DescribeClusterRequest(include_fenced_brokers=True))
        except IncompatibleBrokerVersion:  # before Kafka 2.8
            answer = self.ask(MetadataRequest(topics=[]))
        except KafkaError as error:
            raise explain(error, self.config) from None
        answers.check(answer)
        brokers = sorted((answers.broker(row) for row in answer.brokers), key=lambda broker: broker.id)
        return ClusterState(answer.cluster_id or "", tuple(brokers))

    def partitions(self, topics: Collection[str] | None = None) -> Mapping[TopicPartition, PartitionState]:
        return self.topics(topics)[1]

    def topics(
        self, topics: Collection[str] | None = None
    ) -> tuple[Mapping[str, str], Mapping[TopicPartition, PartitionState]]:
        """Topic ids by name (none before Kafka 2.8), and the partitions."""
        named = None
        if topics is not None:
            named = [MetadataRequest.MetadataRequestTopic(name=topic) for topic in sorted(topics)]
        answer = self.ask(MetadataRequest(topics=named, allow_auto_topic_creation=False))
        return answers.topic_ids(answer), answers.partitions(answer)

    def features(self) -> Mapping[str, int]:
        """Finalised feature levels (``metadata.version``: 30), empty before KRaft."""
        request = ApiVersionsRequest(
            client_software_name="equipoise", client_software_version=__version__, min_version=3
        )
        return {row.name: row.max_version_level for row in self.ask(request).finalized_features or ()}

    def version(self) -> str:
        """The Kafka version that the brokers' requests belong to ("4.3"): the broker tells no other."""
        return ".".join(map(str, self.client._manager.broker_version))

    def reassignments(
        self, partitions: Collection[TopicPartition] | None = None
    ) -> Mapping[TopicPartition, Reassignment]:
        topics = None
        if partitions is not None:
            if not partitions:
                return {}
            row = ListPartitionReassignmentsRequest.ListPartitionReassignmentsTopics
            topics = [row(name=name, partition_indexes=ids) for name, ids in by_topic(partitions).items()]
        request = ListPartitionReassignmentsRequest(timeout_ms=self.timeout_ms, topics=topics)
        return answers.reassignments(self.ask(request, controller=True))

    def log_dirs(
        self, brokers: Collection[int], partitions: Collection[TopicPartition] | None = None
    ) -> Mapping[int, tuple[LogDir, ...] | Failure]:
        topics = None
        if partitions is not None:
            row = DescribeLogDirsRequest.DescribableLogDirTopic
            topics = [row(topic=name, partitions=ids) for name, ids in by_topic(partitions).items()]
        requests = {broker: DescribeLogDirsRequest(topics=topics) for broker in brokers}
        return {b: answers.log_dirs(answer) for b, answer in self.client.ask_each(requests).items()}

    def configs(
        self, resources: Collection[Resource], keys: Collection[str] | None = None
    ) -> Mapping[Resource, Mapping[str, ConfigValue] | Failure]:
        return kafka_configs.describe(self.client, resources, keys)

    # -- changing -----------------------------------------------------------------------------

    def alter_reassignments(
        self, targets: Mapping[TopicPartition, Sequence[int] | None]
    ) -> Mapping[TopicPartition, Failure | None]:
        def request(chunk: Sequence[TopicPartition]) -> Any:
            topic_row = AlterPartitionReassignmentsRequest.ReassignableTopic
            row = topic_row.ReassignablePartition

            def rows(topic: str, numbers: Sequence[int]) -> list[Any]:
                lists = ((p, targets[TopicPartition(topic, p)]) for p in numbers)
                return [row(partition_index=p, replicas=ids and list(ids)) for p, ids in lists]

            topics = [
                topic_row(name=topic, partitions=rows(topic, ids)) for topic, ids in by_topic(chunk).items()
            ]
            return AlterPartitionReassignmentsRequest(timeout_ms=self.timeout_ms, topics=topics)

        return self.in_chunks(targets, request, answers.alterations)

    def elect_preferred(
        self, partitions: Collection[TopicPartition]
    ) -> Mapping[TopicPartition, Failure | None]:
        def request(chunk: Sequence[TopicPartition]) -> Any:
            row = ElectLeadersRequest.TopicPartitions
            topics = [row(topic=topic, partitions=ids) for topic, ids in by_topic(chunk).items()]
            return ElectLeadersRequest(
                election_type=PREFERRED, topic_partitions=topics, timeout_ms=self.timeout_ms
            )

        return self.in_chunks(partitions, request, answers.elections)

    def alter_replica_log_dirs(self, dirs: Mapping[Replica, str]) -> Mapping[Replica, Failure | None]:
        asked = self.client.ask_each(
            {broker: log_dir_request(dirs, broker) for broker in sorted({replica.broker for replica in dirs})}
        )
        results = {broker: answers.log_dir_moves(answer) for broker, answer in asked.items()}
        return {
            replica: answers.result(results[replica.broker], TopicPartition(replica.topic, replica.partition))
            for replica in dirs
        }

    def alter_configs(
        self, changes: Mapping[Resource, Mapping[str, str | None]]
    ) -> Mapping[Resource, Failure | None]:
        return kafka_configs.alter(self.client, changes)

    # -- rights -------------------------------------------------------------------------------

    def may_alter(self) -> bool:
        """Whether the user may move partitions and elect leaders: Alter on the cluster."""
        try:
            answer = self.ask(DescribeClusterRequest(include_cluster_authorized_operations=True))
        except IncompatibleBrokerVersion:  # before Kafka 2.8
            return True
        return ALTER in (answer.authorized_operations or ())

    def would_refuse(
        self, changes: Mapping[Resource, Mapping[str, str | None]]
    ) -> Mapping[Resource, Failure]:
        """The changes of configs that would be refused; nothing is changed."""
        told = kafka_configs.alter(self.client, changes, validate_only=True)
        return {of: failure for of, failure in told.items() if failure is not None}

    # -- asking -------------------------------------------------------------------------------

    def ask(self, request: Any, *, controller: bool = False) -> Any:
        """The answer to a request, checked for an error of the whole; raises a ``PortError``."""
        try:
            answer = self.client.ask_controller(request) if controller else self.client.ask(request)
        except KafkaError as error:
            raise explain(error, self.config) from None
        return answers.check(answer)

    def in_chunks(
        self,
        keys: Collection[TopicPartition],
        request: Callable[[Sequence[TopicPartition]], Any],
        read: Callable[[Any], answers.Results],
    ) -> Mapping[TopicPartition, Failure | None]:
        """Change partitions chunk by chunk; a chunk refused as a whole fails each of its partitions."""
        results: dict[TopicPartition, Failure | None] = {}
        for chunk in chunks(sorted(keys)):
            answer = self.client.ask_controller_or_error(request(chunk))
            found = read(answer)
            results |= {key: answers.result(found, key) for key in chunk}
        return results


def log_dir_request(dirs: Mapping[Replica, str], broker: int) -> Any:
    """The moves of one broker's replicas, grouped by log dir."""
    row = AlterReplicaLogDirsRequest.AlterReplicaLogDir
    mine = {replica: path for replica, path in dirs.items() if replica.broker == broker}
    grouped = {
        path: by_topic(TopicPartition(r.topic, r.partition) for r, to in mine.items() if to == path)
        for path in sorted(set(mine.values()))
    }
    return AlterReplicaLogDirsRequest(
        dirs=[
            row(
                path=path,
                topics=[row.AlterReplicaLogDirTopic(name=t, partitions=ids) for t, ids in topics.items()],
            )
            for path, topics in grouped.items()
        ]
    )
