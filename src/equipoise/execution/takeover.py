"""What stands on a cluster and the journal does not know, and which of it must be a run of this plan's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from equipoise.execution.between_dirs import Dirs, heads_for
from equipoise.execution.instructions import Surveyed
from equipoise.execution.memory import Memory
from equipoise.execution.moves import Job, Move
from equipoise.execution.port import ConfigValue, Failure, Resource
from equipoise.execution.throttling import DIR_RATE, LISTS, RATES, foreign_rates, listed

Taken = tuple[str, dict[str, Any]]
"""Kind and values of a journal entry."""
Values = Mapping[Resource, Mapping[str, ConfigValue] | Failure]


def unknown_flights(job: Job, memory: Memory, seen: Surveyed) -> Iterator[tuple[Move, tuple[int, ...]]]:
    """Moves in flight to a list of the plan, there or back, that the journal does not know."""
    for move in job.moves:
        moving = seen.reassignments.get(move.partition)
        if moving is None or moving.target == memory.submitted.get(move.partition):
            continue
        if moving.target in (move.after, move.before):
            yield move, moving.target


def moves_taken(job: Job, memory: Memory, seen: Surveyed) -> list[Taken]:
    """Those moves, the ones that have arrived already, and those that somebody cancelled, which leaves the
    replicas in another order: as if this job had submitted them."""
    targets = {move.partition: target for move, target in unknown_flights(job, memory, seen)}
    for move in job.moves:
        state = seen.partitions.get(move.partition)
        if move.partition in memory.submitted or move.partition in targets or state is None:
            continue
        same = sorted(state.replicas) in (sorted(move.before), sorted(move.after))
        if same and state.replicas != move.before:
            targets[move.partition] = move.after
    if not targets:
        return []
    return [("submit", {"partitions": {str(name): list(target) for name, target in sorted(targets.items())}})]


def dirs_taken(job: Job, found: Dirs) -> list[Taken]:
    """Copies between log dirs that go where the plan wants them, as if this job had begun them."""
    mine = [[*one, path] for one, path in job.dirs.items() if heads_for(one, found) == path]
    return [("dirs", {"replicas": mine})] if mine else []


def standing_rates(
    values: Values, memory: Memory, keys: Mapping[int, tuple[str, ...]] | None = None
) -> dict[int, dict[str, str]]:
    """Rates that are set on brokers and that the journal does not know: of each broker these ``keys``, by
    default all."""
    found: dict[int, dict[str, str]] = {}
    for of, there in values.items():
        if of.kind != "broker" or isinstance(there, Failure):
            continue
        broker = int(of.name)
        asked = (*RATES, DIR_RATE) if keys is None else keys.get(broker, ())
        if rates := foreign_rates(broker, there, memory, asked):
            found[broker] = rates
    return found


def standing_pairs(job: Job, memory: Memory, values: Values) -> dict[str, dict[str, list[str]]]:
    """Throttled replicas of the plan's own partitions, by topic and key, that the journal does not know."""
    holders: dict[str, set[str]] = {}
    for move in job.moves:
        topic, number = move.partition
        holders.setdefault(topic, set()).update(f"{number}:{b}" for b in (*move.before, *move.after))
    found: dict[str, dict[str, list[str]]] = {}
    for of, lists in values.items():
        if of.kind == "topic" and not isinstance(lists, Failure):
            mine, known = holders.get(of.name, set()), memory.pairs.get(of.name, {})
            stand = {key: sorted((listed(lists, key) & mine) - known.get(key, set())) for key in LISTS}
            if any(stand.values()):
                found[of.name] = {key: pairs for key, pairs in stand.items() if pairs}
    return found


def throttles_taken(job: Job, memory: Memory, values: Values, throttle: int | None) -> list[Taken]:
    """The throttles that stand, as if this job had set them where nothing was.

    Of a broker that does not answer it is not known; one of ``throttle`` is assumed until it tells.
    """
    by_rate: dict[str, dict[str, dict[str, None]]] = {}
    for broker, rates in standing_rates(values, memory).items():
        for key, rate in rates.items():
            by_rate.setdefault(rate, {}).setdefault(str(broker), {})[key] = None
    for of, found in values.items():
        if throttle is not None and of.kind == "broker" and isinstance(found, Failure):
            by_rate.setdefault(str(throttle), {})[of.name] = dict.fromkeys(RATES)
    taken: list[Taken] = [("rates", {"rate": rate, "brokers": brokers}) for rate, brokers in by_rate.items()]
    pairs = standing_pairs(job, memory, values)
    return [*taken, ("pairs", {"topics": pairs})] if pairs else taken
