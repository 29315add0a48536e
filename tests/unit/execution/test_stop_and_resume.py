"""Stopping, cancelling, rolling back; and being killed at any instruction, then resumed."""

from __future__ import annotations

from typing import Any

import pytest
from stories import MB, OPTIONS, SMALL, Killed, Log, Recorder, Story, Watcher, story, tp, with_options

from equipoise.execution.machine import Machine
from equipoise.execution.port import Resource
from equipoise.execution.simulated import SimulatedCluster

BEFORE = {name: tuple(before) for name, (before, _) in sorted(SMALL.items())}
AFTER = {name: tuple(after) for name, (_, after) in sorted(SMALL.items())}
CANCELLED = {**BEFORE, "log-0": AFTER["log-0"], "tmp-0": AFTER["tmp-0"]}
"""After a cancel what copies nothing has already landed, and stays."""
ENDS = {"apply": AFTER, "rollback": BEFORE, "cancel": CANCELLED}


def stop_halfway(how: str) -> Watcher:
    """Ctrl-C once, answered with ``how``, when 10 MB are copied."""
    asked: list[str] = []

    def look(machine: Machine) -> str | None:
        if asked or machine.run.bytes_now()[0] < 10 * MB:
            return None
        asked.append(how)
        return how

    return Watcher(look)


def first_of(table: dict[str, tuple[int, ...]]) -> dict[str, int]:
    return {name: replicas[0] for name, replicas in table.items()}


def test_finish_lets_what_flies_land_and_starts_no_more() -> None:
    """After that a resume does the rest."""
    told = story(SMALL)
    told.face = stop_halfway("finish")
    end = told.run(with_options(max_inflight=1))
    assert end.outcome == "stopped" and end.figures["pending"] > 0 and end.figures["in flight"] == 0
    assert told.throttles() == {} and told.model.moving == {}
    told.face = Watcher()
    assert told.resume().outcome == "finished"
    assert told.lists() == AFTER


def test_a_broker_that_has_not_heard_yet_is_asked_again() -> None:
    """Just after a kill brokers show another state than the controller: that is no drift."""
    told = story(SMALL)
    told.face = stop_halfway("leave")
    told.run()
    flying, late = dict(told.model.moving), iter(range(3))

    def not_yet(*names: Any, **how: Any) -> Any:
        if next(late, None) is not None:
            return {}
        return SimulatedCluster.reassignments(told.model, *names, **how)

    told.log.entries.pop()  # the end: it was killed
    told.model.reassignments = not_yet  # type: ignore[method-assign]
    told.face = Watcher()
    assert flying and told.resume().outcome == "finished"
    assert told.lists() == AFTER


def test_leave_keeps_the_throttle_on_what_flies_and_lets_go() -> None:
    """It goes on by itself at the rate agreed upon; a later run finds it done and takes the throttle off."""
    told = story(SMALL)
    told.face = stop_halfway("leave")
    end = told.run()
    assert end.outcome == "left" and end.figures["in flight"] == 3
    assert end.reasons == (GOES_ON.format("3 moves go"),)
    brokers, topics = map(Resource.broker, (0, 1, 2, 3, 5)), map(Resource.topic, ("pay", "log"))
    assert set(told.throttles()) == {*brokers, *topics}
    left = told.model.now
    while told.model.moving:
        told.model.advance(0.1)
    assert told.model.now - left > 0.5 * 20 * MB / 2 / (2 * MB)
    told.face = Watcher()
    assert told.resume().outcome == "finished"
    assert told.lists() == AFTER and told.throttles() == {}


GOES_ON = (
    "{} on in Kafka and the throttle stays on: `apply --resume` sees them to their end and takes it off,"
    " `cancel` puts them back and takes it off"
)


@pytest.mark.parametrize("how", ["resume", "cancel", "rollback"])
def test_whoever_takes_it_up_ends_the_throttle(how: str) -> None:
    """In mid-flight: to its end, back, or back to before the plan."""
    told = story(SMALL)
    told.face = stop_halfway("leave")
    told.run()
    told.face = Watcher()
    if how == "cancel":
        told.resume(stop="cancel")
    else:
        told.resume(job=told.job if how == "resume" else told.job.way_back)
    assert told.throttles() == {} and told.model.moving == {}


def test_of_what_has_landed_no_throttle_is_left() -> None:
    """Left when one of two copies is done: its brokers and its pairs are free."""
    told = story({"pay-0": ([0], [1]), "log-0": ([2], [3])})
    told.model.size[tp("pay-0")] = 2 * MB
    told.face = Watcher(lambda machine: "leave" if tp("pay-0") in machine.run.memory.done else None)
    told.run()
    assert set(told.throttles()) == {Resource.broker(2), Resource.broker(3), Resource.topic("log")}


def test_cancel_restores_the_exact_order_and_leader() -> None:
    """Kafka's own cancel would leave [1,2,0]: the order from before is back, and so is who led."""
    told = story({"pay-0": ([0, 1, 2], [3, 1, 2]), "pay-1": ([1, 2, 0], [4, 2, 0])})
    told.face = stop_halfway("cancel")
    end = told.run()
    assert end.outcome == "cancelled"
    assert told.lists() == {"pay-0": (0, 1, 2), "pay-1": (1, 2, 0)}
    assert told.leaders() == {"pay-0": 0, "pay-1": 1}
    assert told.throttles() == {} and told.model.moving == {}


def test_cancel_elects_the_leader_that_was_lost_meanwhile() -> None:
    """The leader went away and came back during the move: cancelling gives it the lead again."""
    told, asked = story({"pay-0": ([0, 1], [3, 1])}), []

    def look(machine: Machine) -> str | None:
        if asked or machine.run.bytes_now()[0] < 10 * MB:
            return None
        asked.append("cancel")
        told.model.kill(0)
        told.model.revive(0)
        assert told.leaders() == {"pay-0": 1}
        return "cancel"

    told.face = Watcher(look)
    told.run()
    assert told.lists() == {"pay-0": (0, 1)} and told.leaders() == {"pay-0": 0}


def test_cancel_by_a_later_process() -> None:
    """The run was killed; ``cancel`` undoes what flies and takes the throttles off."""
    told = story(SMALL)
    with pytest.raises(Killed):
        told.run(carrier=Recorder(told.model, 1, after=True))
    assert told.throttles() and told.model.moving
    end = told.resume(stop="cancel")
    assert end.outcome == "cancelled" and told.throttles() == {} and told.model.moving == {}
    assert told.lists() == CANCELLED


def test_rollback_of_a_finished_run_restores_lists_and_leaders() -> None:
    """Copies go back in full, orders and leaders are exactly those from before."""
    told = story(SMALL)
    told.run()
    end = told.resume(job=told.job.way_back)
    assert (end.outcome, end.reasons) == ("finished", ())
    assert told.lists() == BEFORE and told.leaders() == first_of(BEFORE)
    assert told.throttles() == {}


@pytest.mark.parametrize("megabytes", [5, 15, 25, 39])
def test_rollback_of_a_run_that_was_left_in_the_middle(megabytes: int) -> None:
    """What flies is cancelled and put in order, what has landed is moved back."""
    told = story(SMALL)
    told.face = Watcher(lambda machine: "leave" if machine.run.bytes_now()[0] >= megabytes * MB else None)
    told.run(with_options(max_inflight=2))
    told.face = Watcher()
    end = told.resume(job=told.job.way_back)
    assert end.outcome == "finished"
    assert told.lists() == BEFORE and told.leaders() == first_of(BEFORE)


def test_rollback_puts_a_retargeted_partition_back() -> None:
    """What stands elsewhere than planned, by our own doing, is no drift."""
    told = story({"pay-0": ([1, 2], [3, 2])})
    told.face = Watcher(lambda machine: told.model.kill(3) if machine.run.bytes_now()[0] >= 10 * MB else None)
    told.run(with_options(if_stuck="retarget"))
    told.model.revive(3)
    told.face = Watcher()
    assert told.resume(job=told.job.way_back).outcome == "finished"
    assert told.lists() == {"pay-0": (1, 2)} and told.throttles() == {}


def test_apply_again_after_a_rollback() -> None:
    """There and back and there again."""
    told = story(SMALL)
    told.run()
    told.resume(job=told.job.way_back)
    assert told.resume().outcome == "finished"
    assert told.lists() == AFTER and told.leaders() == first_of(AFTER)


def prepared(first: str | None) -> Story:
    """A story whose first process has already ended as ``first`` says (None: none has run)."""
    told = story(SMALL)
    if first == "apply":
        told.run()
    elif first == "killed":
        with pytest.raises(Killed):
            told.run(carrier=Recorder(told.model, 1, after=True))
    told.log = Log(told.log.entries)
    told.face = Watcher()
    return told


TWO = with_options(max_inflight=2)


def settle(told: Story, how: dict[str, Any]) -> None:
    """Start processes until one lives to the end, as an operator would."""
    end = told.resume(TWO, **how)
    assert end.outcome in ("finished", "cancelled"), end
    assert told.throttles() == {} and told.model.moving == {}


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(("first", "kind"), [(None, "apply"), ("apply", "rollback"), ("killed", "cancel")])
def test_killed_at_every_journal_step(first: str | None, kind: str, when: str) -> None:
    """Before or after each entry reaches the disk: the next process ends the job, no throttle is left."""
    how: dict[str, Any] = {"stop": "cancel"} if kind == "cancel" else {}
    steps = 0
    while True:
        told = prepared(first)
        if kind == "rollback":
            how["job"] = told.job.way_back
        at = len(told.log.entries) + steps
        told.log.kill_before, told.log.kill_after = (at, -1) if when == "before" else (-1, at)
        try:
            told.run(TWO, **how)
        except Killed:
            told.model.advance(0.7)
            settle(told, how)
            assert told.lists() == ENDS[kind], f"killed {when} step {steps}"
            steps += 1
        else:
            break
    assert steps >= (5 if kind != "cancel" else 3)


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(("first", "kind"), [(None, "apply"), ("apply", "rollback"), ("killed", "cancel")])
def test_killed_at_every_change(first: str | None, kind: str, after: bool) -> None:
    """Just before or just after each request that changes the cluster, the same."""
    how: dict[str, Any] = {"stop": "cancel"} if kind == "cancel" else {}
    at = 0
    while True:
        told = prepared(first)
        if kind == "rollback":
            how["job"] = told.job.way_back
        try:
            told.run(TWO, carrier=Recorder(told.model, at, after=after), **how)
        except Killed:
            settle(told, how)
            assert told.lists() == ENDS[kind], f"killed at change {at}"
            at += 1
        else:
            break
    assert at >= 2


@pytest.mark.slow
def test_killed_twice() -> None:
    """Killed, resumed, killed again at every step of the resumed run, resumed once more."""
    for first in range(2, 8):
        for second in range(1, 6):
            told = story(SMALL)
            told.log.kill_after = first
            for kill in (first, first + second, -1):
                told.log.kill_after = kill
                try:
                    told.run(TWO)
                except Killed:
                    continue
            assert told.lists() == AFTER and told.throttles() == {}


def test_what_others_had_set_survives_a_kill_too() -> None:
    """The rate from before is in the journal before ours is set, and no second look takes ours for theirs."""
    rate = "follower.replication.throttled.rate"
    for step in range(1, 12):
        told = story(SMALL)
        told.model.alter_configs({Resource.broker(3): {rate: "555"}})
        told.log.kill_after = step
        try:
            told.run(with_options(keep_rates=True))
        except Killed:
            told.resume(with_options(throttle=3 * MB, keep_rates=True))
        assert told.throttles() == {Resource.broker(3): {rate: "555"}}


def test_options_of_the_stories() -> None:
    """A guard: the stories run with a throttle, or their ends would prove nothing."""
    assert OPTIONS.throttle
