"""A case: one command line and the folder that it runs in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

from tools.fuzz.texts import BESIDE, STATES

NOBODY = "127.0.0.1:1"
"""Where no broker listens."""
SERVED = "serve"
"""What stands first in a case that is a call to the service: the verb and its body follow."""


@dataclass(frozen=True)
class Case:
    """One command line and the folder that it runs in."""

    family: str
    arguments: tuple[str, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Contents by path; a ``plan/`` among them is a plan folder that was tampered with."""
    contradicts: bool = False
    """It asks for what cannot all be had: refused, or said."""


def sound(draw: Random) -> dict[str, bytes]:
    """The files of a small cluster."""
    state = draw.choice(list(STATES))
    beside = draw.sample(sorted(BESIDE), draw.choice((0, 0, 1, 2)))
    files = {state: STATES[state], **{name: BESIDE[name] for name in beside}}
    return {f"c/{name}": text.encode() for name, text in files.items()}
