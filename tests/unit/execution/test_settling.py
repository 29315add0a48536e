"""Copies between the log dirs of a broker: whoever leaves them, their throttle stays as long as they do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from dir_stories import places, with_dirs
from stories import MB, RATES, Killed, Log, Recorder, Story, Watcher, once, story, tp, with_options

from equipoise.execution import instructions as ask
from equipoise.execution.machine import Machine
from equipoise.execution.memory import Memory
from equipoise.execution.orders import Orders
from equipoise.execution.port import Failure, Replica, Resource
from equipoise.execution.simulated import SimulatedCluster

DIR_RATE = "replica.alter.log.dirs.io.max.bytes.per.second"
MOVES = {"pay-0": ([0, 1], [1, 0]), "log-0": ([2, 0], [3, 0])}
THERE = {"log-0@0": "/data/b", "pay-0@1": "/data/b"}
THROTTLED = {Resource.broker(broker): {DIR_RATE: str(2 * MB)} for broker in (0, 1)}


def slow() -> Story:
    """A copy between brokers 2 and 3, and one between the log dirs of 0 and of 1: ten seconds each."""
    return with_dirs(story(MOVES, dir_bytes_per_s=100.0 * MB), pay_0_1="/data/b", log_0_0="/data/b")


def settles(machine: Machine) -> bool:
    return bool(machine.run.memory.dir_moves) and machine.run.phase == "settling"


def stopped(told: Story, how: str, **orders: Any) -> Any:
    """A run that is asked to stop while replicas are copied between log dirs."""
    told.face = Watcher(once(lambda: how, settles))
    look = told.face.on_show
    told.face.on_show = lambda machine: how if look(machine) or asked(machine, how) else None
    return told.run(**orders)


def begun(machine: Machine) -> bool:
    return machine.run.phase == "moving"


def asked(machine: Machine, how: str) -> bool:
    return settles(machine) and machine.run.stop is None


def test_copies_between_dirs_are_throttled_as_long_as_they_last() -> None:
    """No longer are brokers throttled for moves that are over; in the end nothing is left."""
    told = slow()
    seen: list[dict[Resource, dict[str, str]]] = []

    def look(machine: Machine) -> None:
        if told.model.between:
            seen.append({of: dict(values) for of, values in told.throttles().items()})

    told.face = Watcher(look)
    end = told.run()
    assert (end.outcome, end.reasons, told.throttles()) == ("finished", (), {})
    assert places(told) == THERE and told.model.now > 20
    assert len(seen) > 10 and all(one == THROTTLED for one in seen)


def test_who_leaves_keeps_their_throttle_on() -> None:
    """It is said, with what ends it; the next run watches them to their end."""
    told = slow()
    end = stopped(told, "leave")
    assert end.outcome == "left" and end.figures["between log dirs"] == 2
    assert end.reasons == (
        "2 copies between log dirs go on in Kafka and the throttle stays on: `apply --resume` sees them to"
        " their end and takes it off, `cancel` puts them back and takes it off",
    )
    assert told.throttles() == THROTTLED and len(told.model.between) == 2
    told.face = Watcher()
    end = told.resume()
    assert (end.outcome, end.reasons, told.throttles()) == ("finished", (), {})
    assert places(told) == THERE


def test_a_copy_that_does_not_get_on_is_called_stuck() -> None:
    """After a while, and again after a minute; once the disk writes again it ends as any other."""
    told, said = slow(), list[tuple[float, str]]()
    told.face.say = lambda text: said.append((told.model.now, text))  # type: ignore[method-assign]

    def fail(machine: Machine) -> None:
        told.model.dir_bytes_per_s = 0.0 if len(said) < 4 else 100.0 * MB

    told.face.on_show = fail
    end = told.run()
    assert (end.outcome, end.reasons, told.throttles()) == ("finished", (), {})
    assert places(told) == THERE
    first, _, third, _ = (moment for moment, _ in said)
    assert {text for _, text in said} == {
        "log-0 on broker 0 is stuck: nothing is copied to /data/b",
        "pay-0 on broker 1 is stuck: nothing is copied to /data/b",
    }
    assert 60 <= third - first < 65


def test_a_copy_that_does_not_get_on_is_given_up_where_that_was_chosen() -> None:
    """It is ended, its replica stays where it lies, and the run says so at its end."""
    told = slow()
    told.face.on_show = lambda machine: setattr(told.model, "dir_bytes_per_s", 0.0)
    end = told.run(with_options(if_stuck="skip"))
    assert end.reasons == (
        "log-0 on broker 0 did not come to /data/b: nothing is copied",
        "pay-0 on broker 1 did not come to /data/b: nothing is copied",
    )
    assert (told.model.between, places(told), told.throttles()) == ({}, {}, {})


def test_a_cancel_leaves_replicas_where_they_are() -> None:
    """In the run itself, or of one that was left; then nothing of it goes on, and no throttle is left."""
    told = slow()
    end = stopped(told, "cancel")
    assert (end.outcome, end.reasons) == ("cancelled", ())
    assert (told.model.between, places(told), told.throttles()) == ({}, {}, {})
    told = slow()
    stopped(told, "leave")
    told.face = Watcher()
    told.job = replace(told.job, dirs={})  # a file that chose dirs is not given again
    end = told.resume(stop="cancel")
    assert (end.outcome, end.reasons, end.figures["between log dirs"]) == ("cancelled", (), 0)
    assert (told.model.between, places(told), told.throttles()) == ({}, {}, {})


@pytest.mark.parametrize("over", [False, True], ids=["asked", "its time is over"])
def test_who_finishes_sees_them_to_their_end(over: bool) -> None:
    """What has not begun stays for the next run."""
    told = slow()

    def without_0(brokers: Any, partitions: Any = None) -> Any:
        found = SimulatedCluster.log_dirs(told.model, brokers, partitions)
        return {**found, 0: Failure("UNREACHABLE")} if 0 in found else found

    told.model.log_dirs = without_0  # type: ignore[method-assign]
    if over:
        end = told.run(helm=lambda: Orders(over=bool(told.model.between)))
    else:
        end = stopped(told, "finish")
    assert (end.outcome, told.throttles(), told.model.between) == ("stopped", {}, {})
    del told.model.log_dirs  # type: ignore[method-assign]
    assert places(told) == {"pay-0@1": "/data/b"}
    told.face = Watcher()
    assert told.resume().outcome == "finished" and places(told) == THERE


def test_a_fault_leaves_their_throttle_on() -> None:
    """It is raised again; the next run sees them to their end."""

    class Faulty(Recorder):
        def perform(self, instruction: Any) -> Any:
            if isinstance(instruction, ask.LookIntoDirs) and told.model.between and not fallen:
                fallen.append(instruction)
                raise KeyError("a fault of ours")
            return super().perform(instruction)

    told, fallen = slow(), list[Any]()
    with pytest.raises(KeyError):
        told.run(carrier=Faulty(told.model))
    assert told.throttles() == THROTTLED and len(told.model.between) == 2
    assert any("2 copies between log dirs go on" in line for line in told.face.heard)
    assert told.resume().outcome == "finished" and told.throttles() == {}


@pytest.mark.parametrize("stop", [None, "cancel"])
def test_a_kill_at_any_entry_loses_none(stop: str | None) -> None:
    """Whatever was noted last, the next process ends what goes on and takes every throttle off."""
    whole = slow()
    whole.run()
    for last in range(1, len(whole.log.entries)):
        told = slow()
        told.log.kill_after = last
        with pytest.raises(Killed):
            told.run()
        told.log = Log(told.log.entries)
        end = told.resume(stop=stop)
        assert (end.reasons, told.model.between, told.throttles()) == ((), {}, {}), last
        if stop is None:
            assert (end.outcome, places(told)) == ("finished", THERE), last


def test_their_rate_is_set_again_aloud() -> None:
    """As that of moves between brokers."""
    told = slow()
    told.model.dir_bytes_per_s = 4.0 * MB
    gone = once(lambda: told.model.alter_configs({Resource.broker(1): {DIR_RATE: None}}), settles)
    told.face = Watcher(lambda machine: gone(machine) and None)
    end = told.run()
    assert (end.outcome, end.reasons, told.throttles()) == ("finished", (), {})
    assert told.face.heard == ["somebody took our throttle off broker 1 while moves are in flight: set again"]
    assert told.model.now > 18


def test_orders_are_heard_while_they_last() -> None:
    """Another rate is in force at the next look; while a run is paused none begins."""
    told, rates = slow(), set[str | None]()
    told.face = Watcher(lambda m: rates.add(told.model.settings[Resource.broker(1)].get(DIR_RATE)))
    end = told.run(helm=lambda: Orders(throttle=5 * MB if told.model.between else None))
    assert end.outcome == "finished" and rates == {None, str(2 * MB), str(5 * MB)}
    assert told.model.now < 19
    told, phases = slow(), set[tuple[str, int]]()
    told.face = Watcher(lambda m: phases.add((m.run.phase, len(told.model.between))))
    hold = lambda: Orders("paused" if 5 < told.model.now < 60 else "")  # noqa: E731
    assert told.run(helm=hold).outcome == "finished" and told.model.now > 60
    assert ("paused", 0) in phases and ("paused", 2) not in phases


def test_a_rate_of_somebody_else_is_named_and_nothing_begins() -> None:
    """Also where a broker only copies between its own dirs, and where it comes in mid-run."""
    told = with_dirs(story({"pay-0": ([0, 1], [1, 0])}, dir_bytes_per_s=9.0 * MB), pay_0_1="/data/b")
    told.model.alter_configs({Resource.broker(1): {DIR_RATE: "7"}})
    end = told.run()
    assert end.outcome == "refused" and f"broker 1 has {DIR_RATE}=7" in end.reasons[0]
    told.model.settings.clear()
    come = once(lambda: told.model.alter_configs({Resource.broker(1): {DIR_RATE: "7"}}), begun)
    go = once(lambda: told.model.settings.clear(), lambda m: told.model.now > 30)
    told.face = Watcher(lambda machine: come(machine) or go(machine))
    end = told.run()
    assert (end.outcome, end.reasons, told.throttles()) == ("finished", (), {})
    assert told.model.now > 40
    assert f"broker 1 has {DIR_RATE}=7, which this run did not set: its copies between log dirs wait" in (
        told.face.heard
    )


def test_a_rate_that_somebody_copies_with_is_no_left_over() -> None:
    """On any broker; once that copy is there, it is, and may be cleared."""
    told = with_dirs(story({"pay-0": ([0, 1], [1, 0])}, dir_bytes_per_s=MB / 100), pay_0_1="/data/b")
    told.model.create("old", 0, [4, 1])
    told.model.alter_configs({Resource.broker(b): {DIR_RATE: "7"} for b in (1, 4)})
    told.model.size[tp("old-0")] = 70.0
    told.model.place(Replica("old", 0, 4), "/data/b")
    told.face.clears = True
    end = told.run()
    assert end.outcome == "refused" and "; broker 4 copies between its log dirs: wait" in end.reasons[0]
    told.model.advance(11)
    told.model.dir_bytes_per_s = 9.0 * MB
    assert told.run().reasons == () and told.throttles() == {}


def test_a_roll_back_turns_them_back() -> None:
    """What is still on its way is told to stay where it lies; what has arrived goes back, throttled."""
    told = slow()
    told.job = replace(told.job, dirs_before=dict.fromkeys(told.job.dirs, "/data/a"))
    stopped(told, "leave")
    told.model.dirs[Replica("log", 0, 0)] = "/data/b"
    del told.model.between[Replica("log", 0, 0)]
    told.face = Watcher()
    end = told.resume(job=told.job.way_back)
    assert (end.outcome, end.reasons, told.throttles()) == ("finished", (), {})
    assert (told.model.between, places(told)) == ({}, {})


def test_without_its_journal_they_are_adopted() -> None:
    """Copies to where the plan wants them, and their throttle."""
    told = slow()
    stopped(told, "leave")
    told.log.entries.clear()
    told.face = Watcher()
    end = told.run(with_options(adopt=True), stop="cancel")
    assert (end.outcome, end.reasons) == ("cancelled", ())
    assert (told.model.between, told.throttles()) == ({}, {})


def test_who_ends_every_copy_is_not_fought_for_ever() -> None:
    """Begun three times, then named."""
    told = slow()
    told.face = Watcher(lambda machine: told.model.between.pop(Replica("pay", 0, 1), None) and None)
    end = told.run()
    why = "its copy was begun 3 times, and somebody ended it each time"
    assert end.reasons == (f"pay-0 on broker 1 did not come to /data/b: {why}",)
    assert told.throttles() == {} and places(told) == {"log-0@0": "/data/b"}


def test_a_question_is_asked_for_log_dirs_alone() -> None:
    """As often as something is to be changed, and no more."""
    told, asked_for = slow(), list[int]()

    def confirm(question: ask.Confirm) -> bool:
        asked_for.append(question.dirs)
        return True

    told.face.confirm = confirm  # type: ignore[method-assign]
    told.run()
    told.run()
    assert asked_for == [2, 0] and Memory.of(told.log.entries).dir_moves == {}
    assert not any(key in told.model.settings[Resource.broker(3)] for key in RATES)
    assert told.model.replicas[tp("log-0")] == (3, 0)
