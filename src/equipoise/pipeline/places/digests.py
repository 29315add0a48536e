"""What tells contents of files apart: their length, which is known without reading them, and SHA-256.

Of a content of several pieces it is that of the digests of these, so that they may be read in any order.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import partial
from pathlib import Path

PIECE = 1 << 20
"""Bytes of a piece."""


def digest_of(content: bytes) -> str:
    pieces = (memoryview(content)[at : at + PIECE] for at in range(0, len(content), PIECE))
    return digest_of_pieces(len(content), [sha(piece) for piece in pieces])


def digest_of_file(path: Path) -> str:
    """The digest of what a file of this machine has in it."""
    with path.open("rb") as stream:
        sums = [sha(piece) for piece in iter(partial(stream.read, PIECE), b"")]
        return digest_of_pieces(stream.tell(), sums)


def digest_of_pieces(n_bytes: int, sums: Sequence[str]) -> str:
    """The digest of a content from the sums of its pieces, in order."""
    whole = sums[0] if len(sums) == 1 else sha("".join(sums).encode())
    return f"{n_bytes}-{whole}"


def sha(piece: bytes | memoryview) -> str:
    """The sum of one piece."""
    return hashlib.sha256(piece).hexdigest()


def may_be_of(digest: str, n_bytes: int) -> bool:
    """Whether a content of so many bytes may have a digest."""
    return digest.startswith(f"{n_bytes}-")
