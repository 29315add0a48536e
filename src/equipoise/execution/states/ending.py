"""Ending: preferred leaders a small batch at a time, then a look at what was reached."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import Any

from equipoise.execution import instructions as ask
from equipoise.execution.drained import Held
from equipoise.execution.instructions import Instruction, Surveyed
from equipoise.execution.port import Failure, PartitionState, PortError, TopicPartition
from equipoise.execution.run import Run, Steps, names, some
from equipoise.execution.states.submitting import GONE
from equipoise.execution.survey import shown
from equipoise.wording import plural

SHOWN = 5
"""Partitions that a line names."""


def finishing(run: Run) -> Generator[Instruction, Any, list[str]]:
    """Elect, verify; returns what is not as the job wanted it."""
    try:
        run.phase = "electing"
        seen: Surveyed = yield run.survey()
        yield from electing(run, seen)
        run.phase = "verifying"
        left = yield from verifying(run)
    except PortError as error:
        return [f"the end could not be verified: {error}"]
    return [*given_up(run), *left]


def verifying(run: Run) -> Generator[Instruction, Any, list[str]]:
    """What is not as it should be; brokers learn of the end one after the other, so that is asked again for
    a while before it is said."""
    seen: Surveyed = yield run.survey()
    since = seen.now
    while True:
        left = [*differences(run, seen), *(yield from staying(run))]
        if not left or seen.now - since >= run.options.grace_s:
            return left
        yield ask.Wait(min(1.0, run.options.poll_s))
        seen = yield run.survey()


def staying(run: Run) -> Generator[Instruction, Any, list[str]]:
    """What is on brokers that were to be drained: partitions that came meanwhile, or were not moved."""
    drained = run.job.drained
    if not drained.brokers or run.stop:
        return []
    held: Held = yield ask.FindHeld(drained.brokers)
    return [still_holds(broker, left) for broker, left in drained.beyond(held).items()]


def still_holds(broker: int, left: Sequence[TopicPartition]) -> str:
    more = f" and {len(left) - SHOWN:,} more" if len(left) > SHOWN else ""
    first = ", ".join(map(str, left[:SHOWN]))
    return (
        f"broker {broker} is not empty: it holds {plural(len(left), 'replica')} ({first}{more}); plan --drain"
        f" {broker} again, on Kafka 4.3 with its log dirs cordoned, so that nothing new comes"
    )


def electing(run: Run, seen: Surveyed) -> Steps:
    """Give the lead of what has arrived to its first replica, where that is in the ISR."""
    behind = [
        name
        for name, state in arrived(run, seen)
        if state.leader != state.replicas[0] and state.replicas[0] in state.isr
    ]
    size = run.options.election_batch
    for at in range(0, len(behind), size):
        batch = tuple(behind[at : at + size])
        yield from run.record("elect", partitions=names(batch))
        failures: Mapping[TopicPartition, Failure | None] = yield ask.Elect(batch)
        for name, failure in failures.items():
            if failure is not None and failure.code != GONE:
                yield ask.Say(f"{name}: its preferred leader was not elected ({failure})")
        yield ask.Wait(min(1.0, run.options.poll_s))


def arrived(run: Run, seen: Surveyed) -> Iterator[tuple[TopicPartition, PartitionState]]:
    """Partitions of the job that are where they should be, with their state."""
    for move in run.job.moves:
        state = seen.partitions.get(move.partition)
        if state is None or run.is_gone(move.partition, state):
            continue
        if state.replicas == run.wanted(move):
            yield move.partition, state


def given_up(run: Run) -> Iterator[str]:
    """What was skipped, a line for each reason."""
    skipped: dict[str, list[TopicPartition]] = {}
    for name, why in run.memory.skipped.items():
        skipped.setdefault(why, []).append(name)
    for why, given_up in skipped.items():
        yield f"{some(given_up)} {'was' if len(given_up) == 1 else 'were'} skipped: {why}"
    run.unlike |= bool(skipped)


def differences(run: Run, seen: Surveyed) -> Iterator[str]:
    """What is not as the job wanted it, and was not given up; nothing after a stop."""
    run.unlike = False
    for move in run.job.moves:
        name, wanted = move.partition, run.wanted(move)
        state = seen.partitions.get(name)
        if run.stop or name in run.memory.skipped or state is None or run.is_gone(name, state):
            continue
        if state.replicas != wanted:
            run.unlike = True
            yield f"{name} has {shown(state.replicas)} instead of {shown(wanted)}"
        elif state.leader != wanted[0]:
            yield f"{name} is led by broker {state.leader} instead of {wanted[0]}"
