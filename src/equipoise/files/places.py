"""Where files are: on this machine, or in another file system that a scheme names, as ``hdfs://``."""

from __future__ import annotations

import re
from pathlib import Path

from equipoise.errors import UnusableInput

SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/")
"""How the address of another file system begins; as a path, ``hdfs://host`` has lost one of its slashes."""


def scheme_of(place: str | Path) -> str:
    """``hdfs`` of ``hdfs://host/folder``; "" for a path of this machine."""
    found = SCHEME.match(str(place))
    return found[1] if found else ""


def on_this_machine(place: Path) -> Path:
    """The path; raises :class:`UnusableInput` for the address of another file system."""
    if scheme := scheme_of(place):
        whole = str(place).replace(":/", "://", 1)
        advice = "Give a folder of this machine, or one that is mounted here"
        raise UnusableInput(f"{scheme}:// is another file system", source=whole, advice=advice)
    return place
