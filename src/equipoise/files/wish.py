"""What is wished for a cluster of a fleet: ``equipoise.toml`` in its folder, with the options of ``plan``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from equipoise.errors import UnusableInput
from equipoise.planning.problem.request import Request
from equipoise.planning.request.options import positive, rate, request_of

WISH = "equipoise.toml"


@dataclass(frozen=True)
class Wish:
    """What a plan shall do, and how fast it may be carried out; by default a level cluster."""

    request: Request = field(default_factory=Request)
    throttle: float | None = None
    """Bytes a second."""
    max_inflight: int | None = None


def read_wish(folder: Path) -> Wish:
    """The wish for the cluster of ``folder``; raises :class:`UnusableInput` for one that makes no sense."""
    path = folder / WISH
    if not path.exists():
        return Wish()
    try:
        options = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise UnusableInput(f"cannot be read ({error})", source=WISH) from None
    try:
        throttle, inflight = options.pop("throttle", None), options.pop("max-inflight", None)
        return Wish(
            request_of(options),
            None if throttle is None else float(rate("throttle", throttle)),
            None if inflight is None else positive("max-inflight", inflight),
        )
    except UnusableInput as error:
        place = error.source.removeprefix("--")
        raise UnusableInput(error.problem, source=WISH, place=place, advice=error.advice) from None
