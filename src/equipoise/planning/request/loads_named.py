"""Options that name loads and how level they are to be, how full brokers may get, and who reads where."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from equipoise.errors import UnusableInput
from equipoise.planning.problem.request import EVERYTHING
from equipoise.planning.request.values import items, size
from equipoise.wording import quoted

BALANCES = (
    "count", "leaders", "disk", "network-in", "leaders-in", "replication-out", "network-out", "cpu",
)  # fmt: skip
SLACK = 0.001
"""By so much parts of a whole may miss it."""
FILLS = ("disk", "network-in", "network-out", "cpu")
"""What brokers can be full of."""
PERCENT = r"([0-9]{1,6}(?:\.[0-9]{1,3})?)%?"
TOLERANCE = re.compile(f"{PERCENT}(?::{PERCENT})?")
LEVEL = re.compile(r"level(?::([0-9]{1,3}(?:\.[0-9]{1,3})?))?")


def balance(option: str, value: Any) -> tuple[str, ...]:
    """What is levelled, in order of importance: ``count``, or ``count:10,disk:5:10``, or ``all``."""
    found: dict[str, str] = {}
    for item in items(option, value):
        what, colon, sides = item.partition(":")
        if what not in (*BALANCES, EVERYTHING):
            raise UnusableInput(
                f"{quoted(what)} cannot be balanced",
                source=option,
                advice=f"Choose from {', '.join(BALANCES)}; or {EVERYTHING}",
            )
        if what in found:
            raise UnusableInput(f"{what} is named twice", source=option, advice="Name each load once")
        own = tolerance(option, sides) if colon else None
        found[what] = what if own is None else f"{what}:{own[0]:g}:{own[1]:g}"
    if EVERYTHING in found and len(found) > 1:
        raise UnusableInput(
            f"{EVERYTHING} cannot be mixed with others", source=option, advice=f"Give {EVERYTHING} alone"
        )
    return tuple(found.values())


def tolerance(option: str, value: Any) -> tuple[float, float]:
    """``5`` or ``LOW:HIGH`` in percent."""
    match = TOLERANCE.fullmatch(str(value).strip())
    if match is None or float(match[1]) > 100:
        raise UnusableInput(
            f"{quoted(value)} is not a tolerance",
            source=option,
            advice="Write percent: 5, or LOW:HIGH as 10:5",
        )
    return float(match[1]), float(match[2] or match[1])


def max_fill(option: str, value: Any) -> tuple[str, ...]:
    """``85%`` of disks, or ``disk:85%,network-in:70%``."""
    found: dict[str, str] = {}
    for item in items(option, value):
        load, colon, percent = item.rpartition(":")
        match = re.fullmatch(PERCENT, percent)
        load = load if colon else "disk"
        if load not in FILLS or match is None or not 0 < float(match[1]) <= 100:
            raise UnusableInput(
                f"{quoted(item)} is not how full a broker may be",
                source=option,
                advice=f"Write 85%, or a percentage each for {', '.join(FILLS)}: disk:85%,network-in:70%",
            )
        if load in found:
            raise UnusableInput(f"{load} is named twice", source=option, advice="Name each load once")
        found[load] = f"{load}:{float(match[1]):g}"
    return tuple(found.values())


def rack_capacity(option: str, value: Any) -> tuple[tuple[str, int], ...]:
    """``a=10TB,b=12TB``, or a mapping."""
    if isinstance(value, Mapping):
        value = [f"{rack}={size}" for rack, size in value.items()]
    found: dict[str, int] = {}
    for item in items(option, value):
        rack, sign, written = item.rpartition("=")
        if not sign or not rack.strip():
            raise UnusableInput(
                f"{quoted(item)} is not a rack's capacity", source=option, advice="Write RACK=SIZE: a=10TB"
            )
        name = rack.strip()
        if name in found:
            raise UnusableInput(f"{quoted(name)} is there twice", source=option, advice="Give it once")
        found[name] = size(option, written)
    return tuple(sorted(found.items()))


def log_dirs(option: str, value: Any) -> str:
    """``level``, or with a tolerance in percent ``level:10``."""
    match = LEVEL.fullmatch(str(value).strip())
    if match is None or float(match[1] or 0) > 100:
        raise UnusableInput(
            f"{quoted(value)} is nothing to do with log dirs", source=option,
            advice="Write level, or level:10 for 10 percent around each dir's share",
        )  # fmt: skip
    return match[0]


def consumers_in(option: str, value: Any) -> tuple[tuple[str, str, float], ...]:
    """``a=0.5,b=0.5`` of all topics, ``TOPIC:a=1`` of one; of each topic parts that add up to 1."""
    found: dict[tuple[str, str], float] = {}
    for item in items(option, value):
        match = re.fullmatch(r"(?:([a-zA-Z0-9._-]+):)?([^=:]+)=([01](?:\.[0-9]{1,6})?|\.[0-9]{1,6})", item)
        if match is None or float(match[3]) > 1:
            raise UnusableInput(
                f"{quoted(item)} is not a part of consumers", source=option,
                advice="Write RACK=PART, or TOPIC:RACK=PART: a=0.5,b=0.5",
            )  # fmt: skip
        at = match[1] or "", match[2].strip()
        if at in found:
            raise UnusableInput(f"{quoted(item)} is there twice", source=option, advice="Give each rack once")
        found[at] = float(match[3])
    for name in sorted({topic for topic, _ in found}):
        whole = sum(part for (topic, _), part in found.items() if topic == name)
        if abs(whole - 1) > SLACK:
            of = f" of {name}" if name else ""
            raise UnusableInput(
                f"the parts{of} add up to {whole:g}", source=option, advice="Give parts that add up to 1"
            )
    return tuple(sorted((topic, rack, part) for (topic, rack), part in found.items()))
