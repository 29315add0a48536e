"""The bytes of one file, from its path or its content, and their digest, which is taken as they are read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BufferedReader, BytesIO, FileIO, RawIOBase
from pathlib import Path
from typing import Any, cast

from equipoise.pipeline.places.digests import digest_of, digest_of_file, written

PIECE = 1 << 20
"""Bytes at a time."""
IN_MEMORY = 256 << 20
"""Bytes of a file that a task may hold beside the samples that it makes of them."""


class Source:
    """A file of samples that a task reads, once: its digest is known when it has been read."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        """``row``: one of FILES, with the column ``content`` where no worker can open the file."""
        content = row.get("content")
        self.content = None if content is None else bytes(content)
        self.path = str(row["path"])
        self.digest = "" if self.content is None else digest_of(self.content)

    @contextmanager
    def opened(self) -> Iterator[BufferedReader]:
        """A stream of its bytes; what the block leaves of them is read for the digest."""
        if self.content is not None:
            yield BufferedReader(cast("RawIOBase", BytesIO(self.content)))
            return
        with FileIO(self.path) as file:
            heard = Heard(file)
            try:
                yield BufferedReader(heard, PIECE)
            finally:
                self.digest = heard.at_end()

    def at_random(self) -> str | bytes:
        """Its content, for what reads here and there; of a file that is large its path, after the digest."""
        path = Path(self.path)
        if self.content is None and path.stat().st_size > IN_MEMORY:
            self.digest = digest_of_file(path)
            return self.path
        if self.content is None:
            self.content = path.read_bytes()
            self.digest = digest_of(self.content)
        return self.content


class Heard(RawIOBase):
    """A file whose bytes go into a digest as they are read."""

    def __init__(self, file: FileIO) -> None:
        self.file = file
        self.sha = hashlib.sha256()
        self.n_bytes = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        n = self.file.readinto(buffer) or 0
        self.sha.update(memoryview(buffer)[:n])
        self.n_bytes += n
        return n

    def at_end(self) -> str:
        """The digest of the whole file."""
        rest = bytearray(PIECE)
        while self.readinto(rest):
            pass
        return written(self.n_bytes, self.sha.hexdigest())
