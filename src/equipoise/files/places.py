"""Where files are: on this machine, or in another file system that a scheme names, as ``hdfs://``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol, Self

from equipoise.errors import UnusableInput

SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):/")
"""How the address of another file system begins; as a path, ``hdfs://host`` has lost one of its slashes."""


class Place(Protocol):
    """A file or a folder of any file system: as much of :class:`pathlib.Path` as fleets need.

    What the file system does not do is an :class:`OSError`, wherever that is.
    """

    @property
    def name(self) -> str: ...
    @property
    def suffix(self) -> str: ...
    def __truediv__(self, name: str, /) -> Self: ...
    def __lt__(self, other: Self, /) -> bool: ...
    def iterdir(self) -> Iterator[Self]: ...
    def exists(self) -> bool: ...
    def is_dir(self) -> bool: ...
    def is_file(self) -> bool: ...
    def read_bytes(self) -> bytes: ...
    def read_text(self, encoding: str) -> str: ...
    def write_text(self, data: str, encoding: str) -> int: ...
    def mkdir(self) -> None: ...
    def rename(self, target: Self, /) -> Self: ...
    def unlink(self) -> None: ...


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
