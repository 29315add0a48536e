"""Checking: where every move stands, and why nothing may be started. Nothing is changed here."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from equipoise.execution import instructions as ask
from equipoise.execution.flights import Flight
from equipoise.execution.instructions import Health, Instruction, Surveyed
from equipoise.execution.run import Run
from equipoise.execution.survey import Standing, objections, sickness, standing, wrong_cluster


def checking(run: Run) -> Generator[Instruction, Any, tuple[Standing, list[str]]]:
    """The standing of the job's moves, and the reasons against beginning (none: it may begin)."""
    seen: Surveyed = yield run.survey()
    found = standing(run.job, run.memory, seen)
    if run.stop == "cancel":  # what others did meanwhile is no reason to leave our moves running
        reasons = wrong_cluster(run.job, seen)
    else:
        reasons = wrong_cluster(run.job, seen) or found.drifted
        if not run.memory.unfinished:
            reasons = reasons or list(objections(found, seen))
        if not reasons and not run.memory.unfinished:
            health: Health = yield ask.CheckHealth()
            ours = {move.partition for move in (*found.flying, *found.opposed)}
            reasons = sickness(health, run.moves, ours, despite=run.options.despite_sick)
    run.leaders = {name: state.leader for name, state in seen.partitions.items()}
    for move in found.flying:
        flight = Flight(move, seen.now, run.memory.submitted[move.partition], attempts=1)
        run.flying[move.partition] = flight
    for move in found.opposed:
        target = run.memory.submitted[move.partition]
        run.flying[move.partition] = Flight(move, seen.now, target, home=move.after, attempts=1)
    return found, reasons
