"""Rows of whole numbers as one number each, and which numbers there are."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Int64 = npt.NDArray[np.int64]
ROOM = 2**62
"""64 bits have to hold a row as one number."""
ROOMY = 16
"""So many times as many numbers as there are may be counted one by one."""


def distinct_rows(table: npt.NDArray[np.signedinteger]) -> tuple[npt.NDArray[np.signedinteger], Int64]:
    """The distinct rows of ``(n, k)`` whole numbers, ascending, and which of them each row is, ``(n,)``.

    What ``np.unique`` finds along an axis, in a tenth of its time: a row is one number of k digits.
    """
    number, size = np.zeros(len(table), dtype=np.int64), 1
    for digit in table.T.astype(np.int64) if len(table) else ():
        base = int(digit.max() - digit.min()) + 1
        if size * base > ROOM:
            number = np.unique(number, return_inverse=True)[1]
            size = int(number.max()) + 1
        number, size = number * base + (digit - digit.min()), size * base
    _, first, which = np.unique(number, return_index=True, return_inverse=True)
    return table[first], which


def distinct(numbers: npt.NDArray[np.integer], size: int) -> tuple[Int64, Int64]:
    """The distinct numbers from 0 to below ``size``, ascending, and which of them each is, ``(n,)``.

    What ``np.unique`` finds, without sorting.
    """
    found = np.zeros(size, dtype=bool)
    found[numbers] = True
    return np.flatnonzero(found), (np.cumsum(found) - 1)[numbers]


def ranks(keys: npt.NDArray[np.integer]) -> Int64:
    """The place of each key among its equals, from 0, ``(n,)``; equals stand side by side."""
    first = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
    return np.arange(len(keys)) - np.repeat(first, np.diff(np.r_[first, len(keys)]))


def counted(numbers: npt.NDArray[np.integer], size: int) -> tuple[Int64, Int64]:
    """The distinct numbers from 0 to below ``size``, ascending, and how often each is there."""
    if size > ROOMY * len(numbers) + ROOMY:
        return np.unique(numbers, return_counts=True)
    count = np.bincount(numbers, minlength=size)
    found = np.flatnonzero(count)
    return found, count[found]


def places(keys: Int64, wanted: Int64, size: int) -> Int64:
    """The place of each wanted number among ``keys``, which ascend below ``size``; -1 where it is none."""
    if size > ROOMY * len(wanted) + ROOMY:
        at = np.searchsorted(keys, wanted)
        inside = np.append(keys, -1)[at] == wanted
        return np.where(inside, at, -1)
    place = np.full(size, -1, dtype=np.int64)
    place[keys] = np.arange(len(keys))
    return place[wanted]
