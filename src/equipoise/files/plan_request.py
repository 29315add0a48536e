"""The request that a plan directory holds: whether it is one, and as options of the command line."""

from __future__ import annotations

from collections.abc import Mapping
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from equipoise.errors import UnusableInput
from equipoise.formats.shapes import BIGGEST_ID, as_text
from equipoise.patterns import compiled
from equipoise.planning.problem.request import Request
from equipoise.planning.request.loads_named import balance, max_fill
from equipoise.wording import cut, printable

MOST_BYTES = 2**63 - 1
SHOWN = 60
"""Characters of options that a message shows."""


def check_request(request: Mapping[str, Any], n_brokers: int, source: str) -> None:
    """Raise :class:`UnusableInput` where a value is none that its option takes.

    The kinds are those of :class:`Request`; ids and counts fit in 32 bits, bytes in 64, patterns compile, and
    no partition is to have more replicas than there are brokers.
    """
    kinds = get_type_hints(Request)
    for name, value in request.items():
        place = f"request.{name}"
        if name not in kinds:
            raise UnusableInput("there is no such option", source=source, place=place)
        if not fits(value, kinds[name], MOST_BYTES if name == "max_bytes" else BIGGEST_ID):
            raise UnusableInput(f"{cut(as_text(value))} is not what it takes", source=source, place=place)
        if name in ("topics", "exclude_topics") and value is not None:
            compiled(value, source, place)
        if name == "balance":
            balance(f"{source}, {place}", value)
        if name == "max_fill" and value:
            max_fill(f"{source}, {place}", value)
    factors = [request.get("replication_factor") or 0, *(entry[2] for entry in request.get("create", ()))]
    if max(factors) > n_brokers:
        problem = f"asks for {max(factors):,} replicas of a partition on {n_brokers:,} brokers"
        raise UnusableInput(problem, source=source, place="request")


def request_in(options: Mapping[str, Any]) -> Request:
    """The request that a plan directory holds as JSON, where tuples have become lists."""

    def tuples(value: Any) -> Any:
        return tuple(map(tuples, value)) if isinstance(value, list) else value

    return Request(**{name: tuples(value) for name, value in options.items()})


def fits(value: Any, kind: Any, most: int) -> bool:
    """Whether a JSON value is of a kind as :class:`Request` declares it; a tuple is a list there."""
    parts = get_args(kind)
    if get_origin(kind) in (Union, UnionType):
        return any(fits(value, part, most) for part in parts)
    if get_origin(kind) is tuple:
        if not isinstance(value, list):
            return False
        wanted = parts[:1] * len(value) if parts[-1] is Ellipsis else parts
        return len(value) == len(wanted) and all(map(fits, value, wanted, [most] * len(value)))
    if kind in (int, float):
        return type(value) in (int, kind) and 0 <= value <= most
    return type(value) is kind


def as_options(request: Mapping[str, Any]) -> str:
    """A request as it is given on the command line, on one line and not too long: ``--drain 4``."""
    words = [
        f"--{name.replace('_', '-')}" + ("" if value is True else f" {as_value(name, value)}")
        for name, value in request.items()
    ]
    text = printable(" ".join(words))
    return text if len(text) <= SHOWN else text[: SHOWN - 2] + " …"


def as_value(name: str, value: Any) -> str:
    """The value of an option: parts after commas, what belongs together with ``:`` or, for pairs, ``=``."""
    between = {"replace": "=", "strategy_settings": "=", "tolerance": ":"}
    if not isinstance(value, list | tuple):
        return f"{value:g}" if isinstance(value, float) else str(value)
    nested = any(isinstance(part, list | tuple) for part in value)
    if nested:
        return ",".join(inner(part, between.get(name, ":")) for part in value)
    return between.get(name, ",").join(as_value(name, part) for part in value)


def inner(parts: Any, between: str) -> str:
    """Parts that belong together, without those that were not given."""
    return between.join(str(part) for part in parts if part is not None)
