"""The bytes of one file, from its path or its content, and their digest, which is taken as they are read."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BufferedReader, BytesIO, FileIO, RawIOBase
from pathlib import Path
from typing import Any, cast

from equipoise.pipeline.places.digests import PIECE, digest_of, digest_of_file, digest_of_pieces, sha

HELD_WHOLE = 64 << 20
"""Bytes of a file that may be as it was, which are in memory until that is known."""
HELD = 16
"""Pieces of a file that are in memory: readers ask soon for what lies side by side."""


class Source:
    """A file of samples that a task reads, once: its digest is known when it has been read."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        """``row``: one of FILES, with the column ``content`` where no worker can open the file."""
        content = row.get("content")
        self.content = None if content is None else bytes(content)
        self.path = Path(row["path"] or "")
        self.digest = "" if self.content is None else digest_of(self.content)

    def is_still(self, before: str | None) -> bool:
        """Whether the content is that with the digest ``before``; nothing is read where there is none.

        Of a file that is larger than `HELD_WHOLE`, and is not, everything has to be read again.
        """
        if before is None:
            return False
        if self.content is None:
            if self.path.stat().st_size > HELD_WHOLE:
                self.digest = digest_of_file(self.path)
            else:
                self.content = self.path.read_bytes()
                self.digest = digest_of(self.content)
        return self.digest == before

    @contextmanager
    def opened(self) -> Iterator[BufferedReader]:
        """Its bytes, in any order; what the block leaves of them is read for the digest."""
        if self.content is not None:
            yield BufferedReader(cast("RawIOBase", BytesIO(self.content)))
            return
        with FileIO(self.path) as file:
            pieces = Pieces(file)
            try:
                yield BufferedReader(pieces, PIECE)
            finally:
                self.digest = pieces.at_end()


class Pieces(RawIOBase):
    """A file that is read piece by piece, each once if those near to it are read at about the same time."""

    def __init__(self, file: FileIO) -> None:
        self.file = file
        self.n_bytes = os.fstat(file.fileno()).st_size
        self.at = 0
        self.next = 0
        """The piece at which the file stands."""
        self.sums: dict[int, tuple[int, str]] = {}
        """Bytes and sum of each piece that was read."""
        self.held: dict[int, bytes] = {}

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self.at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self.at, io.SEEK_END: self.n_bytes}[whence]
        return self.at

    def readinto(self, buffer: Any) -> int:
        number, first = divmod(self.at, PIECE)
        some = memoryview(self.piece(number))[first : first + len(buffer)]
        buffer[: len(some)] = some
        self.at += len(some)
        return len(some)

    def piece(self, number: int) -> bytes:
        """One piece; none of its bytes beyond the end."""
        if number in self.held:
            return self.held[number]
        if number != self.next:  # a pipe need not be told where it stands
            self.file.seek(number * PIECE)
        piece = whole_piece(self.file)
        self.next = number + 1
        if piece:
            self.sums.setdefault(number, (len(piece), sha(piece)))
        if len(self.held) == HELD:
            # Parquet files say at their end where all the rest is: that is asked first, and once more.
            end = self.n_bytes // PIECE - HELD // 2
            oldest = next(iter(self.held))
            del self.held[next((held for held in self.held if held < end), oldest)]
        self.held[number] = piece
        return piece

    def at_end(self) -> str:
        """The digest of the whole file."""
        number = 0
        while number in self.sums or self.piece(number):
            number += 1
        sizes, sums = zip(*(self.sums[k] for k in range(number)), strict=True) if number else ((), ())
        return digest_of_pieces(sum(sizes), sums)


def whole_piece(file: FileIO) -> bytes:
    """The next bytes of a file: fewer than a piece at its end alone."""
    parts = []
    left = PIECE
    while left and (part := file.read(left)):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)
