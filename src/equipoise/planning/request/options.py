"""The options of `plan` as people write them, and the request they mean.

The command line, a fleet's request files and the HTTP API all come through here, so an option means
the same everywhere. Names are those of the command line without the leading dashes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from equipoise.errors import UnusableInput
from equipoise.patterns import compiled
from equipoise.planning.goals import ALL_GOALS
from equipoise.planning.problem.params import Effort
from equipoise.planning.problem.request import EVERYTHING, Request
from equipoise.planning.published.settings import read_pairs
from equipoise.units import parse_size
from equipoise.wording import quoted

BALANCES = ("count", "leaders", "disk", "network-in", "network-out", "cpu")
SLACK = 0.001
"""By so much parts of a whole may miss it."""
FILLS = ("disk", "network-in", "network-out", "cpu")
"""What brokers can be full of."""
BROKER = re.compile(r"([0-9]{1,10})(?:-([0-9]{1,10}))?(?::(.+))?", re.DOTALL)
PERCENT = r"([0-9]{1,6}(?:\.[0-9]{1,3})?)%?"
TOLERANCE = re.compile(f"{PERCENT}(?::{PERCENT})?")
LEVEL = re.compile(r"level(?::([0-9]{1,3}(?:\.[0-9]{1,3})?))?")
MOST = 2**31 - 1
"""The largest id or count, as in Kafka's protocol."""
MOST_BROKERS = 5_000
"""That an option may name; of what one broker's failure leaves to another there is a square of them."""
MOST_REPLICAS = 100_000
"""Of a partition to create."""
MOST_PARTITIONS = 1_000_000
"""Of one topic to create."""


def request_of(options: Mapping[str, Any]) -> Request:
    """The request that options mean; absent and None keep their default.

    Raises `UnusableInput` naming the option, the value and what it should look like.
    """
    unknown = sorted(name for name in options if name not in READERS)
    if unknown:
        raise UnusableInput(
            "there is no such option", source=unknown[0] or quoted(""),
            advice=f"Options are {', '.join(READERS)}",
        )  # fmt: skip
    fields: dict[str, Any] = {
        name.replace("-", "_"): READERS[name](f"--{name}", value)
        for name, value in options.items()
        if value is not None
    }
    if fields.get("leaders_only") and fields.get("required_only"):
        raise UnusableInput(
            "cannot be combined with --required-only", source="--leaders-only", advice="Give one of them"
        )
    if fields.get("leaders_only") and (fields.get("log_dirs") or fields.get("drain_dir")):
        raise UnusableInput(
            "cannot be combined with log dirs, between which data is copied", source="--leaders-only",
            advice="Leave out --log-dirs and --drain-dir",
        )  # fmt: skip
    return Request(**fields)


def items(option: str, value: Any) -> list[str]:
    """The parts of a comma list; a list from a file is taken as it is."""
    parts = value if isinstance(value, list | tuple) else str(value).split(",")
    found = [str(part).strip() for part in parts if str(part).strip()]
    if not found:
        raise UnusableInput(
            "nothing is given", source=option, advice="Give at least one value, or leave it out"
        )
    return found


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


def created(option: str, value: Any) -> tuple[tuple[str, int, int], ...]:
    """``TOPIC:PARTITIONS:RF`` triples."""
    found = []
    for item in items(option, value):
        match = re.fullmatch(r"([a-zA-Z0-9._-]+):([0-9]{1,10}):([0-9]{1,10})", item)
        if match is None or int(match[2]) > MOST_PARTITIONS or int(match[3]) > MOST_REPLICAS:
            raise UnusableInput(
                f"{quoted(item)} is not a topic to create", source=option, advice="Write TOPIC:PARTITIONS:RF"
            )
        found.append((match[1], int(match[2]), int(match[3])))
    topics = [topic for topic, _, _ in found]
    twice = next((topic for topic in topics if topics.count(topic) > 1), None)
    if twice is not None:
        raise UnusableInput(f"topic {twice} is named twice", source=option, advice="Give each topic once")
    return tuple(sorted(found))


def goals(option: str, value: Any) -> tuple[str, ...]:
    found = items(option, value)
    for goal in found:
        if goal not in ALL_GOALS:
            raise UnusableInput(
                f"there is no goal {quoted(goal)}", source=option, advice=f"Goals are {', '.join(ALL_GOALS)}"
            )
    return tuple(dict.fromkeys(found))


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


def count(option: str, value: Any) -> int:
    written = "" if isinstance(value, bool) else str(value).strip()
    if not re.fullmatch(r"[0-9]+", written):
        raise UnusableInput(f"{quoted(value)} is not a whole number", source=option, advice="Give 0 or more")
    digits = written.lstrip("0") or "0"
    if len(digits) > len(str(MOST)) or int(digits) > MOST:
        raise UnusableInput(f"{quoted(value)} is too large", source=option, advice=f"Give at most {MOST:,}")
    return int(digits)


def positive(option: str, value: Any) -> int:
    number = count(option, value)
    if number < 1:
        raise UnusableInput(f"{quoted(value)} is too small", source=option, advice="Give 1 or more")
    return number


def size(option: str, value: Any) -> int:
    """Bytes, or bytes a second, as `parse_size` reads them."""
    try:
        number = round(parse_size(str(value)))
    except ValueError:
        number = -1
    if not 0 <= number < 2**63:
        raise UnusableInput(
            f"{quoted(value)} is not a size", source=option, advice="Write 1048576, 20MB or 1.5GiB"
        )
    return number


def rate(option: str, value: Any) -> int:
    number = size(option, value)
    if number < 1:
        raise UnusableInput(
            f"{quoted(value)} is too small", source=option, advice="Give at least one byte a second"
        )
    return number


def text(option: str, value: Any) -> str:
    return str(value)


def regex(option: str, value: Any) -> str:
    compiled(str(value), option)
    return str(value)


def rack_rule(option: str, value: Any) -> str:
    if value not in ("spread", "strict"):
        raise UnusableInput(
            f"there is no rack rule {quoted(value)}", source=option, advice="Choose spread or strict"
        )
    return str(value)


def log_dirs(option: str, value: Any) -> str:
    """``level``, or with a tolerance in percent ``level:10``."""
    match = LEVEL.fullmatch(str(value).strip())
    if match is None or float(match[1] or 0) > 100:
        raise UnusableInput(
            f"{quoted(value)} is nothing to do with log dirs", source=option,
            advice="Write level, or level:10 for 10 percent around each dir's share",
        )  # fmt: skip
    return match[0]


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


def price(option: str, value: Any) -> float:
    """What a gigabyte costs, in any currency."""
    match = re.fullmatch(r"[0-9]{1,6}(?:\.[0-9]{1,6})?", str(value).strip())
    if match is None or isinstance(value, bool):
        raise UnusableInput(
            f"{quoted(value)} is not a price", source=option, advice="Write what a GB costs: 0.02"
        )
    return float(match[0])


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


def consumption(option: str, value: Any) -> float:
    """How many times what comes in is read."""
    match = re.fullmatch(r"[0-9]{1,4}(?:\.[0-9]{1,3})?", str(value).strip())
    if match is None or isinstance(value, bool):
        raise UnusableInput(
            f"{quoted(value)} is no multiple of what comes in", source=option,
            advice="Write how many times a record is read: 2, or 0.5",
        )  # fmt: skip
    return float(match[0])


def effort(option: str, value: Any) -> str:
    if value not in tuple(Effort):
        raise UnusableInput(
            f"there is no effort {quoted(value)}", source=option, advice=f"Choose {', '.join(Effort)}"
        )
    return str(value)


def flag(option: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise UnusableInput(f"{quoted(value)} is not true or false", source=option)
    return value


def strategy_settings(option: str, value: Any) -> tuple[tuple[str, str], ...]:
    """``seed=3,shift=2``, or a mapping."""
    if isinstance(value, Mapping):
        value = [f"{name}={written}" for name, written in value.items()]
    return read_pairs(items(option, value))


READERS = {
    "brokers": brokers,
    "add": brokers,
    "drain": broker_ids,
    "replace": replacements,
    "racks": racks,
    "replication-factor": positive,
    "topics": regex,
    "exclude-topics": regex,
    "create": created,
    "goals": goals,
    "balance": balance,
    "tolerance": tolerance,
    "consumption": consumption,
    "rack-rule": rack_rule,
    "stay-in-rack": flag,
    "no-leaders-on": broker_ids,
    "cordon": broker_ids,
    "assume-alive": broker_ids,
    "max-fill": max_fill,
    "rack-capacity": rack_capacity,
    "max-moves": count,
    "max-bytes": size,
    "max-changes-per-partition": count,
    "log-dirs": log_dirs,
    "drain-dir": log_dir_names,
    "cross-zone-price": price,
    "consumers-in": consumers_in,
    "partial": flag,
    "leaders-only": flag,
    "required-only": flag,
    "effort": effort,
    "strategy": text,
    "strategy-settings": strategy_settings,
}
