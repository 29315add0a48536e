"""Ending: preferred leaders a small batch at a time, then a look at what was reached."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from typing import Any

from equipoise.execution import instructions as ask
from equipoise.execution.instructions import Instruction, Surveyed
from equipoise.execution.port import Failure, PartitionState, PortError, TopicPartition
from equipoise.execution.run import Run, Steps, names
from equipoise.execution.states.submitting import GONE
from equipoise.execution.survey import shown


def finishing(run: Run) -> Generator[Instruction, Any, list[str]]:
    """Elect, verify; returns what is not as the job wanted it."""
    try:
        run.phase = "electing"
        seen: Surveyed = yield run.survey()
        yield from electing(run, seen)
        run.phase = "verifying"
        seen = yield run.survey()
    except PortError as error:
        return [f"the end could not be verified: {error}"]
    return list(differences(run, seen))


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
        if state is not None and state.replicas == run.wanted(move):
            yield move.partition, state


def differences(run: Run, seen: Surveyed) -> Iterator[str]:
    """What is not as the job wanted it; after a stop only what was skipped."""
    for move in run.job.moves:
        name, wanted = move.partition, run.wanted(move)
        state, why = seen.partitions.get(name), run.memory.skipped.get(name)
        if why is not None:
            yield f"{name} was skipped: {why}"
        elif run.stop or state is None:
            continue
        elif state.replicas != wanted:
            yield f"{name} has {shown(state.replicas)} instead of {shown(wanted)}"
        elif state.leader != wanted[0]:
            yield f"{name} is led by broker {state.leader} instead of {wanted[0]}"
