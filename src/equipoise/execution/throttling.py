"""Throttles as arithmetic on config values: add our pairs, take them away, put rates back.

Nothing of others is ever lost: in topic lists only our own pairs come and go, a list that says ``*`` is
left alone, and a broker's rate goes back to what was set on that very broker, or is deleted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from equipoise.execution.memory import Memory
from equipoise.execution.port import ConfigValue, Failure, Resource, TopicPartition
from equipoise.scheduling.throttles import FOLLOWER_RATE, FOLLOWER_REPLICAS, LEADER_RATE, LEADER_REPLICAS

RATES = (LEADER_RATE, FOLLOWER_RATE)
LISTS = (LEADER_REPLICAS, FOLLOWER_REPLICAS)
DIR_RATE = "replica.alter.log.dirs.io.max.bytes.per.second"
"""How fast a broker copies between its own log dirs."""
KEYS = (*RATES, *LISTS, DIR_RATE)

Values = Mapping[str, ConfigValue]
Pairs = dict[str, dict[str, set[str]]]
"""Topic, config key, ``partition:broker``."""
Copying = tuple[TopicPartition, Iterable[int], Iterable[int]]
"""A partition, the replicas that it has and those that it gets."""


@dataclass
class Change:
    """Configs to be altered, and what the journal must know before and after."""

    configs: dict[Resource, dict[str, str | None]] = field(default_factory=dict)
    added: Pairs = field(default_factory=dict)
    removed: Pairs = field(default_factory=dict)
    saved: dict[int, dict[str, str | None]] = field(default_factory=dict)
    standing: dict[int, dict[str, str]] = field(default_factory=dict)
    """Rates that somebody set before us: nothing of that broker is altered."""
    lost: set[Resource] = field(default_factory=set)
    """Where something of ours is not set that was to be."""


def pairs_of(moving: Iterable[Copying]) -> Pairs:
    """The pairs of moves: all existing replicas as possible leaders,
    the new ones as followers."""
    pairs: Pairs = {}
    for (topic, number), existing, adding in moving:
        lists = pairs.setdefault(topic, {LEADER_REPLICAS: set(), FOLLOWER_REPLICAS: set()})
        lists[LEADER_REPLICAS].update(f"{number}:{broker}" for broker in existing)
        lists[FOLLOWER_REPLICAS].update(f"{number}:{broker}" for broker in adding)
    return pairs


def set_here(values: Values, key: str) -> str | None:
    """The value set on the resource itself; a default that shines through is none."""
    value = values.get(key)
    return value.value if value is not None and value.set_here and value.value else None


def listed(values: Values, key: str) -> set[str]:
    """The entries of a topic list."""
    return {pair.strip() for pair in (set_here(values, key) or "").split(",") if pair.strip()}


def in_order(pairs: Iterable[str]) -> str:
    """A topic list as Kafka writes it, in order of partition, then broker."""

    def key(pair: str) -> tuple[int, int, str]:
        number, _, broker = pair.partition(":")
        ids = (number + broker).isascii() and number.isdigit() and broker.isdigit()
        return (int(number), int(broker), pair) if ids else (-1, -1, pair)

    return ",".join(sorted(pairs, key=key))


def wanted_lists(
    change: Change, topic: str, values: Values, mine: Mapping[str, set[str]], wanted: Mapping[str, set[str]]
) -> None:
    """Make the lists of a topic hold exactly ``wanted`` of ours, beside what others have there."""
    for key in LISTS:
        there = listed(values, key)
        ours, need = mine.get(key, set()), wanted.get(key, set())
        drop = ours - need
        new = set() if "*" in there else need - ours - there
        if drop:
            change.removed.setdefault(topic, {})[key] = drop
        if new:
            change.added.setdefault(topic, {})[key] = new
        if "*" not in there and (ours & need) - there:  # a tool that clears everything: they are put back
            change.lost.add(Resource.topic(topic))
        after = there if "*" in there else (there - drop) | new | (ours & need)
        if after != there:
            change.configs.setdefault(Resource.topic(topic), {})[key] = in_order(after) or None


def wanted_rates(
    change: Change,
    broker: int,
    values: Values,
    rate: int,
    memory: Memory,
    keys: tuple[str, ...] = RATES,
) -> None:
    """Make these rates of a broker ours, and save what was set there before."""
    known = memory.rates.get(broker, {})
    if unsaved := [key for key in keys if key not in known]:
        change.saved[broker] = {key: set_here(values, key) for key in unsaved}
    differing = {key: str(rate) for key in keys if set_here(values, key) != str(rate)}
    if differing.keys() & known.keys():
        change.lost.add(Resource.broker(broker))
    if differing:
        change.configs.setdefault(Resource.broker(broker), {}).update(differing)


def foreign_rates(
    broker: int, values: Values, memory: Memory, keys: tuple[str, ...] = RATES
) -> dict[str, str]:
    """Rates that are set on a broker and that this job's journal does not know."""
    known = memory.rates.get(broker, {})
    return {key: value for key in keys if key not in known and (value := set_here(values, key)) is not None}


@dataclass(frozen=True)
class Owed:
    """Throttles of ours that are to come off."""

    pairs: Mapping[str, Mapping[str, set[str]]]
    rates: Mapping[int, Mapping[str, str | None]]

    @property
    def resources(self) -> tuple[Resource, ...]:
        return (*map(Resource.broker, sorted(self.rates)), *map(Resource.topic, sorted(self.pairs)))


def owed(memory: Memory, moving: Iterable[Copying] = (), dirs: Collection[int] = ()) -> Owed:
    """All that is ours but what the copies under way need; ``dirs``: brokers that copy between log dirs."""
    copying = list(moving)
    needed, keys = pairs_of(copying), rates_needed(brokers_of(copying), dirs)
    pairs: Pairs = {}
    for topic, lists in memory.pairs.items():
        still = needed.get(topic, {})
        left = {key: ours - still.get(key, set()) for key, ours in lists.items()}
        if any(left.values()):
            pairs[topic] = left
    rates = {
        broker: {key: value for key, value in saved.items() if key not in keys.get(broker, ())}
        for broker, saved in memory.rates.items()
    }
    return Owed(pairs, {broker: saved for broker, saved in rates.items() if saved or broker not in keys})


def rates_needed(busy: Collection[int], dirs: Collection[int]) -> dict[int, tuple[str, ...]]:
    """The rates that brokers need: those that take part in moves, and those that copy between log dirs."""
    moves, between = dict.fromkeys(busy, RATES), dict.fromkeys(dirs, (DIR_RATE,))
    return {broker: (*moves.get(broker, ()), *between.get(broker, ())) for broker in {*moves, *between}}


def brokers_of(moving: Iterable[Copying]) -> set[int]:
    """Who sends or receives, or may come to."""
    return {broker for _, existing, adding in moving for broker in (*existing, *adding)}


def clearing(
    values: Mapping[Resource, Values | Failure],
    due: Owed,
    memory: Memory,
    sent: Collection[Resource] = (),
) -> dict[Resource, dict[str, str | None]]:
    """What is still to be altered so that nothing that is due is left; empty once all is clear.

    Brokers to which rates were ``sent`` that they have not shown may yet come to show them.
    """
    changes: dict[Resource, dict[str, str | None]] = {}
    for resource, found in values.items():
        if isinstance(found, Failure):
            continue
        if resource.kind == "topic":
            undo = topic_undo(found, due.pairs.get(resource.name, {}))
        else:
            saved = due.rates.get(int(resource.name), {})
            undo = broker_undo(found, saved, memory.our_rates)
            if resource in sent:
                undo |= {key: value for key, value in saved.items() if set_here(found, key) == value}
        if undo:
            changes[resource] = undo
    return changes


def covered(
    values: Mapping[Resource, Values | Failure], due: Owed, memory: Memory
) -> dict[Resource, dict[str, str]]:
    """Rates that somebody else set over ours: theirs, and what they put back one day may be ours."""
    over: dict[Resource, dict[str, str]] = {}
    for broker, saved in due.rates.items():
        found = values.get(Resource.broker(broker), {})
        if not isinstance(found, Failure) and (theirs := rates_over(found, saved, memory)):
            over[Resource.broker(broker)] = theirs
    return over


def rates_over(values: Values, saved: Mapping[str, str | None], memory: Memory) -> dict[str, str]:
    """Rates of a broker that are neither ours nor what was ``saved`` of it before."""
    return {
        key: value
        for key, original in saved.items()
        if (value := set_here(values, key)) is not None and value not in {original, *memory.our_rates}
    }


def topic_undo(values: Values, mine: Mapping[str, set[str]]) -> dict[str, str | None]:
    """The lists without our pairs; a list that becomes empty is deleted."""
    undo: dict[str, str | None] = {}
    for key, ours in mine.items():
        there = listed(values, key)
        if there & ours:
            undo[key] = in_order(there - ours) or None
    return undo


def broker_undo(
    values: Values, saved: Mapping[str, str | None], ours: Collection[str]
) -> dict[str, str | None]:
    """The rates as they were; one that somebody else set meanwhile is theirs and stays."""
    return {
        key: original
        for key, original in saved.items()
        if set_here(values, key) in ours and set_here(values, key) != original
    }


def plain(pairs: Mapping[str, Mapping[str, set[str]]]) -> dict[str, dict[str, list[str]]]:
    """Pairs as a journal has them."""
    return {topic: {key: sorted(ours) for key, ours in lists.items()} for topic, lists in pairs.items()}


def listing(rates: Mapping[int, Mapping[str, str]]) -> list[str]:
    """``brokers 0, 1 have leader.replication.throttled.rate=300000``, one for each value."""
    by_value: dict[tuple[str, str], list[int]] = {}
    for broker, values in sorted(rates.items()):
        for key, value in values.items():
            by_value.setdefault((key, value), []).append(broker)
    return [
        f"{who(brokers)} {'has' if len(brokers) == 1 else 'have'} {key}={value}"
        for (key, value), brokers in sorted(by_value.items())
    ]


def who(brokers: Iterable[int]) -> str:
    """``broker 3``, ``brokers 0, 1, 4``."""
    ids = sorted(brokers)
    return f"{'broker' if len(ids) == 1 else 'brokers'} {', '.join(map(str, ids))}"
