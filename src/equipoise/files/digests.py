"""The files of a folder with their digests, so that a changed byte is known."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from io import BufferedReader
from pathlib import Path

from equipoise.errors import UnusableInput

SUMS = "SHA256SUMS"
"""Digests of all other files, as ``sha256sum --check`` reads them."""
MOST_BYTES = 4 << 30
"""Of a file that is read into memory; a plan of ten million replicas has less."""


def write_files(folder: Path, contents: Iterable[tuple[str, bytes]]) -> None:
    """Write files by relative path, and their digests."""
    made = {""}
    for path, data in with_sums(contents):
        parent = path.rpartition("/")[0]
        if parent not in made:
            (folder / parent).mkdir(parents=True, exist_ok=True)
            made.add(parent)
        write_bytes(f"{folder}/{path}", data)


def write_bytes(path: str, data: bytes) -> None:
    """Make a file, or write one anew. A `Path` and a buffer for each of tens of thousands take longer."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o666)
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(handle, left) :]
    finally:
        os.close(handle)


def with_sums(contents: Iterable[tuple[str, bytes]]) -> Iterator[tuple[str, bytes]]:
    """Files by relative path, and at their end the file of their digests."""
    sums = []
    for path, data in contents:
        sums.append(f"{hashlib.sha256(data).hexdigest()}  {path}\n")
        yield path, data
    yield SUMS, "".join(sorted(sums, key=lambda line: line[66:])).encode()


def read_sums(folder: Path) -> dict[str, str]:
    """Digests by relative path; raises :class:`UnusableInput` where the list is missing or damaged."""
    path = folder / SUMS
    try:
        lines = read_bytes(path).decode("utf-8").split("\n")
    except UnicodeDecodeError:
        raise damaged(path, "cannot be read") from None
    except OSError as error:
        raise damaged(path, f"cannot be read ({error.strerror})") from None
    sums: dict[str, str] = {}
    for number, line in enumerate(lines[:-1], start=1):
        digest, gap, name = line[:64], line[64:66], line[66:]
        if gap != "  " or not is_inside(name):
            raise damaged(path, "is not a digest and the name of a file in the folder", f"line {number}")
        if name in sums:
            raise damaged(path, f"names {name} a second time", f"line {number}")
        sums[name] = digest
    if lines[-1]:
        raise damaged(path, "is cut short", f"line {len(lines)}")
    return sums


def is_inside(name: str) -> bool:
    """Whether a name leads to something in a folder, by printable characters alone."""
    return name.isprintable() and not name.startswith("/") and ".." not in name.split("/")


def read_checked(folder: Path, name: str, digest: str) -> bytes:
    """The bytes of a file; raises :class:`UnusableInput` where they are not those of the digest."""
    path = folder / name
    try:
        data = read_bytes(path)
    except OSError as error:
        raise damaged(path, f"cannot be read ({error.strerror})") from None
    if hashlib.sha256(data).hexdigest() != digest:
        raise changed(path)
    return data


def check_digest(folder: Path, name: str, digest: str) -> None:
    """Raise :class:`UnusableInput` where a file, of whatever size, is not the one of the digest."""
    try:
        with opened(f"{folder}/{name}") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise damaged(folder / name, f"cannot be read ({error.strerror})") from None
    if found != digest:
        raise changed(folder / name)


def read_bytes(path: Path) -> bytes:
    """The bytes of a plain file; raises ``OSError`` for anything else and for one that no plan has."""
    with opened(path) as file:
        if os.fstat(file.fileno()).st_size > MOST_BYTES:
            raise OSError(errno.EFBIG, f"it is larger than {MOST_BYTES >> 30} GiB", str(path))
        return file.read()


def opened(path: str | Path) -> BufferedReader:
    """A plain file, open for reading; raises ``OSError`` for anything else, which might never end."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    file = os.fdopen(handle, "rb") if stat.S_ISREG(os.fstat(handle).st_mode) else None
    if file is None:
        os.close(handle)
        raise OSError(errno.EINVAL, "it is not a plain file", str(path))
    return file


def changed(path: Path) -> UnusableInput:
    """The error for a file that is not the one that was written."""
    return damaged(path, "was changed after the plan was made")


def damaged(path: Path, problem: str, place: str = "") -> UnusableInput:
    """The error for a plan that is no longer what was written."""
    return UnusableInput(problem, source=str(path), place=place, advice="Plan again")
