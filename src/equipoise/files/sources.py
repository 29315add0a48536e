"""Reading a cluster from files, a folder or standard input; formats are found from the content."""

from __future__ import annotations

import gzip
import io
import logging
import os
import stat
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from equipoise.cluster import Cluster
from equipoise.errors import UnusableInput
from equipoise.files.merging import merge
from equipoise.formats import Fragment, SetAside, parse
from equipoise.wording import printable

__all__ = ["merge", "parse_file", "read_sources", "source_files"]

LOG = logging.getLogger(__name__)
STANDARD_INPUT = "-"
GZIP_MAGIC = b"\x1f\x8b"
MOST_UNPACKED = 10**9
"""Bytes that gzip may unpack to, or a pipe may bring: seven million partitions as Kafka describes them."""
PIECE = 1 << 20


def read_sources(
    paths: Sequence[str | Path], *, name: str | None = None, set_aside: list[SetAside] | None = None
) -> Cluster:
    """The cluster that files, folders or ``-`` (standard input) describe together.

    Of a folder every file counts, but not its folders, hidden files or Markdown. ``name`` is by
    default that of the first folder or file. The first fault raises :class:`UnusableInput`; given a
    list ``set_aside``, faulty lines and files are left out and added to it instead.
    """
    files = [file for path in paths for file in source_files(path)]
    fragments = [parse_file(file, lenient=set_aside is not None) for file in files]
    if set_aside is not None:
        set_aside += [entry for fragment in fragments for entry in fragment.quarantined]
    return merge(fragments, name or default_name(paths), set_aside=set_aside)


def parse_file(source: str | Path | bytes, name: str | None = None, *, lenient: bool = False) -> Fragment:
    """What one file tells; ``source`` is its path (``-``: standard input) or, as bytes, its content.

    ``name`` is what messages call it. Content may be gzipped. Lenient reading never raises for
    content: what is broken is in ``quarantined``.
    """
    if isinstance(source, bytes):
        content, name = source, name or "input"
    else:
        name = name or ("standard input" if str(source) == STANDARD_INPUT else printable(str(source)))
        content = read_bytes(source, name)
    try:
        content = unpacked(content, name)
    except UnusableInput as error:
        if not lenient:
            raise
        return Fragment(name, "", quarantined=(SetAside(name, None, "", "", error.problem),))
    fragment = parse(content, name, lenient=lenient)
    LOG.info("%s: %s", name, fragment.format or "nothing of use")
    return fragment


def source_files(path: str | Path) -> list[str]:
    """The files of one SOURCE, by name; a folder gives those that stand in it."""
    folder = Path(path)
    if str(path) == STANDARD_INPUT or not folder.is_dir():
        return [str(path)]
    if (folder / "plan.json").exists() and (folder / "rollback.json").exists():
        raise UnusableInput(
            "this is a plan directory, not the state of a cluster", source=str(path),
            advice=f"Give {folder / 'rollback.json'} for the state that it was planned from",
        )  # fmt: skip
    inside = [file for file in sorted(folder.iterdir()) if is_source(file.name) and not file.is_dir()]
    for file in inside:
        if not file.is_file():
            what = "a pipe or a device" if file.exists() else "a link to nowhere"
            raise UnusableInput(
                f"it is {what}, not a file", source=str(file),
                advice="Give a pipe as a source of its own, or take it out of the folder",
            )  # fmt: skip
    if not inside:
        advice = "Folders in it are not searched"
        raise UnusableInput("the folder holds no files", source=str(path), advice=advice)
    return [str(file) for file in inside]


def is_source(name: str) -> bool:
    """False for what stands beside sources: hidden files, notes, the wish for a plan."""
    return not name.startswith((".", "_")) and not name.lower().endswith((".md", ".toml", "~"))


def read_bytes(path: str | Path, name: str) -> bytes:
    """The content of a file, of a pipe up to its end, or of standard input."""
    try:
        if str(path) == STANDARD_INPUT:
            if sys.stdin is None:
                raise UnusableInput("it is closed", source=name)
            return to_its_end(sys.stdin.buffer, name)
        kind = Path(path).stat()
        if stat.S_ISREG(kind.st_mode):
            return Path(path).read_bytes()
        if stat.S_ISFIFO(kind.st_mode):
            LOG.info("%s: a pipe, waiting for what comes of it", name)
        with Path(path).open("rb") as file:
            if stat.S_ISFIFO(kind.st_mode) or file.isatty() or Path(path).samefile(os.devnull):
                return to_its_end(file, name)
        raise UnusableInput("it is a device, not a file", source=name)
    except FileNotFoundError:
        advice = "Give a file, a folder, or - for standard input"
        raise UnusableInput("there is no such file", source=name, advice=advice) from None
    except OSError as error:
        raise UnusableInput(f"it cannot be read ({error.strerror})", source=name) from None


def to_its_end(stream: IO[bytes], name: str) -> bytes:
    """What a pipe brings; raises :class:`UnusableInput` where that does not seem to end."""
    content = stream.read(MOST_UNPACKED + 1)
    if len(content) > MOST_UNPACKED:
        problem = f"brings more than {MOST_UNPACKED // 10**6:,} MB"
        raise UnusableInput(problem, source=name, advice="If that is right, give it as a file")
    return content


def unpacked(content: bytes, name: str) -> bytes:
    """The content without gzip, where it is gzipped.

    Raises :class:`UnusableInput` where it is broken, or unpacks to more than `MOST_UNPACKED`: its bytes are
    counted piece by piece before any of them are kept.
    """
    if not content.startswith(GZIP_MAGIC):
        return content
    try:
        left = MOST_UNPACKED
        with gzip.open(io.BytesIO(content)) as file:
            while left >= 0 and (piece := file.read(PIECE)):
                left -= len(piece)
        if left >= 0:
            return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        advice = "Is the file complete?"
        raise UnusableInput(f"broken gzip data ({error})", source=name, advice=advice) from None
    problem = f"unpacks to more than {MOST_UNPACKED // 10**6:,} MB"
    raise UnusableInput(problem, source=name, advice="If that is right, unpack it and give the file itself")


def default_name(paths: Sequence[str | Path]) -> str:
    """The name of the first folder or file, without endings; of a pipe "cluster"."""
    if not paths:
        raise UnusableInput("no source is given", advice="Give a file, a folder or -")
    if str(paths[0]) == STANDARD_INPUT:
        return "cluster"
    first = Path(paths[0]).resolve()
    name = printable(first.name)
    if first.is_dir():
        return name
    return name.split(".")[0] or name if first.is_file() else "cluster"
