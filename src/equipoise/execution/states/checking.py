"""Checking: where every move stands, and why nothing may be started. Nothing is changed here."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

from equipoise.execution import instructions as ask
from equipoise.execution.between_dirs import Dirs, look_at, told
from equipoise.execution.flights import Flight
from equipoise.execution.instructions import Health, Instruction, Surveyed
from equipoise.execution.others import Lists, foreign_lists, living, named
from equipoise.execution.port import Resource
from equipoise.execution.run import Run, Steps
from equipoise.execution.states.needed import Answer
from equipoise.execution.survey import Standing, objections, sickness, standing, wrong_cluster
from equipoise.execution.takeover import (
    Taken,
    dirs_taken,
    moves_taken,
    pairs_taken,
    rates_taken,
    standing_rates,
)
from equipoise.execution.throttling import DIR_RATE, RATES, listing, rates_needed

NOT_OURS = "which no run of this plan set"
ADOPT = "--adopt takes it for a left-over that ends with this run"
KEEP = "--keep-rates puts it back at the end"


def checking(run: Run) -> Generator[Instruction, Any, tuple[Standing, list[str]]]:
    """The standing of the job's moves, and the reasons against beginning (none: it may begin)."""
    seen: Surveyed = yield run.survey()
    if reasons := wrong_cluster(run.job, seen):
        return Standing(), reasons
    if run.options.adopt:
        yield from adopting(run, seen)
    found = standing(run.job, run.memory, seen)
    since = seen.now
    while found.drifted and run.memory.unfinished and seen.now - since < run.options.grace_s:
        # just after a kill a broker may show a move that the controller does not tell of
        yield ask.Wait(min(1.0, run.options.poll_s))
        seen = yield run.survey()
        found = standing(run.job, run.memory, seen)
    run.topic_ids = {name.topic: state.topic_id for name, state in seen.partitions.items() if state.topic_id}
    if run.stop != "cancel":  # what others did meanwhile is no reason to leave our moves running
        reasons = yield from speaking_against(run, found, seen)
    run.leaders = {name: state.leader for name, state in seen.partitions.items()}
    for move in found.flying:
        flight = Flight(move, seen.now, run.memory.submitted[move.partition], attempts=1)
        run.flying[move.partition] = flight
    for move in found.opposed:
        target = run.memory.submitted[move.partition]
        run.flying[move.partition] = Flight(move, seen.now, target, home=move.after, attempts=1)
    return found, reasons


def speaking_against(
    run: Run, found: Standing, seen: Surveyed
) -> Generator[Instruction, Any, list[str]]:
    """Why the run may not begin; a roll back does what fits, and names the rest at its end."""
    fits = bool(found.pending or found.flying or found.opposed or found.unrestored)
    if found.drifted and not (run.job.operation == "rollback" and fits):
        return found.drifted
    if run.memory.unfinished:
        return []
    if reasons := list(objections(found, seen)):
        return reasons
    health: Health = yield ask.CheckHealth()
    ours = {move.partition for move in (*found.flying, *found.opposed)}
    if reasons := sickness(health, run.moves, ours, despite=run.options.despite_sick):
        return reasons
    return (yield from rates_that_stand(run, found, seen))


def rates_that_stand(
    run: Run, found: Standing, seen: Surveyed
) -> Generator[Instruction, Any, list[str]]:
    """Rates on the brokers of the job that its journal does not know: a run that was killed may have left
    them, and whoever puts them back at its end would make them last. Returns what speaks against beginning;
    left-overs are cleared with this run where the operator wants that."""
    busy = {broker for move in found.pending if move.adding for broker in (*move.before, *move.after)}
    keys = rates_needed(busy, {replica.broker for replica in run.job.dirs_of_staying})
    if run.options.keep_rates or not keys:
        return []
    values: Answer = yield ask.ReadConfigs((*RATES, DIR_RATE), brokers_in(seen))
    lines = [f"{line}, {NOT_OURS}" for line in listing(standing_rates(values, run.memory, keys))]
    if not lines:
        return []
    if run.options.throttle is None:  # it sets none and takes none off
        for line in lines:
            yield ask.Say(line)
        return []
    lists = foreign_lists(run.memory, (yield ask.FindLists()))
    stand = standing_rates(values, run.memory)
    if why := (yield from needed_by(stand, lists, seen)):
        return [f"{line}; {why}: wait until that is over, {KEEP}" for line in lines]
    left_over = (*listing(stand), *named(lists))
    if not (yield ask.Confirm(0, 0, 0, left_over=left_over)):
        return [f"{line}: {ADOPT}, {KEEP}" for line in lines]
    now: Surveyed = yield run.survey()  # somebody may have begun while the question stood
    if why := (yield from needed_by(stand, foreign_lists(run.memory, (yield ask.FindLists())), now)):
        return [f"{line}; {why}: wait until that is over, {KEEP}" for line in lines]
    yield from adopting_throttles(run, now)
    return []


def needed_by(
    stand: Mapping[int, Mapping[str, str]], lists: Lists, seen: Surveyed
) -> Generator[Instruction, Any, str]:
    """What somebody's rates are for, "" where they are left over."""
    if topics := living(lists, seen.reassignments.keys()):
        return f"topic {topics[0]} needs it"
    asked = tuple(sorted(broker for broker, rates in stand.items() if DIR_RATE in rates))
    found: Dirs = {}
    if asked:
        found = yield ask.LookIntoDirs(asked, None)
    copying = [broker for broker in asked if any(one.future for one in told(found, broker))]
    return f"broker {copying[0]} copies between its log dirs" if copying else ""


def adopting(run: Run, seen: Surveyed) -> Steps:
    """Take for ours what an earlier run left whose journal is lost."""
    take(run, moves_taken(run.job, run.memory, seen))
    yield from adopting_throttles(run, seen)
    if run.job.dirs:
        found: Dirs = yield look_at(run.job.dirs)
        take(run, dirs_taken(run.job, found))


def adopting_throttles(run: Run, seen: Surveyed) -> Steps:
    """Take for ours the throttles that stand on the plan's partitions, or that nothing needs any more."""
    rates: Answer = yield ask.ReadConfigs((*RATES, DIR_RATE), brokers_in(seen))
    lists: Answer = yield ask.FindLists()
    take(run, rates_taken(run.memory, rates, run.options.throttle))
    take(run, pairs_taken(run.job, run.memory, lists, seen.reassignments.keys()))


def take(run: Run, taken: list[Taken]) -> None:
    """Remember it now; the journal has it once the run begins."""
    for kind, values in taken:
        run.memory.note({"type": kind, **values})
    run.adopted += taken


def brokers_in(seen: Surveyed) -> tuple[Resource, ...]:
    return tuple(map(Resource.broker, sorted(seen.cluster.ids)))
