"""Every way out of a run: full disks, closed outputs, faults; and a run whose journal is lost."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from typing import Any

import pytest
from stories import ONE, SMALL, Killed, Log, Recorder, Watcher, halfway, story, with_options

from equipoise.execution import instructions as ask
from equipoise.execution.machine import Machine
from equipoise.execution.run import JournalLost


class Full(Log):
    """A disk that has no room for the n-th entry, nor for any after it."""

    room = 10**9

    def append(self, entry: Mapping[str, Any]) -> None:
        if len(self.entries) >= self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        super().append(entry)


def test_a_journal_that_cannot_be_written_ends_the_run_in_order() -> None:
    """At whichever entry: nothing is submitted that is not noted, what flies keeps its throttle and is told
    of, nothing else is left, and once there is room the next process ends it all."""
    room = 1
    while True:
        told = story(SMALL)
        told.log = Full()
        told.log.room = room
        end = told.run(with_options(max_inflight=2))
        if len(told.log.entries) < room:
            break
        full = "the journal cannot be written (No space left on device)" in told.face.heard
        assert full or end.outcome in ("finished", "lost"), room
        noted = {name for entry in told.log.entries for name in entry.get("partitions", ())}
        assert set(map(str, told.model.moving)) <= noted
        assert bool(told.throttles()) == any("throttle stays on" in reason for reason in end.reasons), room
        told.log.room = 10**9
        assert told.resume().outcome == "finished" and told.throttles() == {}
        room += 1
    assert room > 10


def test_a_journal_that_cannot_be_written_at_all_begins_nothing() -> None:
    told = story(SMALL)
    told.log = Full()
    told.log.room = 0
    with pytest.raises(JournalLost, match="No space left"):
        told.run()
    assert told.carrier.changes == 0


class Deaf(Watcher):
    """A terminal that is gone."""

    def say(self, text: str) -> None:
        raise BrokenPipeError

    def show(self, machine: Machine, now: float) -> None:
        raise OSError(errno.EIO, "Input/output error")

    def wish(self, machine: Machine) -> str | None:
        if self.on_show(machine):
            raise OSError(errno.EIO, "Input/output error")
        return None


def test_output_that_nobody_takes_is_dropped() -> None:
    """The run goes on to its end."""
    told = story(SMALL)
    told.face = Deaf()
    assert told.run().outcome == "finished" and told.throttles() == {}


def test_who_cannot_be_asked_how_to_stop_is_let_finish() -> None:
    told = story(SMALL)
    told.face = Deaf(lambda machine: "?" if halfway(machine) else None)
    assert told.run(with_options(max_inflight=1)).outcome == "stopped" and told.throttles() == {}


@pytest.mark.parametrize("kind", [ask.Observe, ask.CheckHealth, ask.Submit, ask.AlterConfigs])
@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_fault_of_ours_leaves_a_throttle_on_what_flies_and_on_nothing_else(kind: type, at: int) -> None:
    """Whatever is raised, at any request; it is raised again for the command line to tell."""

    class Faulty(Recorder):
        left = at

        def perform(self, instruction: Any) -> Any:
            if isinstance(instruction, kind):
                self.left -= 1
                if self.left == -1 and self.model.now < 1000 and self.changes >= 0 and begun():
                    raise KeyError("a fault of ours")
            return super().perform(instruction)

    def begun() -> bool:
        return bool(told.log.entries)

    told = story({**ONE, "log-0": ([1, 2], [4, 2])})
    try:
        told.run(with_options(max_inflight=1), carrier=Faulty(told.model))
    except KeyError:
        assert bool(told.model.moving) == bool(told.throttles())
        told.face = Watcher()
        told.resume()
    assert told.throttles() == {} and told.lists() == {"log-0": (4, 2), "pay-0": (3, 1, 2)}


@pytest.mark.parametrize("keep", [0, 1], ids=["lost", "cut after its first line"])
@pytest.mark.parametrize("how", ["apply", "cancel"])
def test_a_run_without_its_journal_is_adopted(keep: int, how: str) -> None:
    """Moves to the plan's own lists and the throttles that stand are taken for ours."""
    told = story(SMALL)
    with pytest.raises(Killed):
        told.run(carrier=Recorder(told.model, 1, after=True))
    del told.log.entries[keep:]
    told.model.advance(2)
    end = told.resume()
    assert end.outcome == "refused"
    said = "pay-0: somebody else is moving it to [3,1,2], as this plan would: --adopt takes it up"
    assert said in end.reasons
    end = told.resume(with_options(adopt=True), stop="cancel" if how == "cancel" else None)
    assert end.outcome == ("cancelled" if how == "cancel" else "finished") and end.reasons == ()
    assert told.throttles() == {} and told.model.moving == {}
    if how == "apply":
        assert told.lists() == {name: tuple(after) for name, (_, after) in sorted(SMALL.items())}
    else:
        assert told.lists()["pay-0"] == (0, 1, 2)


def test_what_was_adopted_is_in_the_journal() -> None:
    """Killed again, the next process needs no telling."""
    told = story(ONE)
    with pytest.raises(Killed):
        told.run(carrier=Recorder(told.model, 1, after=True))
    told.log.entries.clear()
    told.model.advance(2)
    told.log = Log(kill_after=4)
    with pytest.raises(Killed):
        told.run(with_options(adopt=True))
    assert told.resume().outcome == "finished" and told.throttles() == {}
