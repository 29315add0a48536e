"""What is wished for one cluster of a fleet: ``equipoise.toml`` in its folder, with the options of ``plan``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from equipoise.errors import UnusableInput
from equipoise.formats.units import parse_size
from equipoise.formats.options import request_of
from equipoise.planning.request import Request

WISH = "equipoise.toml"


@dataclass(frozen=True)
class Wish:
    """What a plan shall do, and how fast it may be carried out; by default a level cluster."""

    request: Request = Request()
    throttle: float | None = None
    """Bytes a second."""
    max_inflight: int | None = None


def read_wish(folder: Path) -> Wish:
    """The wish for the cluster of ``folder``; raises :class:`UnusableInput` for a file that states none."""
    path = folder / WISH
    if not path.exists():
        return Wish()
    try:
        options = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise UnusableInput(f"cannot be read ({error})", source=WISH) from None
    throttle, inflight = options.pop("throttle", None), options.pop("max-inflight", None)
    request = request_of(options, source=WISH)
    try:
        rate = None if throttle is None else parse_size(str(throttle))
        return Wish(request, rate, None if inflight is None else int(inflight))
    except ValueError as error:
        raise UnusableInput(str(error), source=WISH) from None
