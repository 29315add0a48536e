"""Folders that appear as a whole or not at all, with the digests of their files."""

from __future__ import annotations

import hashlib
import os
import shutil
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import current_thread, main_thread

from equipoise.errors import UnusableInput

SUMS = "SHA256SUMS"
"""Digests of all other files, as ``sha256sum --check`` reads them."""


@contextmanager
def replaced(out: Path, may_replace: Callable[[Path], str]) -> Iterator[Path]:
    """A new folder beside ``out`` that takes its place when the block ends well.

    ``may_replace`` tells why a folder that is there must stay ("" where it may go). Raises
    :class:`UnusableInput` for that, and where the folder cannot be written.
    """
    out = out.absolute()
    refuse(out, may_replace)
    fresh = out.with_name(f".{out.name}.{os.getpid()}.new")
    try:
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        yield fresh
        with uninterrupted():
            swap(fresh, out)
    except OSError as error:
        raise UnusableInput(f"cannot be written ({error.strerror})", source=str(out)) from None
    finally:
        with uninterrupted():
            shutil.rmtree(fresh, ignore_errors=True)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """For moments in which Ctrl-C would leave a folder astray: it comes too late, or for the second time."""
    if current_thread() is not main_thread():  # which alone hears of it
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def refuse(out: Path, may_replace: Callable[[Path], str]) -> None:
    """Raise unless ``out`` is free, empty or a folder that may be replaced."""
    if not out.exists() and not out.is_symlink():
        return
    if not out.is_dir():
        raise UnusableInput("is there and is not a folder", source=str(out), advice="Choose another --out")
    reason = may_replace(out) if any(out.iterdir()) else ""
    if reason:
        raise UnusableInput(reason, source=str(out), advice="Choose another --out or empty it")


def swap(fresh: Path, out: Path) -> None:
    """Put ``fresh`` where ``out`` is; what was there goes only once ``fresh`` is in place."""
    if not out.exists():
        fresh.rename(out)
        return
    aside = fresh.with_name(fresh.name + ".old")
    out.rename(aside)
    try:
        fresh.rename(out)
    except OSError:
        aside.rename(out)
        raise
    shutil.rmtree(aside, ignore_errors=True)


def write_files(folder: Path, contents: Iterable[tuple[str, bytes]]) -> None:
    """Write files by relative path, and their digests."""
    sums = []
    made = {""}
    for path, data in contents:
        parent = path.rpartition("/")[0]
        if parent not in made:
            (folder / parent).mkdir(parents=True, exist_ok=True)
            made.add(parent)
        (folder / path).write_bytes(data)
        sums.append(f"{hashlib.sha256(data).hexdigest()}  {path}\n")
    (folder / SUMS).write_text("".join(sorted(sums, key=lambda line: line[66:])), encoding="utf-8")


def read_sums(folder: Path) -> dict[str, str]:
    """Digests by relative path; raises :class:`UnusableInput` where the list is missing or damaged."""
    path = folder / SUMS
    try:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    except (OSError, UnicodeDecodeError):
        raise damaged(path, "cannot be read") from None
    sums = {}
    for line in lines:
        digest, gap, name = line[:64], line[64:66], line[66:-1]
        if gap != "  " or not line.endswith("\n") or ".." in name.split("/") or name.startswith("/"):
            raise damaged(path, "was changed after the plan was made")
        sums[name] = digest
    return sums


def read_checked(folder: Path, name: str, digest: str) -> bytes:
    """The bytes of a file; raises :class:`UnusableInput` where they are not those of the digest."""
    path = folder / name
    try:
        data = path.read_bytes()
    except OSError as error:
        raise damaged(path, f"cannot be read ({error.strerror})") from None
    if hashlib.sha256(data).hexdigest() != digest:
        raise damaged(path, "was changed after the plan was made")
    return data


def damaged(path: Path, problem: str) -> UnusableInput:
    """The error for a plan that is no longer what was written."""
    return UnusableInput(problem, source=str(path), advice="Plan again")
