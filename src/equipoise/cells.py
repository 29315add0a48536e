"""Millions of lines of text at once: each line is a row of cells of one byte, 0 where a cell is empty.

Every piece of a line is an array ``(n, width)`` uint8, as wide as its longest; the pieces are put side
by side and the empty cells taken out in one step. No text may hold a NUL; escaped in JSON none does.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Cells = npt.NDArray[np.uint8]
Words = npt.NDArray[np.bytes_]
Numbers = npt.NDArray[np.int32] | npt.NDArray[np.int64]

BLOCK = 20_000
"""Lines laid out at one time at most by those who have millions."""


def text(*pieces: Cells) -> bytes:
    """The lines of these pieces, one after the other."""
    return np.concatenate(pieces, axis=1).tobytes().translate(None, b"\0")


def constant(word: bytes, n: int) -> Cells:
    """``n`` rows of the same word."""
    return np.broadcast_to(np.frombuffer(word, dtype=np.uint8), (n, len(word)))


def words(texts: Sequence[bytes]) -> Words:
    """Texts of any lengths as one array, to choose from."""
    return np.array(texts, dtype=np.bytes_)


def chosen(some: Words, at: npt.NDArray[np.integer]) -> Cells:
    """The words at positions ``at`` ``(n,)``."""
    return some[at][:, None].view(np.uint8)


def digits(values: Numbers) -> Cells:
    """Decimal digits of integers ``(...)``, right-aligned, ``(..., width)``; a negative one has none."""
    width = len(str(max(0, int(values.max(initial=0)))))
    cells = np.empty((*values.shape, width), dtype=np.uint8)
    rest, shown = values, values >= 0
    for k in reversed(range(width)):
        above = rest // 10
        cells[..., k] = (rest - above * 10 + ord("0")) * shown
        rest, shown = above, above > 0
    return cells


def lists(ids: npt.NDArray[np.int32]) -> Cells:
    """Comma-separated lists of ids ``(n, longest)``, -1 beyond the end of each."""
    commas = (ids >= 0)[..., None] * constant(b",", 1)
    cells = np.concatenate([commas, digits(ids)], axis=-1)
    return cells.reshape(len(ids), cells.shape[1] * cells.shape[2])[:, 1:]
