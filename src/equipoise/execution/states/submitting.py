"""Submitting: moves in chunks, recorded before they are sent, every answer read."""

from __future__ import annotations

from collections.abc import Mapping

from equipoise.execution import instructions as ask
from equipoise.execution.flights import Flight
from equipoise.execution.moves import Move
from equipoise.execution.port import Failure, TopicPartition
from equipoise.execution.run import Run, Steps
from equipoise.execution.states.dirs import placing

GONE = "UNKNOWN_TOPIC_OR_PARTITION"
UNSURE = frozenset({"UNREACHABLE", "REQUEST_TIMED_OUT", "NOT_CONTROLLER"})
"""Answers after which the deed may or may not have been done: the next look tells."""


def submitting(run: Run, admitted: list[Move], now: float) -> Steps:
    """Submit moves that were admitted at ``now``."""
    for at in range(0, len(admitted), run.options.chunk):
        chunk = admitted[at : at + run.options.chunk]
        yield from placing(run, chunk)
        for move in chunk:
            run.flying[move.partition] = Flight(move, now, home=home_of(run, move))
        yield from send(run, {move.partition: move.after for move in chunk}, now)


def home_of(run: Run, move: Move) -> tuple[int, ...]:
    """What a cancel brings back: the job's own order where somebody had left these replicas in another."""
    planned = run.moves[move.partition].before
    return planned if sorted(planned) == sorted(move.before) else move.before


def send(run: Run, targets: Mapping[TopicPartition, tuple[int, ...]], now: float) -> Steps:
    """One request for flights; refused ones are skipped, unsure ones are watched."""
    first = [name for name in targets if name not in run.memory.leaders]
    yield from run.record(
        "submit",
        partitions={str(name): list(target) for name, target in targets.items()},
        leaders={str(name): run.leaders.get(name, -1) for name in first},
        topic_ids=run.topic_ids_of(targets),
    )
    failures: Mapping[TopicPartition, Failure | None] = yield ask.Submit(targets)
    refused: dict[str, list[Move]] = {}
    for name in targets:
        failure, flight = failures.get(name), run.flying[name]
        flight.since, flight.odd_since = now, None
        flight.attempts += 1
        if failure is not None and failure.code not in UNSURE and failure.code != GONE:
            refused.setdefault(str(failure), []).append(flight.move)
    for why, moves in refused.items():
        yield from run.skip(moves, f"the cluster refused it ({why})")
