"""What is wished for a cluster of a fleet: ``equipoise.toml`` in its folder, with the options of ``plan``."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Self

from equipoise.errors import UnusableInput
from equipoise.files.places import Place
from equipoise.planning.problem.request import Request
from equipoise.planning.request.options import READERS as PLAN
from equipoise.planning.request.options import request_of
from equipoise.planning.request.values import positive, rate
from equipoise.units import parse_duration
from equipoise.wording import quoted

WISH = "equipoise.toml"
MOST_NAMED = 40
"""Names that an error lists."""
LOADS = ("mean", "p95", "peak")


@dataclass(frozen=True)
class Wish:
    """What a plan shall do, and how fast it may be carried out; by default a level cluster."""

    request: Request = field(default_factory=Request)
    throttle: float | None = None
    """Bytes a second."""
    max_inflight: int | None = None
    load: str | None = None
    """The figure of measured loads that is planned with, one of `LOADS`; None where it is not named."""
    time_limit_s: float | None = None
    """Seconds that planning may take."""
    memory_limit: int | None = None
    """Bytes that planning may take."""


@dataclass(frozen=True)
class WishFile:
    """``equipoise.toml`` of a fleet or a cluster, as it was read."""

    content: bytes | None = None
    """None where there is none, or it cannot be read."""
    fault: str = ""
    """Why it cannot be read."""

    @classmethod
    def of(cls, folder: Place) -> Self:
        """That of a folder, which need not have one."""
        path = folder / WISH
        try:
            return cls(path.read_bytes() if path.exists() else None)
        except OSError as error:
            return cls(fault=str(error))

    def options(self, source: str = WISH) -> dict[str, Any]:
        """What stands there; errors name the source. Raises `UnusableInput` for what cannot be read."""
        problem = self.fault
        try:
            if not problem:
                return tomllib.loads((self.content or b"").decode())
        except ValueError as error:  # a number of thousands of digits is one of Python's own
            problem = str(error)
        except RecursionError:
            problem = "too deeply nested"
        raise UnusableInput(f"cannot be read ({problem})", source=source)


def read_wish(folder: Place, before: Mapping[str, tuple[Any, str]] | None = None) -> Wish:
    """The wish for the cluster of ``folder``, see `wish_with`."""
    return wish_with(WishFile.of(folder), before)


def wish_with(file: WishFile, before: Mapping[str, tuple[Any, str]] | None = None) -> Wish:
    """The wish for a cluster by its own file; raises :class:`UnusableInput` for one that makes no sense.

    ``before`` has what the fleet wishes for it, value and place by option; what its own file says goes first.
    """
    own = file.options()
    wish_of(own, WISH)
    of_fleet = {option: told for option, told in (before or {}).items() if option not in own}
    try:
        return wish_of({option: value for option, (value, _) in of_fleet.items()} | own, WISH)
    except UnusableInput as error:
        if error.place not in of_fleet:
            raise
        place = f"{of_fleet[error.place][1]}.{error.place}"
        raise UnusableInput(error.problem, source=f"../{WISH}", place=place, advice=error.advice) from None


def wish_of(told: Mapping[str, Any], source: str, above: str = "") -> Wish:
    """What options wish for; errors name the source and, below ``above``, the option."""
    options = dict(told)
    try:
        own = {
            field: reader(f"--{name}", options.pop(name))
            for name, (field, reader) in READERS.items()
            if options.get(name) is not None
        }
        unknown = next((name for name in options if name not in PLAN), None)
        if unknown is not None:
            advice = nearest(unknown, (*PLAN, *READERS))
            raise UnusableInput("there is no such option", source=unknown, advice=advice)
        return Wish(request_of(options), **own)
    except UnusableInput as error:
        place = ".".join(part for part in (above, error.source.removeprefix("--")) if part)
        raise UnusableInput(error.problem, source=source, place=place, advice=error.advice) from None


def nearest(name: str, known: Iterable[str]) -> str:
    """What somebody may have meant, as advice."""
    names = sorted(known)
    close = get_close_matches(name, names, 1, 0.5)
    return f"Did you mean {close[0]}?" if close else f"There are {', '.join(names[:MOST_NAMED])}"


def throttle(option: str, value: Any) -> float:
    return float(rate(option, value))


def load(option: str, value: Any) -> str:
    if value not in LOADS:
        raise UnusableInput(
            f"{quoted(value)} is no figure of a load", source=option, advice=f"Choose {', '.join(LOADS)}"
        )
    return str(value)


def duration(option: str, value: Any) -> float:
    """Seconds of ``600``, ``"90s"``, ``"10m"`` or ``"2h"``."""
    text = str(value).strip()
    try:
        return parse_duration(f"{text}s" if text[-1:].isdigit() else text)
    except ValueError:
        raise UnusableInput(
            f"{quoted(value)} is no time", source=option, advice="Write 600, 90s, 10m or 2h"
        ) from None


READERS: dict[str, tuple[str, Callable[[str, Any], Any]]] = {
    "throttle": ("throttle", throttle),
    "max-inflight": ("max_inflight", positive),
    "load": ("load", load),
    "time-limit": ("time_limit_s", duration),
    "memory-limit": ("memory_limit", rate),
}
"""What a wish may say beside the options of ``plan``: the field that it sets, and who reads it."""
