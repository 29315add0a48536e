"""What stands on a cluster and the journal does not know, and which of it must be a run of this plan's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from typing import Any

from equipoise.execution.between_dirs import Dirs, heads_for
from equipoise.execution.instructions import Surveyed
from equipoise.execution.memory import Memory
from equipoise.execution.moves import Job, Move
from equipoise.execution.others import Lists, foreign_lists, living
from equipoise.execution.port import ConfigValue, Failure, Resource, TopicPartition
from equipoise.execution.throttling import DIR_RATE, RATES, foreign_rates

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


def standing_pairs(job: Job, lists: Lists) -> Lists:
    """Of throttled lists what belongs to the plan's own partitions."""
    holders: dict[str, set[str]] = {}
    for move in job.moves:
        topic, number = move.partition
        holders.setdefault(topic, set()).update(f"{number}:{b}" for b in (*move.before, *move.after))
    found: Lists = {}
    for topic, by_key in lists.items():
        mine = {key: [p for p in pairs if p in holders.get(topic, ())] for key, pairs in by_key.items()}
        if any(mine.values()):
            found[topic] = {key: pairs for key, pairs in mine.items() if pairs}
    return found


def pairs_taken(
    job: Job, memory: Memory, values: Values, moving: Set[TopicPartition]
) -> list[Taken]:
    """The plan's own throttled replicas that stand, as if this job had set them; where no list belongs to
    anything that moves, those of other topics too."""
    lists = foreign_lists(memory, values)
    mine = {move.partition for move in job.moves}
    pairs = standing_pairs(job, lists) if living(lists, moving - mine) else lists
    return [("pairs", {"topics": pairs})] if pairs else []


def rates_taken(memory: Memory, values: Values, throttle: int | None) -> list[Taken]:
    """The rates that stand, as if this job had set them where nothing was.

    Of a broker that does not answer it is not known; one of ``throttle`` is assumed until it tells.
    """
    by_rate: dict[str, dict[str, dict[str, None]]] = {}
    for broker, rates in standing_rates(values, memory).items():
        for key, rate in rates.items():
            by_rate.setdefault(rate, {}).setdefault(str(broker), {})[key] = None
    for of, found in values.items():
        if throttle is not None and isinstance(found, Failure):
            by_rate.setdefault(str(throttle), {})[of.name] = dict.fromkeys(RATES)
    return [("rates", {"rate": rate, "brokers": brokers}) for rate, brokers in by_rate.items()]
