"""Runs whose brokers fail in ways that real ones cannot be made to, over the wire, on the fake cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from fake import FakeKafka, Model, Partition
from fake.model import CLUSTER_AUTHORIZATION_FAILED, NOT_CONTROLLER, POLICY_VIOLATION
from harness.inside import Eye, once

from equipoise.execution.carrier import Carrier
from equipoise.execution.client_config import ClientConfig
from equipoise.execution.driver import drive
from equipoise.execution.instructions import End
from equipoise.execution.kafka import KafkaPort
from equipoise.execution.machine import Machine
from equipoise.execution.memory import Memory
from equipoise.execution.moves import Job, Move, Options
from equipoise.execution.port import TopicPartition

RACKS = {i: "abc"[i % 3] for i in range(6)}
RATE = "follower.replication.throttled.rate"
MOVES = {0: ([0, 1, 2], [3, 1, 2]), 1: ([1, 2, 0], [4, 2, 0]), 2: ([2, 0], [0, 2])}
"""Two copies and a reorder."""


class Story:
    """A fake cluster, a job for it, and everything that its runs have written and said."""

    def __init__(self, fake: FakeKafka) -> None:
        self.fake, self.model = fake, fake.model
        self.entries: list[Mapping[str, Any]] = []
        self.heard: list[str] = []

    def append(self, entry: Mapping[str, Any]) -> None:
        self.entries.append(entry)

    def run(self, look: Callable[[Machine], str | None] = lambda _: None, **how: Any) -> End:
        moves = tuple(
            Move(TopicPartition("t", p), tuple(old), tuple(new), 1e6) for p, (old, new) in MOVES.items()
        )
        job = Job("apply", "sha256:plan", self.model.cluster_id, moves, RACKS, frozenset(RACKS))
        options = Options(**{"throttle": 5_000, "poll_s": 0.05, "grace_s": 0.5, **how})
        eye = Eye(look)
        quick = ClientConfig({"request.timeout.ms": "2500"})  # a busy machine answers later than a fast one
        with KafkaPort(self.fake.bootstrap, quick) as port:
            end = drive(Machine(job, options, Memory.of(self.entries)), Carrier(port), self, eye)
        self.heard += eye.heard
        return end

    def lists(self) -> dict[int, list[int]]:
        return {p: partition.replicas for (_, p), partition in self.model.partitions.items()}

    def throttles(self) -> dict[tuple[str, str], dict[str, str]]:
        return {of: values for of, values in self.model.configs.items() if values}

    def sends(self, name: str) -> int:
        return Counter(asked for asked, _ in self.fake.requests)[name]


AFTER = {p: new for p, (_, new) in MOVES.items()}


@pytest.fixture
def story() -> Iterator[Story]:
    """Partitions of 1 MB; each copy takes a quarter of a second."""
    partitions = {("t", p): Partition(list(old), 1_000_000) for p, (old, _) in MOVES.items()}
    with FakeKafka(Model(RACKS, partitions, speed=4e6)) as fake:
        yield Story(fake)


def flying(machine: Machine) -> bool:
    return len(machine.run.flying) >= 2


@pytest.mark.slow
def test_a_run_over_the_wire(story: Story) -> None:
    """The story without any trouble: the plan's lists, its leaders, no throttle."""
    end = story.run()
    assert (end.outcome, end.reasons) == ("finished", ())
    assert story.lists() == AFTER and story.throttles() == {}
    assert {p: partition.leader for (_, p), partition in story.model.partitions.items()} == {0: 3, 1: 4, 2: 0}


@pytest.mark.slow
def test_a_broker_cordoned_after_the_start_refuses_lists_that_keep_it(story: Story) -> None:
    """Kafka from KAFKA-20832 on takes no list with a broker whose log dirs are all cordoned, even one that
    holds the replica already: that partition is reported with the broker's word, the others are done."""
    story.model.refused["t", 1] = 39
    end = story.run()
    assert end.outcome == "incomplete"
    assert end.reasons == ("t-1 was skipped: the cluster refused it (INVALID_REPLICA_ASSIGNMENT)",)
    assert story.lists() == {**AFTER, 1: [1, 2, 0]} and story.throttles() == {}


@pytest.mark.slow
def test_an_order_that_cannot_be_restored_is_said(story: Story) -> None:
    """A cancel is not validated as a list is: it passes, and the old list is refused as long as the
    cordon lasts. What is left is said, and the next run puts it right."""
    story.model.stuck |= {("t", 0), ("t", 1)}

    def cancel() -> str:
        story.fake.hook = lambda name, request, broker: refuse_lists(story.model, name, request)
        return "cancel"

    end = story.run(once(cancel, flying))
    assert end.outcome == "cancelled"
    assert "t-0 could not be put back to [0,1,2]" in story.heard
    assert story.lists()[0] == [1, 2, 0] and story.throttles() == {}
    story.model.refused.clear()
    story.model.stuck.clear()
    story.fake.hook = lambda name, request, broker: None
    assert story.run(lambda machine: "cancel").outcome == "cancelled"
    assert story.lists()[0] == [0, 1, 2]


def refuse_lists(model: Model, name: str, request: Any) -> None:
    """Every list is refused, cancels pass."""
    if name == "AlterPartitionReassignments":
        rows = [(topic.name, row) for topic in request.topics for row in topic.partitions]
        model.refused = {(topic, row.partition_index): 39 for topic, row in rows if row.replicas}


@pytest.mark.parametrize(
    ("code", "name"),
    [(POLICY_VIOLATION, "POLICY_VIOLATION"), (CLUSTER_AUTHORIZATION_FAILED, "CLUSTER_AUTHORIZATION_FAILED")],
)
def test_a_request_refused_as_a_whole_skips_each_of_its_partitions(
    story: Story, code: int, name: str
) -> None:
    """Too many records, or no right to ALTER: the run ends, says why for each, and leaves no throttle."""
    story.fake.hook = lambda asked, request, broker: code if asked == "AlterPartitionReassignments" else None
    end = story.run()
    assert end.outcome == "incomplete"
    assert end.reasons == (f"t-0 and 2 more were skipped: the cluster refused it ({name})",)
    assert story.throttles() == {} and story.lists() == {p: old for p, (old, _) in MOVES.items()}


@pytest.mark.slow
def test_a_timeout_that_was_carried_out_all_the_same(story: Story) -> None:
    """REQUEST_TIMED_OUT says nothing: a look at what flies does, and nothing is skipped or sent twice."""
    answers = iter(["late"])
    story.fake.hook = lambda name, request, broker: (
        next(answers, None) if name == "AlterPartitionReassignments" else None
    )
    end = story.run()
    assert (end.outcome, end.reasons) == ("finished", ())
    assert story.lists() == AFTER


@pytest.mark.parametrize("name", ["AlterPartitionReassignments", "IncrementalAlterConfigs", "ElectLeaders"])
@pytest.mark.parametrize("wish", ["forget", "drop"])
@pytest.mark.slow
def test_answers_that_are_lost(story: Story, name: str, wish: str) -> None:
    """Carried out or not, the first answer of a kind never comes: the end is the plan's all the same."""
    wishes = iter([wish])
    story.fake.hook = lambda asked, request, broker: next(wishes, None) if asked == name else None
    end = story.run()
    assert (end.outcome, end.reasons) == ("finished", ())
    assert story.lists() == AFTER and story.throttles() == {}


@pytest.mark.slow
def test_the_controller_moves_on_with_every_request(story: Story) -> None:
    """NOT_CONTROLLER again and again: each is asked anew, none is taken for an answer."""

    def hop(name: str, request: Any, broker: int) -> int | None:
        if name in ("AlterPartitionReassignments", "ElectLeaders") and hops:
            hops.pop()
            story.model.controller = (broker + 1) % 6
            return NOT_CONTROLLER
        return None

    hops = [1, 2, 3]
    story.fake.hook = hop
    end = story.run()
    assert (end.outcome, end.reasons, hops) == ("finished", (), [])
    assert story.lists() == AFTER


@pytest.mark.slow
def test_a_target_that_takes_connections_and_never_answers(story: Story) -> None:
    """Frozen in mid-move: the run says that its copy waits, and ends once the broker answers again."""
    story.model.stuck.add(("t", 0))
    freeze = once(lambda: story.model.frozen.add(3), flying)

    def thaw() -> None:
        story.model.frozen.clear()
        story.model.stuck.clear()

    told = once(thaw, lambda machine: any(flight.told for flight in machine.run.flying.values()))
    end = story.run(lambda machine: freeze(machine) or told(machine))
    assert story.heard == ["t-0 is stuck: broker 3 is down: its copy waits until it is back"]
    assert (end.outcome, end.reasons) == ("finished", ()) and story.throttles() == {}
    assert story.lists() == AFTER


@pytest.mark.slow
def test_a_move_that_gets_nowhere_is_skipped_where_that_was_chosen(story: Story) -> None:
    """Nothing is copied though every broker lives: noticed by its bytes, cancelled, its order restored."""
    story.model.stuck.add(("t", 0))
    end = story.run(if_stuck="skip", stuck_after_s=5.0)
    assert len(end.reasons) == 1 and "t-0 was skipped: nothing is copied" in end.reasons[0]
    assert story.lists() == {**AFTER, 0: [0, 1, 2]} and story.throttles() == {}


@pytest.mark.slow
def test_a_rate_from_the_brokers_file_shines_through_again(story: Story) -> None:
    """After ours is deleted a rate is still read, from the file: no left-over, and not ours to delete."""
    story.model.static["broker", "3"] = {RATE: "777"}
    end = story.run()
    assert (end.outcome, end.reasons) == ("finished", ()) and story.throttles() == {}
    (saved,) = (entry["brokers"]["3"] for entry in story.entries if entry["type"] == "rates")
    assert saved[RATE] is None


def test_an_empty_election_asks_for_nothing(story: Story) -> None:
    """A request without a list would elect on every partition of the cluster."""
    with KafkaPort(story.fake.bootstrap) as port:
        assert port.elect_preferred([]) == {}
    assert story.sends("ElectLeaders") == 0


def test_what_a_broker_does_not_tell_of_its_disks(story: Story) -> None:
    """A volume of unknown size is -1, and a broker may refuse to show its log dirs at all."""
    story.model.volume_bytes = story.model.usable_bytes = -1
    with KafkaPort(story.fake.bootstrap) as port:
        dirs = port.log_dirs([0])[0]
        assert [(one.total_bytes, one.usable_bytes) for one in dirs] == [(None, None)] * 2  # type: ignore[union-attr]
        story.fake.hook = lambda name, request, broker: (
            CLUSTER_AUTHORIZATION_FAILED if name == "DescribeLogDirs" else None
        )
        assert port.log_dirs([0])[0].code == "CLUSTER_AUTHORIZATION_FAILED"  # type: ignore[union-attr]
