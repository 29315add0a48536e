"""Who is down: every source that tells is used, one that says so is believed, and nothing is invented."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import orjson
import pytest

from equipoise.cluster import Cluster
from equipoise.cluster.health import Health
from equipoise.files.sources import merge, parse_file, read_sources

STORY = Path(__file__).parents[2] / "data" / "mid-move"
Lists = Sequence[Sequence[int]]

DIRS = '{"version":1,"brokers":[%s]}'
ENDPOINTS = "ID         HOST       PORT       RACK       STATE      ENDPOINT_TYPE\n"


def describe(lists: Lists, isr: Sequence[Sequence[int]], topic: str = "pay", more: str = "") -> str:
    """``kafka-topics --describe``; who is first in sync leads, and where nobody is, nobody does."""
    return "".join(
        f"Topic: {topic}\tPartition: {p}\tLeader: {next(iter(there), 'none')}\tReplicas: {ids(held)}\t"
        f"Isr: {ids(there)}{more}\n"
        for p, (held, there) in enumerate(zip(lists, isr, strict=True))
    )


def kcat(up: Iterable[int], lists: Lists, isr: Lists | None = None) -> str:
    def some(brokers: Iterable[int]) -> list[dict[str, int]]:
        return [{"id": broker} for broker in brokers]

    partitions = [{"partition": p, "leader": held[0], "replicas": some(held)} for p, held in enumerate(lists)]
    for entry, there in zip(partitions, isr or (), strict=bool(isr)):
        entry["isrs"] = some(there)
    topics = [{"topic": "pay", "partitions": partitions}]
    return orjson.dumps({"controllerid": 1, "brokers": some(up), "topics": topics}).decode()


def saved(lists: Lists) -> str:
    """Reassignment JSON, which tells who holds what and nothing else."""
    rows = [{"topic": "pay", "partition": p, "replicas": held} for p, held in enumerate(lists)]
    return orjson.dumps({"version": 1, "partitions": rows}).decode()


def versions(*up: int) -> str:
    return "".join(f"b{b}:9092 (id: {b} rack: null) -> (\n)\n" for b in up)


def log_dirs(*answered: int) -> str:
    return DIRS % ",".join(f'{{"broker":{b},"logDirs":[]}}' for b in answered)


def ids(brokers: Iterable[int]) -> str:
    return ",".join(map(str, brokers))


def cluster(**sources: str) -> Cluster:
    return merge([parse_file(text.encode(), name) for name, text in sources.items()], "orders")


def down(**sources: str) -> dict[int, str]:
    """Brokers that are down, and how that is known."""
    brokers = cluster(**sources).brokers
    return {b: why for b, why in zip(brokers.ids.tolist(), brokers.down, strict=True) if why is not None}


THREE = [[1, 2], [2, 3], [3, 1]]
WITHOUT_3 = [[1, 2], [2], [1]]


# what an ISR tells


def test_a_broker_in_no_isr_although_it_holds_replicas() -> None:
    """Each of its partitions is led by another, and it is in sync with none."""
    assert down(topics=describe(THREE, WITHOUT_3)) == {3: "in no Isr of topics"}
    assert down(topics=describe(THREE, THREE)) == {}


def test_a_follower_that_is_behind_is_alive() -> None:
    """One Isr that has it is enough."""
    assert down(topics=describe(THREE, [[1, 2], [2], [3, 1]])) == {}


def test_a_broker_without_replicas_cannot_be_seen_from_an_isr() -> None:
    """It is known from a list of racks alone."""
    assert down(topics=describe(THREE, THREE), racks="1,a\n2,b\n3,c\n4,a\n") == {}


@pytest.mark.parametrize("left", ["3", ""])
def test_the_last_member_of_an_isr_without_a_leader_is_no_sign_of_life(left: str) -> None:
    """Kafka keeps it there when it is down; newer versions may show none."""
    text = describe([[1, 2]], [[1, 2]]) + (
        f"Topic: log\tPartition: 0\tLeader: none\tReplicas: 3\tIsr: {left}\n"
        f"Topic: log\tPartition: 1\tLeader: -1\tReplicas: 3\tIsr: {left}\n"
    )
    found = cluster(topics=text)
    assert down(topics=text) == {3: "in no Isr of topics"}
    assert Health(found).leaderless.tolist() == [True, True, False]
    assert Health(found).stuck.tolist() == [True, True, False]


def test_what_is_being_added_is_not_in_sync_yet() -> None:
    """Broker 4 gets its first partitions: that it is in no Isr says nothing."""
    moving = "\tAdding Replicas: 4\tRemoving Replicas: 1"
    topics = describe([[4, 2, 1], [4, 3, 1]], [[2, 1], [3, 1]], more=moving)
    assert down(topics=topics, racks="4,a\n") == {}


def test_what_is_being_added_according_to_another_source() -> None:
    """kcat does not show what of a list is new; ``--list`` does."""
    union, isr = [[4, 2, 1], [4, 3, 1]], [[2, 1], [3, 1]]
    moves = "Current partition reassignments:\n" + "".join(
        f"pay-{p}: replicas: {ids(held)}. adding: 4. removing: 1.\n" for p, held in enumerate(union)
    )
    assert down(topology=kcat([1, 2, 3, 4], union, isr), moves=moves) == {}


def test_what_is_being_moved_away_from_a_broker_that_is_down() -> None:
    """Broker 1 is drained since it is down; its replicas are still there, and not in sync."""
    moving = "\tAdding Replicas: 4\tRemoving Replicas: 1"
    assert down(topics=describe([[4, 2, 1], [4, 3, 1]], [[2], [3]], more=moving)) == {
        1: "in no Isr of topics"
    }


def test_a_new_copy_that_has_caught_up_is_a_sign_of_life() -> None:
    """Broker 4 fell behind with what it held, and is in sync with what it gets."""
    moving = describe([[4, 2, 1]], [[2, 1, 4]], more="\tAdding Replicas: 4\tRemoving Replicas: 1")
    assert down(topics=moving + describe([[1, 4]], [[1]], "log")) == {}


def test_a_source_without_an_isr_tells_nothing() -> None:
    """Saved lists, and kcat or Cruise Control without the column."""
    assert down(saved=saved(THREE)) == {}
    assert down(topology=kcat([1, 2, 3], THREE)) == {}
    assert not cluster(topology=kcat([1, 2, 3], THREE)).isr_told.any()


def test_kcat_and_cruise_control_tell_the_isr_too() -> None:
    assert down(topology=kcat([1, 2], THREE, WITHOUT_3)) == {
        3: "in no Isr of topology, not among the brokers that topology lists as up"
    }
    rows = [
        {"topic": "pay", "partition": p, "leader": there[0], "replicas": held, "in-sync": there}
        for p, (held, there) in enumerate(zip(THREE, WITHOUT_3, strict=True))
    ]
    lists = {"other": rows[:1], "urp": rows[1:]}
    state = orjson.dumps({"KafkaPartitionState": lists}).decode()
    assert down(state=state) == {3: "in no Isr of state"}
    without = state.replace('"in-sync"', '"in-time"')
    assert down(state=without) == {}


def test_a_source_that_calls_it_up_itself_saw_it_behind() -> None:
    """kcat lists broker 3, which has just come back and is in sync with nothing yet."""
    assert down(topology=kcat([1, 2, 3], THREE, WITHOUT_3)) == {}


def test_a_list_that_is_longer_than_others_may_be_in_flight() -> None:
    """No source tells what is being added; pay-0 has a replica more than pay-1: broker 4 may be new there."""
    lists, isr = [[4, 2, 1], [2, 1]], [[2, 1], [2, 1]]
    assert down(topics=describe(lists, isr)) == {}
    assert down(topics=describe([[4, 2], [2, 1]], [[2], [2, 1]])) == {4: "in no Isr of topics"}


@pytest.mark.parametrize("file", ["describe.txt", "kcat.json", "state.json"])
def test_in_the_middle_of_a_move_all_are_alive(file: str) -> None:
    """Each tool by itself, of a broker that has just been added."""
    assert not any(read_sources([STORY / file]).brokers.down)


def test_files_of_different_topics_are_one_source() -> None:
    """Broker 3 is behind with all it holds of one topic, and leads in the other file."""
    behind, well = describe(THREE, WITHOUT_3), describe([[3, 1]], [[3, 1]], "log")
    assert down(a=behind, b=well) == {}


# lists of who is up


def test_a_broker_that_is_missing_from_a_list_of_those_that_are_up() -> None:
    """The lists are a saved assignment; broker 4 holds nothing and is known by its rack."""
    told = "not among the brokers that up lists as up"
    assert down(saved=saved(THREE), racks="4,a\n", up=versions(1, 2)) == {3: told, 4: told}


def test_a_list_of_nobody_tells_nothing() -> None:
    """kcat's brokers may have been cut out."""
    assert down(topology=kcat([], THREE)) == {}


def test_a_fenced_broker() -> None:
    rows = "1 b1 9092 a unfenced broker\n2 b2 9092 b unfenced broker\n3 b3 9092 c fenced broker\n"
    assert down(saved=saved(THREE), ends=ENDPOINTS + rows) == {3: "fenced according to ends"}


def test_an_answer_that_is_an_error() -> None:
    error = "b3:9092 (id: 3 rack: null) -> ERROR: org.apache.kafka.common.errors.TimeoutException\n"
    assert down(saved=saved(THREE), up=versions(1, 2) + error) == {3: "without an answer according to up"}


# Cruise Control


def test_cruise_controls_word_for_a_broker() -> None:
    """Where it has none, nothing is told."""
    load = '{"brokers":[{"Broker":1,"BrokerState":"ALIVE"},{"Broker":2},{"Broker":3,"BrokerState":"DEAD"}]}'
    assert down(saved=saved(THREE), load=load) == {3: "DEAD according to load"}


@pytest.mark.parametrize(("mark", "told"), [("broker_dead", True), ("timed_out", False)])
def test_cruise_controls_mark_in_place_of_log_dirs(mark: str, told: bool) -> None:
    """A broker whose log dirs took too long may be busy."""
    rows = [{"topic": "pay", "partition": p, "replicas": held} for p, held in enumerate(THREE)]
    state = {
        "KafkaPartitionState": {"other": rows},
        "KafkaBrokerState": {"OnlineLogDirsByBrokerId": {"1": ["/d"], "3": [mark]}},
    }
    said = {3: "broker_dead according to state"} if told else {}
    assert down(state=orjson.dumps(state).decode()) == said


# log dirs


def test_a_broker_that_did_not_answer_for_its_log_dirs() -> None:
    """The tool asks all; several files are one answer."""
    assert down(saved=saved(THREE), dirs=log_dirs(1, 2)) == {3: "without an answer in dirs"}
    assert down(saved=saved(THREE), dirs=log_dirs(1, 2), more=log_dirs(3)) == {}


def test_no_answer_from_one_that_is_in_sync() -> None:
    """The tool may have been asked of broker 1 alone: who is in an Isr is up."""
    assert down(topics=describe(THREE, THREE), dirs=log_dirs(1)) == {}


def test_no_answer_from_anybody_tells_nothing() -> None:
    """Nobody was allowed to ask."""
    assert down(saved=saved(THREE), dirs=log_dirs()) == {}


def test_log_dirs_say_nothing_of_a_broker_without_replicas() -> None:
    """It may have come after the question."""
    assert down(saved=saved(THREE), racks="4,a\n", dirs=log_dirs(1, 2, 3)) == {}


# sources that disagree


def test_the_source_that_saw_it_down_is_believed_and_the_other_is_named() -> None:
    topics, behind = describe(THREE, THREE), describe(THREE, WITHOUT_3)
    assert down(topics=topics, up=versions(1, 2)) == {
        3: "not among the brokers that up lists as up; but in sync according to topics"
    }
    assert down(topics=behind, up=versions(1, 2, 3)) == {3: "in no Isr of topics; but up according to up"}
    assert down(topics=behind, later=topics) == {3: "in no Isr of later, topics"}


def test_all_that_speaks_against_a_broker_is_said_at_once() -> None:
    assert down(topics=describe(THREE, WITHOUT_3), up=versions(1, 2), dirs=log_dirs(1, 2)) == {
        3: "in no Isr of topics, not among the brokers that up lists as up, without an answer in dirs"
    }


def test_who_saw_no_leader_is_believed() -> None:
    """Between two questions the leader of pay-0 was lost."""
    before, after = describe([[1, 2]], [[1, 2]]), describe([[1, 2]], [[]])
    assert cluster(a=before, b=after).leader.tolist() == [-1]
    assert cluster(a=before, b=saved([[1, 2]])).leader.tolist() == [0]


def test_the_order_of_sources_does_not_matter() -> None:
    sources = {"topics": describe(THREE, WITHOUT_3), "up": versions(1, 2), "dirs": log_dirs(1, 2)}
    assert down(**sources) == down(**dict(reversed(sources.items())))
