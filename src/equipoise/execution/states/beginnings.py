"""Two runs that begin in the same moment on one cluster: only one of them goes on."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

from equipoise.execution import instructions as ask
from equipoise.execution.admission import Queue
from equipoise.execution.instructions import Instruction, Observed, Surveyed
from equipoise.execution.moves import Move
from equipoise.execution.port import ConfigValue, Failure, Reassignment, Resource, TopicPartition
from equipoise.execution.run import Run, Steps, some
from equipoise.execution.states.needed import Answer
from equipoise.execution.states.undoing import undoing
from equipoise.execution.states.unthrottled import unthrottling
from equipoise.execution.survey import standing
from equipoise.execution.throttling import LISTS, RATES, listed
from equipoise.scheduling.throttles import FOLLOWER_REPLICAS


def looking_again(run: Run, admitted: list[Move]) -> Generator[Instruction, Any, list[Move]]:
    """The moves that may be submitted: none where others began while our throttles were set."""
    seen: Observed = yield run.observe()
    run.alone = False
    if not others(run, seen):
        return admitted
    run.queue.put_back(admitted)
    yield from making_room(run, seen, others(run, seen))
    return []


def giving_way(run: Run, seen: Observed) -> Generator[Instruction, Any, bool]:
    """After the first moves: where others began at the same time, the one whose first partition comes
    later in the alphabet takes its own back and waits. Both see both, so exactly one of them does.

    Returns whether it was this run.
    """
    run.alone = True
    foreign = others(run, seen)
    if not foreign or not run.flying or min(run.flying) < foreign[0]:
        return False
    mine = list(run.flying)
    yield ask.Say(f"somebody else began to move {some(foreign)} at the same time: this run gives way")
    yield from undoing(run, mine)
    again: Surveyed = yield run.survey()
    found = standing(run.job, run.memory, again)
    run.n_done = len(found.done)
    run.queue = Queue(m for m in found.pending if m.partition not in run.memory.skipped)
    yield from making_room(run, seen, foreign)
    return True


def others(run: Run, seen: Observed) -> list[TopicPartition]:
    """What others move, sorted."""
    return sorted(seen.reassignments.keys() - run.flying.keys())


def making_room(run: Run, seen: Observed, foreign: list[TopicPartition]) -> Steps:
    """Leave the brokers to the others: where their moves are throttled the rates are theirs to end, also
    where those are the same as ours.

    A list that says ``*`` may stand for good and names nobody's move: nobody might end a rate that is left
    to it. Of such a topic the rates come off, and a run that needs them sets them again at its next look.
    """
    topics = sorted({name.topic for name in foreign})
    values: Answer = yield ask.ReadConfigs(LISTS, tuple(map(Resource.topic, topics)))
    busy: set[int] = set()
    for name in foreign:
        found, moving = values.get(Resource.topic(name.topic), {}), seen.reassignments[name]
        if not isinstance(found, Failure) and is_throttled(name, moving, found):
            busy.update(moving.replicas)
    theirs = sorted(busy & run.memory.rates.keys())
    if theirs:
        yield from run.record("unrated", brokers={str(broker): list(RATES) for broker in theirs})
        run.shown -= set(map(Resource.broker, theirs))
    yield from unthrottling(run)
    run.phase = "moving"


def is_throttled(name: TopicPartition, moving: Reassignment, found: Mapping[str, ConfigValue]) -> bool:
    """Whether its topic's list of throttled followers names a move."""
    pairs = listed(found, FOLLOWER_REPLICAS)
    return any(f"{name.partition}:{broker}" in pairs for broker in moving.adding)
