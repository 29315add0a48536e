"""Throttles on: in place before a move begins, and looked after for as long as it flies."""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping
from typing import Any

from equipoise.execution import instructions as ask
from equipoise.execution.instructions import Instruction, Observed
from equipoise.execution.moves import Move
from equipoise.execution.port import ConfigValue, Failure, Resource
from equipoise.execution.run import Run
from equipoise.execution.states.needed import Answer, changes, needed, resources_of
from equipoise.execution.states.submitting import GONE, UNSURE
from equipoise.execution.throttling import KEYS, listing, plain, set_here, who

LOOKS = 6
"""How often brokers are asked for a throttle that they do not show yet."""

STANDS, NOT_SHOWN = "RATE_STANDS", "NOT_SHOWN"
"""Our words for a broker that has somebody else's rate, and for what does not show ours."""

PASSING = UNSURE | {"NO_ANSWER", STANDS, NOT_SHOWN}
"""Answers of brokers that may yet take a throttle."""


def throttling(run: Run, admitted: list[Move], seen: Observed) -> Generator[Instruction, Any, list[Move]]:
    """Throttle exactly what flies or is about to; returns the moves that may be submitted.

    What is set is read each time: what somebody took off in mid-flight is set again, and said.
    """
    refused = yield from setting(run, admitted, (), seen.down)
    return (yield from throttled_ones(run, admitted, refused))


def throttling_dirs(
    run: Run, beginning: Collection[int], down: frozenset[int]
) -> Generator[Instruction, Any, Mapping[int, Failure]]:
    """The same for copies between log dirs, also those that are about to begin on brokers ``beginning``;
    returns where the throttle is not in place."""
    refused = yield from setting(run, [], beginning, down)
    return {int(of.name): failure for of, failure in refused.items() if of.kind == "broker"}


def setting(
    run: Run, admitted: list[Move], beginning: Collection[int], down: frozenset[int]
) -> Generator[Instruction, Any, Mapping[Resource, Failure]]:
    """Read all throttles that are needed, set what is not set; returns where none is in place, and why."""
    wanted = needed(run, admitted, beginning, down)
    if run.options.throttle is None or not wanted.resources:
        return {}
    values: Answer = yield ask.ReadConfigs(KEYS, wanted.resources)
    change = changes(run, wanted, values)
    if stolen := sorted(change.lost & run.shown):
        where = places(stolen)
        what = f"somebody took our throttle off {where} while moves are in flight: set again"
        yield ask.Say(what, "throttle")
    new_rate = str(run.options.throttle) not in run.memory.our_rates
    if change.saved or (new_rate and any(of.kind == "broker" for of in change.configs)):
        saved = {str(broker): rates for broker, rates in change.saved.items()}
        yield from run.record("rates", rate=run.options.throttle, brokers=saved)
    if change.added:
        yield from run.record("pairs", topics=plain(change.added))
    failures: Mapping[Resource, Failure | None] = {}
    run.shown |= values.keys() - change.configs.keys()
    run.shown -= change.configs.keys()
    run.sent |= change.configs.keys()
    late: set[Resource] = set()
    if change.configs:
        failures = yield ask.AlterConfigs(change.configs)
        run.sent -= {of for of, why in failures.items() if why is not None and why.code not in UNSURE}
        late = yield from taking_effect(run, change.configs)
    gone = {t: pairs for t, pairs in change.removed.items() if failures.get(Resource.topic(t)) is None}
    if gone:
        yield from run.record("unpaired", topics=plain(gone))
    refused = {of: found for of, found in values.items() if isinstance(found, Failure)}
    refused |= dict.fromkeys(late, Failure(NOT_SHOWN))
    refused |= {of: failure for of, failure in failures.items() if failure is not None}
    for broker, rates in change.standing.items():
        refused[Resource.broker(broker)] = Failure(STANDS, "; ".join(listing({broker: rates})))
    run.shown -= refused.keys()
    return refused


def places(resources: list[Resource]) -> str:
    """``brokers 0, 1 and topic pay``."""
    brokers = [int(of.name) for of in resources if of.kind == "broker"]
    topics = [of.name for of in resources if of.kind == "topic"]
    found = [who(brokers)] if brokers else []
    if topics:
        found.append(f"{'topic' if len(topics) == 1 else 'topics'} {', '.join(topics)}")
    return " and ".join(found)


def throttled_ones(
    run: Run, admitted: list[Move], refused: Mapping[Resource, Failure]
) -> Generator[Instruction, Any, list[Move]]:
    """The moves whose throttles are in place: none is begun without.

    Those of a broker that does not answer, or has somebody else's rate, wait until that is over; those
    that the cluster refuses for good are given up. A topic that is gone needs no throttle: its
    submission tells.
    """
    ready, late = list[Move](), list[Move]()
    lost_for: dict[str, list[Move]] = {}
    for move in admitted:
        mine = sorted(of for of in resources_of(move, run) & refused.keys() if refused[of].code != GONE)
        lost = [of for of in mine if refused[of].code not in PASSING]
        if not mine:
            ready.append(move)
        elif lost:
            lost_for.setdefault(why_not(lost[0], refused[lost[0]]), []).append(move)
        else:
            yield from run.say_once(f"{why_not(mine[0], refused[mine[0]])}: its moves wait")
            late.append(move)
    for why, moves in lost_for.items():
        yield from run.skip(moves, why)
    run.queue.put_back(late)
    return ready


def why_not(of: Resource, failure: Failure) -> str:
    """Why a throttle is not in place; a broker that does not answer is no more to be told of."""
    if failure.code == NOT_SHOWN:
        return f"{of.kind} {of.name} does not show its throttle"
    if failure.code == STANDS:
        return f"{failure.message}, which this run did not set"
    told = "" if failure.code in PASSING else f" ({failure})"
    return f"no throttle can be set on {of.kind} {of.name}{told}"


def taking_effect(
    run: Run, configs: Mapping[Resource, Mapping[str, str | None]]
) -> Generator[Instruction, Any, set[Resource]]:
    """Wait until brokers show what was set: they learn of it a moment later, and copies begin at once.

    Returns where they do not, in a while: another hand may have been there.
    """
    late: set[Resource] = set()
    for look in range(LOOKS):
        if look:
            yield ask.Wait(0.1)
        values: Answer = yield ask.ReadConfigs(KEYS, tuple(configs))
        late = {of for of, wanted in configs.items() if not shows(values.get(of), wanted)}
        if not late:
            break
    run.shown |= configs.keys() - late
    run.sent -= {of for of in configs.keys() - late if not isinstance(values.get(of), Failure | None)}
    return late


def shows(found: Mapping[str, ConfigValue] | Failure | None, wanted: Mapping[str, str | None]) -> bool:
    """Whether a resource has what was set; one that cannot be asked is not waited for."""
    if found is None or isinstance(found, Failure):
        return True
    return all(set_here(found, key) == value for key, value in wanted.items())
