"""What is told of a run: nothing is called done that is not, and nothing is said a thousand times."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from stories import MB, ONE, OPTIONS, SMALL, Log, Story, Watcher, halfway, once, story, tp, with_options

from equipoise.execution.drained import Drained
from equipoise.execution.driver import drive
from equipoise.execution.instructions import End
from equipoise.execution.machine import Machine
from equipoise.execution.memory import Memory
from equipoise.execution.port import Failure
from equipoise.execution.simulated import SimulatedCarrier


def test_a_drained_broker_that_is_not_empty_is_named() -> None:
    """Topics and partitions that came while its replicas went: whoever took it away would lose them."""
    told = story({"pay-0": ([4, 1], [3, 1]), "log-0": ([4, 2], [4, 2])})
    told.job = replace(told.job, drained=Drained({4: frozenset({tp("log-0")})}))

    def grow() -> None:
        for number in range(7):
            told.model.create("new", number, [4, 0])

    told.face = Watcher(once(grow, halfway))
    end = told.run()
    assert (end.outcome, end.figures["done"]) == ("finished", 2)
    assert end.reasons == (
        "broker 4 is not empty: it holds 7 replicas (new-0, new-1, new-2, new-3, new-4 and 2 more);"
        " plan --drain 4 again, on Kafka 4.3 with its log dirs cordoned, so that nothing new comes",
    )
    told.model.delete_topic("new")
    assert told.resume().reasons == ()


def test_other_topics_that_came_to_a_drained_broker_are_not_its_business() -> None:
    """A plan with `--topics` and another for other topics run side by side: each empties its own."""
    told = story({"pay-0": ([4, 1], [3, 1])})
    told.job = replace(told.job, drained=Drained({4: frozenset()}, topics="pay.*", exclude_topics="pay-old"))

    def grow() -> None:
        for topic in ("log", "pay-old", "pay-new"):
            told.model.create(topic, 0, [4, 0])

    told.face = Watcher(once(grow, halfway))
    (reason,) = told.run().reasons
    assert reason.startswith("broker 4 is not empty: it holds 1 replica (pay-new-0);")


def test_a_run_that_gave_all_up_is_not_finished() -> None:
    """Nothing was moved: the journal says so too, and the next run tries again."""
    told = story(ONE)
    told.model.alter_configs = lambda changes: (  # type: ignore[method-assign]
        dict.fromkeys(changes, Failure("CLUSTER_AUTHORIZATION_FAILED"))
    )
    end = told.run()
    assert end.outcome == "incomplete" and told.log.entries[-1]["outcome"] == "incomplete"
    assert Memory.of(told.log.entries).unfinished
    del told.model.alter_configs
    assert told.resume().outcome == "finished"


def test_what_somebody_else_cancelled_is_a_place_to_start_from() -> None:
    """Kafka's cancel leaves another order: taken up it is moved after all, rolled back it gets its order."""
    for way in ("apply", "rollback"):
        told = story({**ONE, "log-0": ([1, 2], [4, 2])})
        told.face = Watcher(once(lambda: told.model.alter_reassignments({tp("pay-0"): None}), halfway))  # noqa: B023
        assert told.run().outcome == "incomplete"
        assert told.lists()["pay-0"] == (1, 2, 0)
        told.face = Watcher()
        end = told.resume(job=told.job if way == "apply" else told.job.way_back)
        assert (end.outcome, end.reasons) == ("finished", ()), way
        assert told.lists()["pay-0"] == ((3, 1, 2) if way == "apply" else (0, 1, 2))


def test_a_roll_back_does_what_fits_and_names_the_rest() -> None:
    """One partition went elsewhere by another hand: the others go back all the same."""
    told = story(SMALL)
    told.run()
    told.model.replicas[tp("pay-0")] = (5, 1, 2)
    end = told.resume(job=told.job.way_back)
    assert (end.outcome, end.reasons) == ("incomplete", ("pay-0 has [5,1,2] instead of [0,1,2]",))
    before = {name: tuple(before) for name, (before, _) in sorted(SMALL.items())}
    assert told.lists() == {**before, "pay-0": (5, 1, 2)}


BACK = {"pay-0": ([0, 1, 2], [3, 1, 2]), "log-0": ([2, 4], [4, 2])}
"""What is copied back to broker 0, and what is put in its order of before."""


def rolled_back_without(broker: int, **options: Any) -> tuple[Story, End]:
    """A plan that was carried out, and its roll back once a broker has died."""
    told = story(BACK)
    told.run()
    told.model.kill(broker)
    return told, told.resume(with_options(**options), job=told.job.way_back)


def test_a_roll_back_is_not_begun_onto_a_broker_that_is_down() -> None:
    """Kafka would take the list, and the copy would wait for ever: nothing is changed."""
    told, end = rolled_back_without(0)
    assert (end.outcome, end.reasons) == ("refused", ("broker 0 is to receive replicas and is down",))
    assert told.lists() == {name: tuple(after) for name, (_, after) in sorted(BACK.items())}


def test_a_roll_back_from_a_broker_that_is_down_is_done() -> None:
    """Who is down is what it takes away: lists and leaders are those from before, no throttle is left."""
    told, end = rolled_back_without(3)
    assert (end.outcome, end.reasons) == ("finished", ())
    assert told.lists() == {name: tuple(before) for name, (before, _) in sorted(BACK.items())}
    assert told.leaders() == {"log-0": 2, "pay-0": 0} and told.throttles() == {}


def test_a_roll_back_submits_no_list_with_a_broker_that_is_down() -> None:
    """The cluster is not well, and the roll back does not mend it: refused; where it is to begin all the same
    what needs the broker is skipped, and named."""
    told, end = rolled_back_without(2)
    assert end.outcome == "refused" and "log-0 is under-replicated: broker 2 is not in its ISR" in end.reasons
    told, end = rolled_back_without(2, despite_sick=True, if_stuck="skip")
    said = "log-0 and 1 more were skipped: a broker it needs is down or cordoned"
    assert (end.outcome, end.reasons) == ("incomplete", (said,))
    assert told.lists() == {name: tuple(after) for name, (_, after) in sorted(BACK.items())}
    assert told.throttles() == {}


def test_what_is_skipped_for_one_reason_is_one_line() -> None:
    """A missing right and two thousand moves are not two thousand lines."""
    told = story({f"pay-{i}": ([0, 1], [3, 1]) for i in range(40)})
    told.model.alter_configs = lambda changes: (  # type: ignore[method-assign]
        dict.fromkeys(changes, Failure("CLUSTER_AUTHORIZATION_FAILED"))
    )
    end = told.run(with_options(max_inflight=100))
    why = "no throttle can be set on broker 0 (CLUSTER_AUTHORIZATION_FAILED)"
    assert told.face.heard == [f"pay-0 and 39 more are skipped: {why}"]
    assert end.reasons == (f"pay-0 and 39 more were skipped: {why}",)


@pytest.mark.parametrize("if_stuck", ["wait", "skip"])
def test_a_log_dir_that_fails_is_named_now_and_then(if_stuck: str) -> None:
    """One line a move and minute, not one a poll; the way out that was chosen is taken."""
    told = story(ONE)
    told.face = Watcher(lambda machine: fails(machine) or mends(machine))
    fails = once(lambda: told.model.fail(3), halfway)
    mends = once(lambda: told.model.fail(3, failed=False), lambda machine: told.model.now > 200)
    end = told.run(with_options(if_stuck=if_stuck, stuck_after_s=120.0))
    why = "pay-0 is stuck: nothing is copied, and log dir /data/a of broker 3 has failed"
    assert told.face.heard[0] == why
    if if_stuck == "wait":
        assert [line.partition(", for")[0] for line in told.face.heard] == [why] * len(told.face.heard)
        assert 2 <= len(told.face.heard) <= 5 and end.outcome == "finished"
    else:
        assert end.outcome == "incomplete" and told.lists() == {"pay-0": (0, 1, 2)}


def test_a_topic_that_grows_is_never_more_than_whole() -> None:
    """Nor does what is left of it take less than no time."""
    from equipoise.cli.faces import Pace

    told, pace, lines = story(ONE), Pace(), list[str]()

    def grow() -> None:
        told.model.size[tp("pay-0")] += 10 * MB
        told.model.stale = True

    grows = once(grow, halfway)

    def look(machine: Machine) -> None:
        grows(machine)
        pace.see(machine, told.model.now)
        lines.append(pace.line(machine))
        assert not pace.left(machine) < 0

    told.face = Watcher(look)
    told.run()
    assert any("24.8 MiB of 24.8 MiB copied" in line for line in lines), lines


def test_driving_needs_a_face_that_agrees() -> None:
    """A guard: the stories above begin something."""
    told = story(ONE)
    end = drive(Machine(told.job, OPTIONS), SimulatedCarrier(told.model), Log(), Watcher())
    assert end.outcome == "finished"


def test_a_move_that_can_neither_go_on_nor_back_is_tried_now_and_then() -> None:
    """Kafka refuses the cancel: the move keeps its throttle, and the journal does not fill up with tries."""
    told = story(ONE)
    told.model.fail(3)
    alter = told.model.alter_reassignments
    told.model.alter_reassignments = lambda targets: (  # type: ignore[method-assign]
        dict.fromkeys(targets, Failure("INVALID_REPLICA_ASSIGNMENT"))
        if None in targets.values()
        else alter(targets)
    )
    told.face = Watcher(lambda machine: "leave" if told.model.now > 300 else None)
    end = told.run(with_options(if_stuck="skip", stuck_after_s=30.0))
    assert end.outcome == "left" and told.throttles()
    assert len([entry for entry in told.log.entries if entry["type"] == "cancel"]) < 12
