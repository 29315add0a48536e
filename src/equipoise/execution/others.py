"""Throttled lists that no run of this plan wrote, and whether anything that moves needs them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from equipoise.execution.memory import Memory
from equipoise.execution.port import ConfigValue, Failure, Resource, TopicPartition
from equipoise.execution.throttling import LISTS, listed

Lists = dict[str, dict[str, list[str]]]
"""Topic, config key, ``partition:broker`` or ``*``; no empty ones."""
Values = Mapping[Resource, Mapping[str, ConfigValue] | Failure]


def foreign_lists(memory: Memory, values: Values) -> Lists:
    """The throttled replicas of each topic that the journal does not know."""
    found: Lists = {}
    for of, there in values.items():
        if of.kind == "topic" and not isinstance(there, Failure):
            known = memory.pairs.get(of.name, {})
            stand = {key: sorted(listed(there, key) - known.get(key, set())) for key in LISTS}
            if lists := {key: pairs for key, pairs in stand.items() if pairs}:
                found[of.name] = lists
    return found


def living(lists: Lists, moving: Collection[TopicPartition]) -> list[str]:
    """The topics whose lists are more than left over: they name a partition that moves, or whatever may."""
    moves = {f"{name.topic}:{name.partition}" for name in moving}
    return sorted(
        topic
        for topic, by_key in lists.items()
        if any(
            pair == "*" or f"{topic}:{pair.partition(':')[0]}" in moves
            for pairs in by_key.values()
            for pair in pairs
        )
    )


def named(lists: Lists) -> list[str]:
    """One line for each topic."""
    everything = {topic for topic, by_key in lists.items() if any("*" in pairs for pairs in by_key.values())}
    return [
        f"topic {topic} has {'all its replicas throttled' if topic in everything else 'throttled replicas'}"
        for topic in sorted(lists)
    ]
