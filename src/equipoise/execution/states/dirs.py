"""Log dirs: new replicas are told where to go before they come; copies between dirs are watched or undone."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Sequence
from typing import Any

from equipoise.execution import instructions as ask
from equipoise.execution.between_dirs import Dirs, heads_for, is_astray, is_silent, label, lies_in, look_at
from equipoise.execution.instructions import Instruction
from equipoise.execution.moves import Move
from equipoise.execution.port import Replica
from equipoise.execution.run import Run, Steps

TRIES = 20
"""How often a copy is asked to end that somebody wants undone."""


def placing(run: Run, moves: Sequence[Move]) -> Steps:
    """Choose the log dirs of copies that are about to start.

    The brokers answer that they have no such replica, and remember the dir for when it comes.
    """
    if not run.job.dirs:
        return
    coming = [Replica(*move.partition, broker) for move in moves for broker in move.adding]
    chosen = {replica: run.job.dirs[replica] for replica in coming if replica in run.job.dirs}
    if chosen:
        yield ask.PlaceInDirs(chosen)


def astray(run: Run) -> Generator[Instruction, Any, int]:
    """How many replicas are in another log dir of their broker than they will be."""
    wanted = {**run.memory.dir_moves, **({} if run.stop else run.job.dirs)}
    if not wanted:
        return 0
    found: Dirs = yield look_at(wanted)
    return sum(is_astray(one, path, found) for one, path in wanted.items())


def landing_dirs(run: Run) -> Steps:
    """Look after the copies between log dirs that were begun, by an earlier run too."""
    if run.memory.dir_moves:
        found: Dirs = yield look_at(run.memory.dir_moves)
        yield from note_landed(run, found)


def note_landed(run: Run, found: Dirs) -> Steps:
    """Forget the copies between log dirs that go on no more; one of a silent broker may go on."""
    over = [
        one
        for one in run.memory.dir_moves
        if not is_silent(one.broker, found) and not heads_for(one, found)
    ]
    yield from note_settled(run, over)


def note_settled(run: Run, replicas: Collection[Replica]) -> Steps:
    if replicas:
        yield from run.record("settled", replicas=as_rows(replicas))


def as_rows(replicas: Iterable[Replica]) -> list[list[str | int]]:
    """Replicas as a journal has them."""
    return [list(replica) for replica in sorted(replicas)]


def undoing_dirs(run: Run, some: Collection[Replica] | None = None) -> Steps:
    """End copies between log dirs, by default all: their replicas are told to stay where they are."""
    for look in range(TRIES):
        left = [one for one in run.memory.dir_moves if some is None or one in some]
        if not left:
            return
        if look:
            yield ask.Wait(min(1.0, run.options.poll_s))
        found: Dirs = yield look_at(run.memory.dir_moves)
        yield from note_landed(run, found)
        back = {one: path for one in left if one in run.memory.dir_moves and (path := lies_in(one, found))}
        if back:
            yield ask.PlaceInDirs(back)
    for one in left:
        yield ask.Say(f"the copy of {label(one)} to {run.memory.dir_moves[one]} could not be ended")
