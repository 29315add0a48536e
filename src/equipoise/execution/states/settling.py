"""Settling: replicas that stay on their broker go to their log dirs, throttled, watched and steered."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import Any

from equipoise.execution import instructions as ask
from equipoise.execution.between_dirs import (
    Dirs,
    copied_of,
    heads_for,
    is_astray,
    is_silent,
    label,
    look_at,
    with_room,
)
from equipoise.execution.instructions import Instruction, Observed
from equipoise.execution.port import Failure, Replica, Resource
from equipoise.execution.run import Run, Steps
from equipoise.execution.states.dirs import note_landed, note_settled, undoing_dirs
from equipoise.execution.states.steered import governed, steered
from equipoise.execution.states.stuck import AGAIN_S
from equipoise.execution.states.submitting import UNSURE
from equipoise.execution.states.throttled import PASSING, throttling_dirs, why_not
from equipoise.execution.states.unthrottled import unthrottling

BEGUN_AT_MOST = 3
"""Times that the same copy is begun."""


@dataclass
class Waiting:
    """Replicas that are not in their log dirs yet."""

    todo: dict[Replica, str]
    left: list[str] = field(default_factory=list)
    """What is given up, a sentence each."""
    silent: Counter[int] = field(default_factory=Counter)
    """Looks since each broker has answered."""
    begun: Counter[Replica] = field(default_factory=Counter)
    advanced: dict[Replica, tuple[int, float]] = field(default_factory=dict)
    """Bytes of each copy that is under way, and since when there are so many."""
    told: dict[Replica, float] = field(default_factory=dict)
    """When it was last said of a copy that it does not get on."""

    def see(self, found: Dirs, patience: float) -> None:
        """Take in one look; brokers that are silent for more than ``patience`` looks are given up."""
        self.todo = {one: path for one, path in self.todo.items() if is_astray(one, path, found)}
        mute = {one.broker for one in self.todo if is_silent(one.broker, found)}
        self.silent = Counter({broker: self.silent[broker] + 1 for broker in mute})
        for one in sorted(one for one in self.todo if self.silent[one.broker] > patience):
            path = self.todo.pop(one)
            self.left.append(f"{label(one)} may not be in {path}: the broker does not answer")

    def to_begin(self, found: Dirs) -> dict[Replica, str]:
        """What does not go to its log dir yet, on brokers that answer."""
        idle = {one: path for one, path in self.todo.items() if heads_for(one, found) != path}
        for one in [one for one in idle if self.begun[one] >= BEGUN_AT_MOST]:
            why = f"its copy was begun {BEGUN_AT_MOST} times, and somebody ended it each time"
            self.give_up(one, f"did not come to {idle.pop(one)}: {why}")
        return {one: path for one, path in idle.items() if not self.silent[one.broker]}

    def stuck(self, found: Dirs, now: float, seconds: float) -> list[Replica]:
        """Copies that are under way and have not got on for so long."""
        under_way = [one for one, path in self.todo.items() if heads_for(one, found) == path]
        goes = {one: copied_of(one, found) for one in under_way}
        before = {one: self.advanced.get(one, (-1, now)) for one in goes}
        self.advanced = {one: before[one] if before[one][0] == n else (n, now) for one, n in goes.items()}
        return sorted(one for one, (_, moment) in self.advanced.items() if now - moment >= seconds)

    def give_up(self, replica: Replica, why: str) -> None:
        del self.todo[replica]
        self.left.append(f"{label(replica)} {why}")


def settling(run: Run, outcome: str) -> Generator[Instruction, Any, tuple[str, list[str]]]:
    """Move replicas to their log dirs, and wait until they are there; of a run that was stopped only those
    that are on their way. Returns how it ended, and what is not to be had."""
    waiting = Waiting({**run.memory.dir_moves, **({} if run.stop else run.job.dirs)})
    if not waiting.todo:
        return outcome, []
    patience = run.options.stuck_after_s / max(run.options.poll_s, 1e-3)
    yield from unthrottling(run)  # no move between brokers is left
    while True:
        run.phase = run.held or "settling"
        seen: Observed = yield run.observe()
        found: Dirs = yield look_at(waiting.todo.keys() | run.memory.dir_moves.keys())
        yield from note_landed(run, found)
        if run.stop == "leave":
            return "left", waiting.left
        if run.stop == "cancel":
            yield from undoing_dirs(run)
            return "cancelled", waiting.left
        yield from steered(run, "settling")
        yield from governed(run, seen)
        waiting.see(found, patience)
        yield from minding_dirs(run, waiting, found, seen.now)
        yield from beginning_some(run, waiting, found, seen)
        if not waiting.todo or (run.stop and not run.memory.dir_moves):
            return "stopped" if run.stop else outcome, waiting.left
        yield ask.Wait(run.options.poll_s)


def minding_dirs(run: Run, waiting: Waiting, found: Dirs, now: float) -> Steps:
    """Say which copies do not get on, again after a minute; end and give them up where that was chosen."""
    stuck = waiting.stuck(found, now, run.options.stuck_after_s)
    for one in stuck:
        path = waiting.todo[one]
        if now - waiting.told.get(one, -math.inf) >= AGAIN_S:
            waiting.told[one] = now
            yield ask.Say(f"{label(one)} is stuck: nothing is copied to {path}", "stuck")
        if run.options.if_stuck == "skip":
            waiting.give_up(one, f"did not come to {path}: nothing is copied")
    if stuck and run.options.if_stuck == "skip":
        yield from undoing_dirs(run, stuck)


def beginning_some(run: Run, waiting: Waiting, found: Dirs, seen: Observed) -> Steps:
    """Look after the throttles of what goes on, and begin what there is room for."""
    idle = waiting.to_begin(found)
    new = with_room(idle, found, run.options.disk_reserve)
    if idle and not new and not waiting.silent and not run.memory.dir_moves:
        for one, path in idle.items():
            waiting.give_up(one, f"cannot go to {path}: there is no room")
    if run.stop or run.held:
        new = {}
    down = seen.down | waiting.silent.keys()
    refused: Mapping[int, Failure] = yield from throttling_dirs(run, {one.broker for one in new}, down)
    for one in [one for one in new if one.broker in refused]:
        path, failure = new.pop(one), refused[one.broker]
        why = why_not(Resource.broker(one.broker), failure)
        if failure.code not in PASSING:
            waiting.give_up(one, f"cannot go to {path}: {why}")
        else:
            yield from run.say_once(f"{why}: its copies between log dirs wait")
    if new:
        yield from begin(run, waiting, new)


def begin(run: Run, waiting: Waiting, new: Mapping[Replica, str]) -> Steps:
    """Have replicas copied to their log dirs; what is refused is given up."""
    yield from run.record("dirs", replicas=[[*replica, path] for replica, path in new.items()])
    failures: Mapping[Replica, Failure | None] = yield ask.PlaceInDirs(new)
    waiting.begun.update(new.keys())
    refused = {one: why for one, why in failures.items() if why is not None and why.code not in UNSURE}
    for one, why in refused.items():
        waiting.give_up(one, f"cannot go to {new[one]} ({why})")
    yield from note_settled(run, refused)
