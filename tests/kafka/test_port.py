"""The port on real brokers: every way in which Kafka's answers surprise, one test each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from harness.cluster import RATES, TOPIC_THROTTLES, KafkaCluster
from harness.throttles import configure, crawl, read, speed_up, throttles
from harness.traffic import fill
from harness.waiting import wait_until
from kafka.protocol.admin import IncrementalAlterConfigsRequest

from equipoise.execution.client_config import ClientConfig
from equipoise.execution.kafka import KafkaPort
from equipoise.execution.kafka_configs import operations
from equipoise.execution.port import Failure, Reassignment, Replica, Resource, TopicPartition

pytestmark = pytest.mark.kafka

ALL = range(5)


@pytest.fixture
def port(cluster: KafkaCluster) -> Iterator[KafkaPort]:
    with KafkaPort(cluster.bootstrap()) as opened:
        yield opened


def codes(answer: object) -> list[str | None]:
    """The codes of an answer's failures in key order."""
    return [failure.code if failure else None for _, failure in sorted(dict(answer).items())]  # type: ignore[call-overload]


def test_cluster_names_brokers_with_racks_and_no_controller(cluster: KafkaCluster, port: KafkaPort) -> None:
    """Brokers, racks and a killed one once it is fenced; the controller id of metadata is not passed on."""
    state = port.cluster()
    assert {broker.id: broker.rack for broker in state.brokers} == {0: "a", 1: "b", 2: "c", 3: "a", 4: "b"}
    assert state.cluster_id == cluster.admin.describe_cluster()["cluster_id"]
    assert not hasattr(state, "controller")
    cluster.kill(4)
    assert not any(broker.fenced for broker in port.cluster().brokers), "still shown as serving for a while"
    wait_until(lambda: [b.id for b in port.cluster().brokers if b.fenced] == [4], "broker 4 fenced")


def test_partition_errors_are_returned_and_the_others_proceed(
    cluster: KafkaCluster, port: KafkaPort, topic: str
) -> None:
    """Unknown broker, a broker twice, an empty list, no such topic: four failures with the broker's words."""
    cluster.create(topic, {p: [0, 1] for p in range(4)})
    wanted = {0: [0, 9], 1: [0, 0], 2: [], 3: [0, 2]}
    targets = {TopicPartition(topic, p): ids for p, ids in wanted.items()}
    gone = TopicPartition("zzz-gone", 0)
    answer = port.alter_reassignments({**targets, gone: [1]})
    refused = "INVALID_REPLICA_ASSIGNMENT"
    assert codes(answer) == [refused, refused, refused, None, "UNKNOWN_TOPIC_OR_PARTITION"]
    assert "no such broker is registered" in str(answer[TopicPartition(topic, 0)])
    wait_until(lambda: cluster.replicas(topic)[3] == [0, 2], "the good one moved")


def test_a_dead_broker_is_accepted_as_target_and_the_move_hangs(
    cluster: KafkaCluster, port: KafkaPort, topic: str
) -> None:
    """Registered is enough for Kafka: only a look at the brokers can prevent such a move."""
    cluster.create(topic, {0: [0, 1]})
    cluster.kill(4)
    name = TopicPartition(topic, 0)
    assert port.alter_reassignments({name: [0, 4]}) == {name: None}
    wait_until(lambda: 4 in {b.id for b in port.cluster().brokers if b.fenced}, "broker 4 fenced")
    assert port.reassignments() == {name: Reassignment((0, 4, 1), (4,), (1,))}
    assert port.alter_reassignments({name: None}) == {name: None}


def test_a_second_target_replaces_the_first(cluster: KafkaCluster, port: KafkaPort, topic: str) -> None:
    """The list shows the union, target first, removed ones ascending. What the first target was still
    adding counts as there from then on: only the list itself tells that broker 4 is new."""
    cluster.create(topic, {0: [3, 0, 1]})
    fill(cluster, topic, [0], 3_000_000)
    crawl(cluster, topic)
    name = TopicPartition(topic, 0)
    port.alter_reassignments({name: [4, 0, 1]})
    port.alter_reassignments({name: [1, 2, 4]})
    move = port.reassignments([name])[name]
    assert move == Reassignment((1, 2, 4, 0, 3), (2,), (0, 3)) and move.target == (1, 2, 4)
    # metadata come a moment after the list
    wait_until(lambda: port.partitions([topic])[name].replicas == (1, 2, 4, 0, 3), "metadata with the move")
    speed_up(cluster)
    wait_until(lambda: not port.reassignments(), "the move done")
    # Brokers hear of the end from the controller: the list is empty a moment before metadata show it.
    wait_until(lambda: port.partitions([topic])[name].replicas == (1, 2, 4), "metadata without the move")


def test_a_second_target_may_hang_or_lose_a_replica(
    cluster: KafkaCluster, port: KafkaPort, topic: str
) -> None:
    """Going back to the old list without a cancel never ends; keeping a replica after all loses it.

    Kafka 4.3 keeps what the first target added or removed where the second adds or removes nothing.
    """
    cluster.create(topic, {0: [3, 0, 1], 1: [3, 0, 1]})
    fill(cluster, topic, [0, 1], 2_000_000)
    crawl(cluster, topic)
    back, kept = TopicPartition(topic, 0), TopicPartition(topic, 1)
    port.alter_reassignments({back: [4, 0, 1], kept: [4, 0, 1]})
    port.alter_reassignments({back: [3, 0, 1], kept: [3, 4, 0, 1]})
    assert port.reassignments() == {
        back: Reassignment((3, 0, 1, 4), (4,), (4,)),
        kept: Reassignment((3, 4, 0, 1), (4,), (3,)),
    }
    speed_up(cluster)
    wait_until(lambda: set(cluster.describe(topic)[0]["isr_nodes"]) == {0, 1, 3, 4}, "everything in sync")
    wait_until(lambda: list(port.reassignments()) == [back], "the other over")
    wait_until(lambda: cluster.replicas(topic)[1] == [4, 0, 1], "without broker 3, which was asked for")
    assert port.alter_reassignments({back: None}) == {back: None}
    wait_until(lambda: cluster.replicas(topic)[0] == [3, 0, 1], "a cancel ends it")


def test_a_cancel_keeps_the_order_of_the_target(cluster: KafkaCluster, port: KafkaPort, topic: str) -> None:
    """[0,1,2] to [4,2,1], cancelled, is [2,1,0]; exact order comes back by submitting the old list."""
    cluster.create(topic, {0: [0, 1, 2]})
    fill(cluster, topic, [0], 3_000_000)
    crawl(cluster, topic)
    name = TopicPartition(topic, 0)
    port.alter_reassignments({name: [4, 2, 1]})
    assert port.alter_reassignments({name: None}) == {name: None}
    wait_until(lambda: cluster.replicas(topic)[0] == [2, 1, 0], "the order that a cancel leaves")
    port.alter_reassignments({name: [0, 1, 2]})
    wait_until(lambda: cluster.replicas(topic)[0] == [0, 1, 2], "the old order")
    assert codes(port.alter_reassignments({name: None})) == ["NO_REASSIGNMENT_IN_PROGRESS"]


def test_election_not_needed_is_no_failure(cluster: KafkaCluster, port: KafkaPort, topic: str) -> None:
    """Already leading is done; a preferred replica that is dead is a failure; no such topic too."""
    cluster.create(topic, {0: [0, 1], 1: [1, 2], 2: [4, 3]})
    port.alter_reassignments({TopicPartition(topic, 0): [1, 0]})
    cluster.kill(4)
    wait_until(lambda: cluster.leaders(topic)[2] == 3, "another leader")
    answer = port.elect_preferred([TopicPartition(topic, p) for p in range(3)] + [TopicPartition("zzz", 0)])
    assert codes(answer) == [None, None, "PREFERRED_LEADER_NOT_AVAILABLE", "UNKNOWN_TOPIC_OR_PARTITION"]
    wait_until(lambda: cluster.leaders(topic)[0] == 1, "the elected leader")


def test_throttles_are_set_and_really_deleted(cluster: KafkaCluster, port: KafkaPort, topic: str) -> None:
    """Keys that the client's own check refuses; a None deletes, and the value from below is back."""
    cluster.create(topic, {0: [0, 1]})
    on_topic, on_broker = Resource.topic(topic), Resource.broker(1)
    port.alter_configs({on_topic: {TOPIC_THROTTLES[0]: "0:1"}, on_broker: {RATES[0]: "1000000"}})
    wait_until(lambda: len(throttles(cluster, [topic])) == 2, "both set")
    wait_until(lambda: port.configs([on_broker], RATES)[on_broker], "the rate read")
    rate = port.configs([on_broker], RATES)[on_broker]
    assert not isinstance(rate, Failure) and rate[RATES[0]].set_here and rate[RATES[0]].value == "1000000"
    assert port.alter_configs({on_topic: {TOPIC_THROTTLES[0]: None}, on_broker: {RATES[0]: None}}) == {
        on_topic: None,
        on_broker: None,
    }
    wait_until(lambda: throttles(cluster, [topic]) == {}, "both gone")
    left = port.configs([on_topic], TOPIC_THROTTLES)[on_topic]
    assert not isinstance(left, Failure) and not left[TOPIC_THROTTLES[0]].set_here


def test_refused_configs_are_failures(cluster: KafkaCluster, port: KafkaPort, topic: str) -> None:
    """A bad value, a topic that is not there: failures in the answer, the good one is carried out."""
    cluster.create(topic, {0: [0]})
    good, gone = Resource.topic(topic), Resource.topic("zzz")
    answer = port.alter_configs({good: {"retention.ms": "x"}, gone: {"retention.ms": "5"}})
    assert codes(answer) == ["INVALID_CONFIG", "UNKNOWN_TOPIC_OR_PARTITION"]
    values = port.configs([good, gone], ["retention.ms"])
    assert isinstance(values[gone], Failure)
    assert not isinstance(values[good], Failure)


def test_a_dead_broker_costs_its_own_answers_only(cluster: KafkaCluster, port: KafkaPort, topic: str) -> None:
    """Log dirs, configs and changes of the others are served; it is usable again once it is back."""
    cluster.create(topic, {0: [3, 4]})
    cluster.kill(4)
    dirs = port.log_dirs(ALL)
    assert [broker for broker, told in dirs.items() if isinstance(told, Failure)] == [4]
    changes = {Resource.broker(i): {RATES[0]: "5000"} for i in (3, 4)}
    assert codes(port.alter_configs(changes)) == [None, "UNREACHABLE"]
    assert isinstance(port.configs([Resource.broker(4)])[Resource.broker(4)], Failure)
    moved = port.alter_replica_log_dirs({Replica(topic, 0, 4): cluster.nodes[4].log_dirs[0]})
    assert codes(moved) == ["UNREACHABLE"]
    cluster.start(4)
    wait_until(lambda: not isinstance(port.log_dirs([4])[4], Failure), "broker 4 asked again")
    assert codes(port.alter_configs({Resource.broker(i): {RATES[0]: None} for i in (3, 4)})) == [None, None]


def test_the_controller_may_die(cluster: KafkaCluster, port: KafkaPort, topic: str) -> None:
    """Moves are submitted and listed although the controller, and the broker last asked, are gone."""
    cluster.create(topic, {0: [3, 4]})
    port.reassignments()
    cluster.kill(cluster.controller())
    name = TopicPartition(topic, 0)
    wait_until(lambda: port.alter_reassignments({name: [4, 3]}) == {name: None}, "accepted")
    wait_until(lambda: cluster.replicas(topic)[0] == [4, 3], "the new order")


def test_progress_is_the_size_on_disk(cluster: KafkaCluster, port: KafkaPort, topic: str) -> None:
    """The growing copy shows a size; its lag reads 0 all the while."""
    cluster.create(topic, {0: [0, 1]})
    fill(cluster, topic, [0], 4_000_000)
    crawl(cluster, topic)
    name = TopicPartition(topic, 0)
    port.alter_reassignments({name: [0, 4]})
    speed_up(cluster, 1_000_000)
    sizes: list[int] = []

    def copied() -> bool:
        dirs = port.log_dirs([4], [name])[4]
        assert not isinstance(dirs, Failure)
        sizes.extend(held.replicas[name].size_bytes for held in dirs if name in held.replicas)
        return name not in port.reassignments()

    wait_until(copied, "the copy done")
    assert any(0 < size < 4_000_000 for size in sizes), sizes
    assert sizes == sorted(sizes)


def test_replicas_move_between_log_dirs(cluster: KafkaCluster, port: KafkaPort, topic: str) -> None:
    """An unknown dir is refused; a dir for a replica to come is remembered; one that is there moves."""
    cluster.create(topic, {0: [0, 1]})
    fill(cluster, topic, [0], 500_000)
    name = TopicPartition(topic, 0)
    a, b = cluster.nodes[4].log_dirs
    assert codes(port.alter_replica_log_dirs({Replica(topic, 0, 0): "/nowhere"})) == ["LOG_DIR_NOT_FOUND"]
    assert codes(port.alter_replica_log_dirs({Replica(topic, 0, 4): b})) == ["REPLICA_NOT_AVAILABLE"]
    port.alter_reassignments({name: [0, 4]})
    wait_until(lambda: place(port, name, 4) == b, "the new replica in the dir that was asked for")
    assert port.alter_replica_log_dirs({Replica(topic, 0, 4): a}) == {Replica(topic, 0, 4): None}
    wait_until(lambda: place(port, name, 4) == a, "the replica in its other dir")


def place(port: KafkaPort, name: TopicPartition, broker: int) -> str | None:
    """Log dir in which a broker holds a partition, and none on its way."""
    dirs = port.log_dirs([broker], [name])[broker]
    assert not isinstance(dirs, Failure)
    assert all(held.total_bytes and held.usable_bytes for held in dirs)
    found = [held.path for held in dirs if name in held.replicas]
    return found[0] if found and not any(held.future for held in dirs) else None


def test_cordoned_dirs_and_what_follows(cluster: KafkaCluster, port: KafkaPort, topic: str) -> None:
    """A broker whose dirs are all cordoned shows it."""
    cluster.create(topic, {0: [0, 1]})
    configure(cluster, "broker", "4", {"cordoned.log.dirs": "*"})

    def cordoned() -> bool:
        dirs = port.log_dirs([4])[4]
        return not isinstance(dirs, Failure) and all(held.cordoned for held in dirs)

    wait_until(cordoned, "both dirs cordoned")


def test_a_hanging_broker_is_given_up_in_time(cluster: KafkaCluster, topic: str) -> None:
    """A broker that takes connections and never answers costs one request timeout, and only its own."""
    cluster.create(topic, {0: [0, 1]})
    quick = ClientConfig({"request.timeout.ms": "2000"})
    with KafkaPort(cluster.bootstrap(brokers=[0]), quick) as port:
        cluster.freeze(3)
        dirs = port.log_dirs(ALL)
        assert dirs[3] == Failure("UNREACHABLE", "RequestTimedOutError")
        assert not any(isinstance(dirs[broker], Failure) for broker in (0, 1, 2, 4))
        cluster.thaw(3)


def test_a_kept_replica_that_is_sick_does_not_hold_a_move_up(
    cluster: KafkaCluster, port: KafkaPort, topic: str
) -> None:
    """From Kafka 4.3 only what is added has to be in the ISR; the old ones wait (below)."""
    cluster.create(topic, {0: [0, 4, 1]})
    cluster.kill(4)
    wait_until(lambda: 4 not in cluster.describe(topic)[0]["isr_nodes"], "the ISR without broker 4")
    port.alter_reassignments({TopicPartition(topic, 0): [3, 4, 1]})
    wait_until(lambda: cluster.replicas(topic)[0] == [3, 4, 1], "moved beside the dead broker")


def test_a_cancel_that_would_leave_no_replica_in_sync_is_refused(
    cluster: KafkaCluster, port: KafkaPort, topic: str
) -> None:
    """Only what was added is in the ISR: going back would lose records, and Kafka does not."""
    cluster.create(topic, {0: [4]})
    cluster.kill(2)
    name = TopicPartition(topic, 0)
    port.alter_reassignments({name: [3, 2]})
    wait_until(lambda: set(cluster.describe(topic)[0]["isr_nodes"]) == {3, 4}, "the first copy complete")
    cluster.kill(4)
    wait_until(lambda: cluster.describe(topic)[0]["isr_nodes"] == [3], "only the new replica in sync")
    assert codes(port.alter_reassignments({name: None})) == ["INVALID_REPLICA_ASSIGNMENT"]


def test_moves_between_log_dirs_that_are_refused_or_taken_back(
    cluster: KafkaCluster, port: KafkaPort, topic: str
) -> None:
    """Back to the dir where it is cancels a move; a cordoned dir takes nothing, nor does any where the
    topic's name leaves no place for the future dir's suffix within 255 characters."""
    long = "x" * 240
    cluster.create(topic, {0: [4]})
    cluster.create(long, {0: [4]})
    where = place(port, TopicPartition(long, 0), 4)
    other = next(path for path in cluster.nodes[4].log_dirs if path != where)
    assert codes(port.alter_replica_log_dirs({Replica(long, 0, 4): other})) == ["INVALID_TOPIC"]
    fill(cluster, topic, [0], 2_000_000)
    here, there = cluster.nodes[4].log_dirs
    name, replica = TopicPartition(topic, 0), Replica(topic, 0, 4)
    if place(port, name, 4) == there:
        here, there = there, here
    rate = {"replica.alter.log.dirs.io.max.bytes.per.second": "1000"}
    configure(cluster, "broker", "4", rate)
    wait_until(lambda: read(cluster, "broker", "4", rate) == rate, "the rate in force")
    assert port.alter_replica_log_dirs({replica: there}) == {replica: None}
    assert place(port, name, 4) is None, "under way"
    assert port.alter_replica_log_dirs({replica: here}) == {replica: None}
    wait_until(lambda: place(port, name, 4) == here, "back where it was")
    configure(cluster, "broker", "4", {"cordoned.log.dirs": there})
    wait_until(lambda: any(d.cordoned for d in port.log_dirs([4])[4]), "the other dir cordoned")  # type: ignore[union-attr]
    assert codes(port.alter_replica_log_dirs({replica: there})) == ["INVALID_REPLICA_ASSIGNMENT"]


def test_min_isr_of_a_topic_may_come_from_the_cluster(
    cluster: KafkaCluster, port: KafkaPort, topic: str
) -> None:
    """Where a topic does not set it, the value in force for all brokers is read."""
    cluster.create(topic, {0: [0, 1]})
    key, of = "min.insync.replicas", Resource.topic(topic)

    def set_for_all(value: str) -> None:
        row = IncrementalAlterConfigsRequest.AlterConfigsResource
        everyone = row(resource_type=4, resource_name="", configs=operations({key: value}))
        port.ask(IncrementalAlterConfigsRequest(resources=[everyone]))

    set_for_all("2")
    try:
        wait_until(lambda: port.configs([of], [key])[of][key].value == "2", "the value of the cluster")  # type: ignore[index]
        assert not port.configs([of], [key])[of][key].set_here  # type: ignore[index]
    finally:
        set_for_all("1")
