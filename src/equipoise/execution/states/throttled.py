"""Throttles on and off; taking them off is a state that every run passes through."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

from equipoise.execution import instructions as ask
from equipoise.execution.instructions import Instruction, Observed
from equipoise.execution.moves import Move
from equipoise.execution.port import ConfigValue, Failure, PortError, Resource
from equipoise.execution.run import Run, Steps
from equipoise.execution.states.submitting import GONE, UNSURE
from equipoise.execution.throttling import (
    KEYS,
    Change,
    Pairs,
    clearing,
    pairs_of,
    plain,
    set_here,
    wanted_lists,
    wanted_rates,
)

LOOKS = 6
"""How often a throttle that does not go away is looked at before it is left to the next run."""

PASSING = UNSURE | {"NO_ANSWER"}
"""Answers of brokers that may yet take a throttle."""

Answer = Mapping[Resource, Mapping[str, ConfigValue] | Failure]


def throttling(run: Run, admitted: list[Move], seen: Observed) -> Generator[Instruction, Any, list[Move]]:
    """Throttle exactly what flies or is about to; returns the moves that may be submitted."""
    if run.options.throttle is None:
        return admitted
    if not run.flying:  # then anyone's --verify takes every rate off, ours among them
        run.rated.clear()
    wanted, topics, brokers = needed(run, admitted, seen.down)
    resources = (*map(Resource.topic, sorted(topics)), *map(Resource.broker, sorted(brokers)))
    if not resources:
        return admitted
    values: Answer = yield ask.ReadConfigs(KEYS, resources)
    change = changes(run, wanted, values)
    new_rate = str(run.options.throttle) not in run.memory.our_rates
    if change.saved or (new_rate and brokers):
        saved = {str(broker): rates for broker, rates in change.saved.items()}
        yield from run.record("rates", rate=run.options.throttle, brokers=saved)
    if change.added:
        yield from run.record("pairs", topics=plain(change.added))
    failures: Mapping[Resource, Failure | None] = {}
    if change.configs:
        failures = yield ask.AlterConfigs(change.configs)
        if admitted:
            yield from taking_effect(change.configs)
    gone = {t: pairs for t, pairs in change.removed.items() if failures.get(Resource.topic(t)) is None}
    if gone:
        yield from run.record("unpaired", topics=plain(gone))
    refused = {of: found for of, found in values.items() if isinstance(found, Failure)}
    refused |= {of: failure for of, failure in failures.items() if failure is not None}
    run.rated |= {broker for broker in brokers if Resource.broker(broker) not in refused}
    return (yield from throttled_ones(run, admitted, refused))


def throttled_ones(
    run: Run, admitted: list[Move], refused: Mapping[Resource, Failure]
) -> Generator[Instruction, Any, list[Move]]:
    """The moves whose throttles are in place: none is begun without.

    Those of a broker that does not answer wait until it does; those that the cluster refuses for good
    are given up. A topic that is gone needs no throttle: its submission tells.
    """
    ready, late = [], []
    for move in admitted:
        mine = sorted(of for of in resources_of(move, run) & refused.keys() if refused[of].code != GONE)
        lost = [of for of in mine if refused[of].code not in PASSING]
        if not mine:
            ready.append(move)
        elif lost:
            (of, *_) = lost
            yield from run.skip(move, f"no throttle can be set on {of.kind} {of.name} ({refused[of]})")
        else:
            (of, *_) = mine
            yield from run.say_once(f"no throttle can be set on {of.kind} {of.name}: its moves wait")
            late.append(move)
    run.queue.put_back(late)
    return ready


def taking_effect(configs: Mapping[Resource, Mapping[str, str | None]]) -> Steps:
    """Wait until brokers show what was set: they learn of it a moment later, and copies begin at once."""
    for _ in range(LOOKS):
        values: Answer = yield ask.ReadConfigs(KEYS, tuple(configs))
        if all(shows(values.get(resource), wanted) for resource, wanted in configs.items()):
            return
        yield ask.Wait(0.1)


def shows(found: Mapping[str, ConfigValue] | Failure | None, wanted: Mapping[str, str | None]) -> bool:
    """Whether a resource has what was set; one that cannot be asked is not waited for."""
    if found is None or isinstance(found, Failure):
        return True
    return all(set_here(found, key) == value for key, value in wanted.items())


def needed(run: Run, admitted: list[Move], down: frozenset[int]) -> tuple[Pairs, set[str], set[int]]:
    """The pairs wanted, the topics whose lists have to change, and the brokers still without our rate."""
    moving = [(f.move.partition, f.move.before, f.adding) for f in run.flying.values()]
    moving += [(move.partition, move.before, move.adding) for move in admitted]
    copying = [(name, existing, adding) for name, existing, adding in moving if adding]
    wanted = pairs_of(copying)
    ours = run.memory.pairs
    topics = {topic for topic in {*wanted, *ours} if wanted.get(topic, {}) != ours.get(topic, {})}
    brokers = {broker for _, existing, adding in copying for broker in (*existing, *adding)}
    return wanted, topics, brokers - down - run.rated


def changes(run: Run, wanted: Pairs, values: Answer) -> Change:
    """What has to be altered, given what is set now; resources that cannot be read are left out."""
    change = Change()
    for resource, found in values.items():
        if isinstance(found, Failure):
            continue
        if resource.kind == "topic":
            mine = run.memory.pairs.get(resource.name, {})
            wanted_lists(change, resource.name, found, mine, wanted.get(resource.name, {}))
        else:
            wanted_rates(change, int(resource.name), found, run.options.throttle or 0, run.memory)
    return change


def resources_of(move: Move, run: Run) -> set[Resource]:
    """Where a throttle must be in place before a move may start."""
    if not move.adding:
        return set()
    brokers = {*move.adding, run.leaders.get(move.partition, -1)} - {-1}
    return {Resource.topic(move.partition.topic), *map(Resource.broker, brokers)}


def unthrottling(run: Run) -> Generator[Instruction, Any, list[str]]:
    """Take off every throttle of ours and read back that it is gone; returns what could not be."""
    run.phase = "unthrottling"
    for look in range(LOOKS):
        owed = run.memory.throttled
        if not owed:
            return []
        if look > 1:
            yield ask.Wait(run.options.poll_s)
        try:
            values: Answer = yield ask.ReadConfigs(KEYS, owed)
            undo = clearing(values, run.memory)
            clear = [resource for resource in owed if resource not in undo and told(values.get(resource))]
            if clear:
                yield from run.record(
                    "cleared",
                    topics=[r.name for r in clear if r.kind == "topic"],
                    brokers=[int(r.name) for r in clear if r.kind == "broker"],
                )
            if undo:
                yield ask.AlterConfigs(undo)
        except PortError as error:
            yield from run.say_once(f"throttles cannot be removed now: {error}")
    return [
        f"{resource.kind} {resource.name} may still carry our throttle; the next run removes it"
        for resource in run.memory.throttled
    ]


def told(found: Mapping[str, ConfigValue] | Failure | None) -> bool:
    """Whether the cluster told what is set: a deleted topic has nothing set, a dead broker tells nothing."""
    return found is not None and (not isinstance(found, Failure) or found.code == GONE)
