"""Options that name brokers: ids and ranges, racks, replacements, log dirs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from equipoise.errors import UnusableInput
from equipoise.planning.request.values import MOST, items
from equipoise.wording import quoted

BROKER = re.compile(r"([0-9]{1,10})(?:-([0-9]{1,10}))?(?::(.+))?", re.DOTALL)
MOST_BROKERS = 5_000
"""That an option may name; of what one broker's failure leaves to another there is a square of them."""


def brokers(option: str, value: Any) -> tuple[tuple[int, str | None], ...]:
    """``0-18,21:b`` as (id, rack) pairs, ascending and without repeats."""
    named: dict[int, str | None] = {}
    for item in items(option, value):
        match = BROKER.fullmatch(item)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (0, -1)
        if match is None or not first <= last <= MOST:
            raise UnusableInput(
                f"{quoted(item)} is not a broker",
                source=option,
                advice="Write ids or ranges: 0-18,21 or 21:RACK",
            )
        if len(named) + last - first >= MOST_BROKERS:
            raise UnusableInput(
                f"{quoted(item)} makes them more than {MOST_BROKERS:,} brokers", source=option,
                advice="Give fewer brokers",
            )  # fmt: skip
        for broker in range(first, last + 1):
            named[broker] = match[3] or named.get(broker)
    return tuple(sorted(named.items()))


def broker_ids(option: str, value: Any) -> tuple[int, ...]:
    named = brokers(option, value)
    for broker, rack in named:
        if rack is not None:
            raise UnusableInput(
                f"{quoted(f'{broker}:{rack}')} names a rack", source=option, advice="Give broker ids alone"
            )
    return tuple(broker for broker, _ in named)


def replacements(option: str, value: Any) -> tuple[tuple[int, int], ...]:
    """``3=21,4=22`` as pairs (old, new)."""
    pairs = []
    for item in items(option, value):
        match = re.fullmatch(r"([0-9]{1,10})\s*[=:]\s*([0-9]{1,10})", item)
        old, new = (int(match[1]), int(match[2])) if match else (0, 0)
        if old == new or max(old, new) > MOST:
            raise UnusableInput(
                f"{quoted(item)} is not a replacement", source=option, advice="Write OLD=NEW: 3=21"
            )
        pairs.append((old, new))
    for side, what in ((0, "replaced"), (1, "a replacement")):
        ids = [pair[side] for pair in pairs]
        twice = next((broker for broker in ids if ids.count(broker) > 1), None)
        if twice is not None:
            raise UnusableInput(
                f"broker {twice} is {what} twice", source=option, advice="Give each broker once"
            )
    both = {old for old, _ in pairs} & {new for _, new in pairs}
    if both:
        raise UnusableInput(
            f"broker {min(both)} is replaced and a replacement", source=option, advice="Give each broker once"
        )
    return tuple(sorted(pairs))


def racks(option: str, value: Any) -> tuple[tuple[int, str], ...]:
    """Racks by broker: ``0:a,1:b`` or a mapping."""
    if isinstance(value, Mapping):
        value = [f"{broker}:{'' if rack is None else rack}" for broker, rack in value.items()]
    named = brokers(option, value)
    for broker, rack in named:
        if rack is None:
            raise UnusableInput(f"broker {broker} has no rack", source=option, advice="Write 0:a,1:b")
    return tuple((broker, str(rack)) for broker, rack in named)


def log_dir_names(option: str, value: Any) -> tuple[tuple[int, str], ...]:
    """``7:/data2`` as (broker, path) pairs, each once, ascending."""
    found = set()
    for item in items(option, value):
        match = re.fullmatch(r"([0-9]{1,10}):(/.*)", item, re.DOTALL)
        if match is None or int(match[1]) > MOST:
            raise UnusableInput(
                f"{quoted(item)} is not a log dir", source=option, advice="Write BROKER:PATH: 7:/data2"
            )
        found.add((int(match[1]), match[2]))
    return tuple(sorted(found))
