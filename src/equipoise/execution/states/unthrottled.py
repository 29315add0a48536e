"""Throttles off: a state that every run passes through, and what it leaves where moves go on without it."""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping
from contextlib import suppress
from typing import Any, TypeVar

from equipoise.execution import instructions as ask
from equipoise.execution.instructions import Instruction, Observed
from equipoise.execution.port import ConfigValue, Failure, PortError, Resource
from equipoise.execution.run import Run, Steps
from equipoise.execution.states.dirs import landing_dirs
from equipoise.execution.states.needed import Answer, copying, settling_on
from equipoise.execution.states.submitting import GONE
from equipoise.execution.states.throttled import LOOKS
from equipoise.execution.throttling import KEYS, Owed, clearing, covered, listing, owed, plain, set_here, who
from equipoise.wording import plural

T = TypeVar("T")


def unthrottling(run: Run) -> Generator[Instruction, Any, list[str]]:
    """Take off every throttle of ours that no move in flight needs, and read back that it is gone.

    Returns what is left: throttles that moves in flight keep, and what could not be taken off. A rate is
    taken off once: what a broker shows after it has agreed to that is an old answer, or was set by another
    run that has begun meanwhile, be it the same rate.
    """
    run.phase = "unthrottling"
    over: Mapping[Resource, Mapping[str, str]] = {}
    off: dict[Resource, set[str]] = {}
    due = due_now(run)
    for look in range(LOOKS):
        if not due.resources:
            break
        if look > 1:
            yield ask.Wait(run.options.poll_s)
        try:
            values: Answer = yield ask.ReadConfigs(KEYS, due.resources)
            over = without(covered(values, due, run.memory), off)
            undo = clearing(values, due, run.memory, run.sent)
            clear = [of for of in due.resources if is_clear(of, values, undo, over)]
            note_put_back(run, due, clear, values)
            yield from noting_clear(run, due, clear)
            due = due_now(run)
            undo = without(undo, off)
            if undo:
                yield from taking_off(run, undo, off)
            elif set(due.resources) == over.keys():
                break
        except PortError as error:
            due = due_now(run)  # what could not be noted is known all the same
            yield from run.say_once(f"throttles cannot be removed now: {error}")
    yield from leaving(run, due, [of for of in due.resources if of in off.keys() - over.keys()])
    due = due_now(run)
    yield from telling_put_back(run)
    return [*kept(run), *overlaid(over), *stuck(due, over)]


def taking_off(
    run: Run, undo: Mapping[Resource, Mapping[str, str | None]], off: dict[Resource, set[str]]
) -> Steps:
    """Alter what is to be undone; the rates to which their brokers agree are noted in ``off``."""
    run.shown -= undo.keys()
    failures: Mapping[Resource, Failure | None] = yield ask.AlterConfigs(undo)
    for of in undo:
        if of.kind == "broker" and failures.get(of) is None:
            off.setdefault(of, set()).update(undo[of])
            run.sent.discard(of)


def leaving(run: Run, due: Owed, again: list[Resource]) -> Steps:
    """Leave the rates of brokers that agreed to take ours off and show it ``again``."""
    if again:
        shows = f"{who(int(of.name) for of in again)} {'shows' if len(again) == 1 else 'show'}"
        yield ask.Say(f"{shows} our rate after it was taken off: another run has set the same, and ends it")
        with suppress(PortError):  # what could not be noted is known all the same
            yield from noting_clear(run, due, again)


def without(
    found: Mapping[Resource, Mapping[str, T]], off: Mapping[Resource, Collection[str]]
) -> dict[Resource, dict[str, T]]:
    """What is found apart from the keys of ``off``."""
    left = {of: {k: v for k, v in values.items() if k not in off.get(of, ())} for of, values in found.items()}
    return {of: values for of, values in left.items() if values}


def due_now(run: Run) -> Owed:
    """What nothing that is being copied needs."""
    return owed(run.memory, copying(run, []), settling_on(run))


def last_look(run: Run) -> Steps:
    """Forget the moves that do not fly: what was about to be submitted, and what has just landed."""
    try:
        seen: Observed = yield run.observe()
    except PortError:
        return  # a throttle too many is better than one too few
    for name in run.flying.keys() - seen.reassignments.keys():
        del run.flying[name]
    with suppress(PortError):  # the journal may be what is lost
        yield from landing_dirs(run)


def is_clear(
    of: Resource,
    values: Answer,
    undo: Mapping[Resource, object],
    over: Mapping[Resource, object],
) -> bool:
    """Whether nothing of ours is left on a resource, as the cluster told."""
    return of not in undo and of not in over and told(values.get(of))


def told(found: Mapping[str, ConfigValue] | Failure | None) -> bool:
    """Whether the cluster told what is set: a deleted topic has nothing set, a dead broker tells nothing."""
    return found is not None and (not isinstance(found, Failure) or found.code == GONE)


def noting_clear(run: Run, due: Owed, clear: list[Resource]) -> Steps:
    """Note what is off; of a topic only the pairs that were to go, of a broker only the rates."""
    topics = [of.name for of in clear if of.kind == "topic"]
    whole = [topic for topic in topics if due.pairs[topic] == run.memory.pairs[topic]]
    part = {topic: due.pairs[topic] for topic in topics if topic not in whole}
    rates = {int(of.name): due.rates[int(of.name)] for of in clear if of.kind == "broker"}
    brokers = [broker for broker, saved in rates.items() if saved == run.memory.rates[broker]]
    some = {str(broker): list(saved) for broker, saved in rates.items() if broker not in brokers}
    if part:
        yield from run.record("unpaired", topics=plain(part))
    if some:
        yield from run.record("unrated", brokers=some)
    if whole or brokers:
        yield from run.record("cleared", topics=whole, brokers=brokers)


def note_put_back(run: Run, due: Owed, clear: list[Resource], values: Answer) -> None:
    """Rates that stood on brokers before and that they show again, be they the same as ours were."""
    for of in clear:
        found = values[of]
        if of.kind == "broker" and not isinstance(found, Failure):
            for key, before in due.rates[int(of.name)].items():
                if before is not None and set_here(found, key) == before:
                    run.put_back.setdefault(f"{key}={before}", set()).add(int(of.name))


def telling_put_back(run: Run) -> Steps:
    """Say which rates from before are in force again: nobody else will take them off."""
    for rate, brokers in sorted(run.put_back.items()):
        yield from run.say_once(f"put back {rate} on {who(brokers)}, where it stood before")


def kept(run: Run) -> list[str]:
    """One line for each kind of copy that goes on by itself, and its throttle."""
    n_moves, n_dirs = len(run.flying), len(run.memory.dir_moves)
    goes = [plural(n_moves, "move goes", "moves go")] if n_moves else []
    if n_dirs:
        goes.append(plural(n_dirs, "copy between log dirs goes", "copies between log dirs go"))
    throttle, off = (" and the throttle stays on", " and takes it off") if run.memory.throttled else ("", "")
    return [
        f"{one} on in Kafka{throttle}: `apply --resume` sees them to their end{off}, `cancel` puts them"
        f" back{off}"
        for one in goes
    ]


def overlaid(over: Mapping[Resource, Mapping[str, str]]) -> list[str]:
    rates = {int(of.name): values for of, values in over.items()}
    return [
        f"{line}, which somebody else set over ours: what they put back may be ours"
        for line in listing(rates)
    ]


def stuck(due: Owed, over: Mapping[Resource, object]) -> list[str]:
    return [
        f"{of.kind} {of.name} may still carry our throttle; the next run removes it"
        for of in due.resources
        if of not in over
    ]
