"""The options of ``plan`` as text, as the command line and a cluster's ``equipoise.toml`` give them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from equipoise.errors import UnusableInput
from equipoise.formats.units import parse_size
from equipoise.planning.request import ALL_GOALS, Request

Parser = Callable[[str], Any]


def request_of(options: Mapping[str, object], source: str = "") -> Request:
    """The request of options by their names without dashes ("max-moves"); None and False ask for nothing.

    Values are as on the command line, or plain numbers, booleans and lists of the same. Raises
    :class:`UnusableInput` for a name that is no option and a value that its option does not take.
    """
    fields: dict[str, Any] = {}
    for name, value in options.items():
        if name not in PARSERS:
            raise UnusableInput(f"there is no option '{name}'", source=source, advice=f"Known: {', '.join(PARSERS)}")
        if value is None or value is False:
            continue
        text = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        try:
            fields[name.replace("-", "_")] = PARSERS[name](text)
        except ValueError as error:
            raise UnusableInput(str(error), source=source, place=f"--{name}") from None
    return Request(**fields)


def entries(text: str) -> list[str]:
    return [entry.strip() for entry in text.split(",") if entry.strip()]


def number(text: str) -> int:
    if not re.fullmatch(r"\d+", text.strip()):
        raise ValueError(f"'{text}' is not a whole number")
    return int(text)


def brokers(text: str) -> tuple[tuple[int, str | None], ...]:
    """``0-18,21:b`` as pairs (id, rack or None)."""
    listed: dict[int, str | None] = {}
    for entry in entries(text):
        found = re.fullmatch(r"(\d+)(?:-(\d+))?(?::(.+))?", entry)
        if found is None or int(found[2] or found[1]) < int(found[1]):
            raise ValueError(f"'{entry}' is not a broker id, a range such as 0-18 or ID:RACK")
        for broker in range(int(found[1]), int(found[2] or found[1]) + 1):
            listed[broker] = found[3] or listed.get(broker)
    return tuple(sorted(listed.items()))


def ids(text: str) -> tuple[int, ...]:
    """``4,7-9`` as ids."""
    listed = brokers(text)
    named = next((f"{broker}:{rack}" for broker, rack in listed if rack), None)
    if named:
        raise ValueError(f"'{named}' names a rack, which this option does not take")
    return tuple(broker for broker, _ in listed)


def pairs(text: str) -> tuple[tuple[int, int], ...]:
    """``3=21,4=22`` as pairs (old, new)."""
    found = [re.fullmatch(r"(\d+)\s*=\s*(\d+)", entry) for entry in entries(text)]
    if None in found:
        raise ValueError(f"'{entries(text)[found.index(None)]}' is not OLD=NEW")
    return tuple((int(pair[1]), int(pair[2])) for pair in found if pair)


def racks(text: str) -> tuple[tuple[int, str], ...]:
    """``0:a,1:b`` as pairs (id, rack)."""
    listed = brokers(text)
    bare = next((broker for broker, rack in listed if rack is None), None)
    if bare is not None:
        raise ValueError(f"broker {bare} has no rack: write {bare}:RACK")
    return tuple((broker, rack) for broker, rack in listed if rack is not None)


def goals(text: str) -> tuple[str, ...]:
    """Goals by name, each once, in the order given."""
    asked = tuple(dict.fromkeys(entries(text)))
    unknown = next((goal for goal in asked if goal not in ALL_GOALS), None)
    if unknown is not None:
        raise ValueError(f"'{unknown}' is not a goal (known: {', '.join(ALL_GOALS)})")
    return asked


def tolerance(text: str) -> tuple[float, float]:
    """``5`` or ``2:10`` as percentages below and above the share."""
    sides = [float(side) for side in text.split(":")] if re.fullmatch(r"[\d.:]+", text) else []
    if len(sides) not in (1, 2):
        raise ValueError(f"'{text}' is not a percentage, nor LOW:HIGH")
    return sides[0], sides[-1]


def created(text: str) -> tuple[tuple[str, int, int], ...]:
    """``TOPIC:PARTITIONS:RF`` entries."""
    found = [re.fullmatch(r"([\w.-]+):(\d+):(\d+)", entry) for entry in entries(text)]
    if None in found:
        raise ValueError(f"'{entries(text)[found.index(None)]}' is not TOPIC:PARTITIONS:RF")
    return tuple((topic[1], int(topic[2]), int(topic[3])) for topic in found if topic)


def one_of(*names: str) -> Parser:
    def parse(text: str) -> str:
        if text not in names:
            raise ValueError(f"'{text}' is none of {', '.join(names)}")
        return text

    return parse


def flag(text: str) -> bool:
    if text.lower() not in ("true", "yes", "1"):
        raise ValueError(f"'{text}' is not true or false")
    return True


PARSERS: Mapping[str, Parser] = {
    "brokers": brokers,
    "add": brokers,
    "drain": ids,
    "replace": pairs,
    "racks": racks,
    "replication-factor": number,
    "topics": str,
    "exclude-topics": str,
    "create": created,
    "goals": goals,
    "balance": lambda text: tuple(entries(text)),
    "tolerance": tolerance,
    "rack-rule": one_of("spread", "strict"),
    "stay-in-rack": flag,
    "no-leaders-on": ids,
    "cordon": ids,
    "max-moves": number,
    "max-bytes": lambda text: int(parse_size(text)),
    "max-changes-per-partition": number,
    "leaders-only": flag,
    "required-only": flag,
    "strategy": str,
}
"""For each option what its text means; one for each field of :class:`Request`."""
