"""Reading a cluster from files, a folder or standard input; formats are found from the content."""

from __future__ import annotations

import gzip
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path

from equipoise.cluster import Cluster
from equipoise.errors import UnusableInput
from equipoise.files.merging import merge
from equipoise.files.overlay import overlay
from equipoise.formats import Fragment, SetAside, cruise_control, parse, reassignment
from equipoise.formats.faults import Faults
from equipoise.formats.interface import HEAD_BYTES
from equipoise.formats.text import readable

__all__ = ["merge", "overlay", "parse_file", "read_reassignment", "read_sources", "source_files"]

STANDARD_INPUT = "-"
GZIP_MAGIC = b"\x1f\x8b"


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


def read_reassignment(path: str | Path) -> Fragment:
    """What somebody wants the replica lists to be, as it is written: nothing in it is judged here.

    Reads reassignment JSON, what ``--generate`` proposes, and Cruise Control's proposals. Raises
    :class:`UnusableInput` for anything else.
    """
    name = "standard input" if str(path) == STANDARD_INPUT else str(path)
    faults = Faults(name)
    text = readable(unpacked(read_bytes(path, name), name), faults)
    if cruise_control.proposals.recognises(text[:HEAD_BYTES]):
        return cruise_control.proposals.parse(text, faults)
    return reassignment.parse(text, faults, proposed=True)


def parse_file(source: str | Path | bytes, name: str | None = None, *, lenient: bool = False) -> Fragment:
    """What one file tells; ``source`` is its path (``-``: standard input) or, as bytes, its content.

    ``name`` is what messages call it. Content may be gzipped. Lenient reading never raises for
    content: what is broken is in ``quarantined``.
    """
    if isinstance(source, bytes):
        content, name = source, name or "input"
    else:
        name = name or ("standard input" if str(source) == STANDARD_INPUT else str(source))
        content = read_bytes(source, name)
    try:
        content = unpacked(content, name)
    except UnusableInput as error:
        if not lenient:
            raise
        return Fragment(name, "", quarantined=(SetAside(name, None, "", "", error.problem),))
    return parse(content, name, lenient=lenient)


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
    files = [file for file in sorted(folder.iterdir()) if file.is_file() and is_source(file.name)]
    if not files:
        advice = "Folders in it are not searched"
        raise UnusableInput("the folder holds no files", source=str(path), advice=advice)
    return [str(file) for file in files]


def is_source(name: str) -> bool:
    """False for what stands beside sources: hidden files, notes, the wish for a plan."""
    return not name.startswith((".", "_")) and not name.lower().endswith((".md", ".toml", "~"))


def read_bytes(path: str | Path, name: str) -> bytes:
    try:
        if str(path) == STANDARD_INPUT:
            return sys.stdin.buffer.read()
        return Path(path).read_bytes()
    except FileNotFoundError:
        advice = "Give a file, a folder, or - for standard input"
        raise UnusableInput("there is no such file", source=name, advice=advice) from None
    except OSError as error:
        raise UnusableInput(f"it cannot be read ({error.strerror})", source=name) from None


def unpacked(content: bytes, name: str) -> bytes:
    """The content without gzip, where it is gzipped."""
    if not content.startswith(GZIP_MAGIC):
        return content
    try:
        return gzip.decompress(content)
    except (OSError, EOFError, zlib.error) as error:
        advice = "Is the file complete?"
        raise UnusableInput(f"broken gzip data ({error})", source=name, advice=advice) from None


def default_name(paths: Sequence[str | Path]) -> str:
    """The name of the first folder or file, without endings."""
    if not paths:
        raise UnusableInput("no source is given", advice="Give a file, a folder or -")
    if str(paths[0]) == STANDARD_INPUT:
        return "cluster"
    first = Path(paths[0]).resolve()
    return first.name if first.is_dir() else first.name.split(".")[0] or first.name
