"""Stories that real brokers cannot be made to tell, and sizes they cannot be given, on the fake cluster."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from fake import FakeKafka, Model, Partition
from fake.model import NOT_CONTROLLER, POLICY_VIOLATION
from fake.small import RACKS, partitions, rotated, tp

from equipoise.execution.client_config import ClientConfig
from equipoise.execution.kafka import KafkaPort
from equipoise.execution.port import (
    Failure,
    Reassignment,
    Replica,
    RequestRefused,
    Resource,
    TopicPartition,
    Unreachable,
)


@pytest.mark.slow
def test_changes_go_in_chunks_far_below_what_a_controller_takes() -> None:
    """12,000 moves at once would be refused as a whole; in chunks every one is accepted."""
    with FakeKafka(Model(RACKS, partitions(12_000))) as fake, KafkaPort(fake.bootstrap) as port:
        assert set(port.alter_reassignments(rotated(fake.model, 12_000)).values()) == {None}
        assert len(port.reassignments()) == 12_000
        port.elect_preferred([TopicPartition(*of) for of in fake.model.partitions])
        assert Counter(name for name, _ in fake.requests)["AlterPartitionReassignments"] == 12
        assert Counter(name for name, _ in fake.requests)["ElectLeaders"] == 12


def test_a_chunk_refused_as_a_whole_fails_each_of_its_partitions(fake: FakeKafka, port: KafkaPort) -> None:
    """POLICY_VIOLATION for the request: nothing raised, nothing moved, every partition has the failure."""
    fake.hook = lambda name, request, broker: (
        POLICY_VIOLATION if name == "AlterPartitionReassignments" else None
    )
    answer = port.alter_reassignments(rotated(fake.model, 3))
    assert [str(failure) for failure in answer.values()] == ["POLICY_VIOLATION"] * 3


def test_one_refused_partition_does_not_hold_up_the_others(fake: FakeKafka, port: KafkaPort) -> None:
    """Its own error, and the others in flight."""
    targets = rotated(fake.model, 3)
    fake.model.refused[next(iter(targets))] = 44
    answer = port.alter_reassignments(targets)
    assert Counter(map(str, answer.values())) == {"None": 2, "POLICY_VIOLATION": 1}
    assert len(port.reassignments()) == 2


@pytest.mark.slow
def test_the_controller_may_move_between_two_requests(fake: FakeKafka, port: KafkaPort) -> None:
    """NOT_CONTROLLER makes the port ask anew who it is."""
    port.reassignments()
    fake.model.controller = 3
    assert port.reassignments() == {}
    assert port.alter_reassignments({tp(0): None}) == {tp(0): Failure("NO_REASSIGNMENT_IN_PROGRESS")}


@pytest.mark.slow
def test_a_lost_answer_is_asked_again(fake: FakeKafka, port: KafkaPort) -> None:
    """The request was carried out and the connection broke: sent again it is accepted, and moves once."""
    dropped = iter(["forget", "drop"])

    def hook(name: str, request: Any, broker: int) -> str | None:
        return next(dropped, None) if name == "AlterPartitionReassignments" else None

    fake.hook = hook
    targets = rotated(fake.model, 2)
    assert set(port.alter_reassignments(targets).values()) == {None}
    assert port.reassignments().keys() == targets.keys()


@pytest.mark.slow
def test_no_answer_at_all_is_a_failure_of_each_partition(fake: FakeKafka, port: KafkaPort) -> None:
    """UNREACHABLE means: not known whether it was carried out."""
    fake.hook = lambda name, request, broker: "drop" if name == "AlterPartitionReassignments" else None
    answer = port.alter_reassignments({tp(0): [0, 1, 2]})
    assert answer[tp(0)] is not None and answer[tp(0)].code == "UNREACHABLE"


@pytest.mark.slow
def test_without_any_controller_reading_says_so(fake: FakeKafka, port: KafkaPort) -> None:
    """Every broker answers NOT_CONTROLLER, as during an election that does not end."""
    fake.hook = lambda name, request, broker: NOT_CONTROLLER if name == "ListPartitionReassignments" else None
    with pytest.raises(RequestRefused, match="NOT_CONTROLLER"):
        port.reassignments()


@pytest.mark.slow
def test_dead_frozen_and_unknown_brokers_cost_their_own_answers(fake: FakeKafka, port: KafkaPort) -> None:
    """Log dirs and configs of the others are there; a frozen one is given up after the request timeout."""
    fake.kill(5, noticed=False)
    fake.model.frozen.add(4)
    dirs = port.log_dirs([0, 4, 5, 77])
    assert not isinstance(dirs[0], Failure)
    assert [dirs[i] for i in (4, 77)] == [
        Failure("UNREACHABLE", name) for name in ("RequestTimedOutError", "UnknownBrokerIdError")
    ]
    # refused, or not ready when asked again: as fast as the client notices
    assert dirs[5].code == "UNREACHABLE"
    fake.model.frozen.clear()
    changes = {Resource.broker(i): {"leader.replication.throttled.rate": "1"} for i in (0, 5)}
    assert [failure and failure.code for failure in port.alter_configs(changes).values()] == [
        None,
        "UNREACHABLE",
    ]


@pytest.mark.slow
def test_servers_that_hang_are_passed_over(fake: FakeKafka) -> None:
    """Whether it is named last or first, the one that answers is found; where none does, that is said, and
    not that the cluster had refused anything."""
    fake.model.frozen |= {0, 1}
    quick = ClientConfig({"request.timeout.ms": "400"})
    for order in ((0, 1, 2), (2, 1, 0)):
        with KafkaPort(",".join(f"127.0.0.1:{fake.ports[i]}" for i in order), quick) as port:
            assert port.cluster().ids == RACKS.keys()
    with pytest.raises(Unreachable, match="takes connections, but does not answer"):
        KafkaPort(f"127.0.0.1:{fake.ports[0]}", quick)


@pytest.mark.slow
def test_a_cluster_that_hangs_does_not_answer(fake: FakeKafka) -> None:
    """Nobody has refused anything: the client's own patience is over."""
    with KafkaPort(fake.bootstrap, ClientConfig({"request.timeout.ms": "400"})) as port:
        fake.model.frozen |= RACKS.keys()
        with pytest.raises(Unreachable, match="the cluster does not answer"):
            port.partitions()


def test_a_failed_log_dir_is_shown_as_such(fake: FakeKafka, port: KafkaPort) -> None:
    """An error in place of its replicas; moving a replica there is refused."""
    fake.model.failed_dirs.add((0, "/data/b"))
    fake.model.cordoned.add((0, "/data/a"))
    good, bad = port.log_dirs([0])[0]
    assert good.cordoned and good.error is None and good.replicas
    assert bad.error == Failure("KAFKA_STORAGE_ERROR") and not bad.replicas
    held = next(iter(good.replicas))
    answer = port.alter_replica_log_dirs({Replica(*held, 0): "/data/b"})
    assert list(answer.values()) == [Failure("KAFKA_STORAGE_ERROR")]


# -- the model itself ------------------------------------------------------------------------------


def test_the_fake_moves_as_kafka_does(fake: FakeKafka, port: KafkaPort) -> None:
    """Union and order, completion, the order after a cancel, the leader: as seen on real brokers."""
    fake.model.partitions["t", 0] = Partition([0, 1, 2], size=1000)
    name = TopicPartition("t", 0)
    port.alter_reassignments({name: [4, 2, 1]})
    assert port.reassignments()[name] == Reassignment((4, 2, 1, 0), (4,), (0,))
    fake.model.advance(400)
    (copy,) = [d.replicas[name] for d in port.log_dirs([4], [name])[4] if name in d.replicas]
    assert copy == (400, 0)
    port.alter_reassignments({name: None})
    assert port.partitions(["t"])[name].replicas == (2, 1, 0)
    port.alter_reassignments({name: [4, 2, 1]})
    fake.model.advance()
    state = port.partitions(["t"])[name]
    assert state.replicas == (4, 2, 1) and state.leader == 4 and not port.reassignments([name])


def test_the_fake_treats_second_targets_as_kafka_does(fake: FakeKafka, port: KafkaPort) -> None:
    """As seen on Kafka 4.3.0: the same again, back to the old list, a kept replica, another one."""
    cases = {
        0: ([4, 0, 1], (4,), (3,), (4, 0, 1)),
        1: ([3, 0, 1], (4,), (4,), None),
        2: ([3, 4, 0, 1], (4,), (3,), (4, 0, 1)),
        3: ([2, 0, 1], (2,), (3, 4), (2, 0, 1)),
    }
    for p, (second, adding, removing, end) in cases.items():
        name = TopicPartition("t", p)
        fake.model.partitions[name] = Partition([3, 0, 1], size=10)
        port.alter_reassignments({name: [4, 0, 1]})
        port.alter_reassignments({name: second})
        move = port.reassignments()[name]
        assert (move.adding, move.removing) == (adding, removing)
        fake.model.advance()
        assert (name in port.reassignments()) == (end is None)
        assert end is None or port.partitions(["t"])[name].replicas == end


def test_the_fake_moves_in_its_own_time() -> None:
    """With a speed, copies grow by the clock; stuck ones do not."""
    now = [0.0]
    stored = {("t", p): Partition([0, 1], size=1000) for p in range(2)}
    model = Model(RACKS, stored, speed=100, clock=lambda: now[0])
    model.stuck.add(("t", 1))
    with FakeKafka(model) as fake, KafkaPort(fake.bootstrap) as port:
        port.alter_reassignments({TopicPartition("t", p): [0, 2] for p in range(2)})
        now[0] = 5.0
        assert len(port.reassignments()) == 2
        now[0] = 11.0
        assert list(port.reassignments()) == [TopicPartition("t", 1)]
