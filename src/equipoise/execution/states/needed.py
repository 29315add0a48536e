"""What is to be throttled now: the pairs and rates of all that is copied, or is about to be."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from equipoise.execution.moves import Move
from equipoise.execution.port import ConfigValue, Failure, Resource
from equipoise.execution.run import Run
from equipoise.execution.throttling import (
    Change,
    Copying,
    Pairs,
    brokers_of,
    foreign_rates,
    pairs_of,
    rates_needed,
    rates_over,
    wanted_lists,
    wanted_rates,
)

Answer = Mapping[Resource, Mapping[str, ConfigValue] | Failure]


def copying(run: Run, admitted: list[Move]) -> list[Copying]:
    """What is being copied, and is about to be."""
    moving: list[Copying] = [(f.move.partition, f.move.before, f.adding) for f in run.flying.values()]
    moving += [(move.partition, move.before, move.adding) for move in admitted]
    return [one for one in moving if one[2]]


def settling_on(run: Run) -> set[int]:
    """Brokers that copy between their log dirs for us."""
    return {replica.broker for replica in run.memory.dir_moves}


@dataclass(frozen=True)
class Needed:
    """Pairs by topic (none where only some of ours are to go), and rates by broker that is up."""

    pairs: Pairs
    rates: Mapping[int, tuple[str, ...]]

    @property
    def resources(self) -> tuple[Resource, ...]:
        """Where to look."""
        return (*map(Resource.topic, sorted(self.pairs)), *map(Resource.broker, sorted(self.rates)))


def needed(run: Run, admitted: list[Move], beginning: Collection[int], down: frozenset[int]) -> Needed:
    """What is wanted where; ``beginning``: brokers that are about to copy between their log dirs."""
    moving = copying(run, admitted)
    rates = rates_needed(brokers_of(moving) - down, settling_on(run).union(beginning) - down)
    return Needed({**{topic: {} for topic in run.memory.pairs}, **pairs_of(moving)}, rates)


def changes(run: Run, wanted: Needed, values: Answer) -> Change:
    """What has to be altered, given what is set now; resources that cannot be read are left out."""
    change, options = Change(), run.options
    for resource, found in values.items():
        if isinstance(found, Failure):
            continue
        if resource.kind == "topic":
            mine = run.memory.pairs.get(resource.name, {})
            wanted_lists(change, resource.name, found, mine, wanted.pairs.get(resource.name, {}))
        else:
            broker, rate = int(resource.name), options.throttle or 0
            keys, memory = wanted.rates[broker], run.memory
            standing = foreign_rates(broker, found, memory, keys)
            if run.behind and not run.flying:
                standing |= rates_over(found, memory.rates.get(broker, {}), memory)
            if standing and not options.keep_rates:
                change.standing[broker] = standing
            else:
                wanted_rates(change, broker, found, rate, memory, keys)
    return change


def resources_of(move: Move, run: Run) -> set[Resource]:
    """Where a throttle must be in place before a move may start."""
    if not move.adding:
        return set()
    brokers = {*move.adding, run.leaders.get(move.partition, -1)} - {-1}
    return {Resource.topic(move.partition.topic), *map(Resource.broker, brokers)}
