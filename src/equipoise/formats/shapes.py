"""Shapes: what a piece of JSON is expected to look like, and rows that look so.

A shape looks like the JSON it describes::

    {"partitions": [{"topic": str, "partition": Id, "replicas": [Id], "log_dirs?": [str]}]}

A question mark makes a key optional.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
import orjson

BIGGEST_ID = (1 << 31) - 1
MOST_DIGITS = 9
"""Of the number of a partition in its label."""

Shape: TypeAlias = dict[str, Any]


class Id(int):
    """In a shape: a whole number from 0 to 2**31 - 1 (broker ids and partition numbers)."""


def is_id(text: str) -> bool:
    """True for the digits of an `Id`, and nothing around them."""
    return text.isascii() and text.isdigit() and len(text) <= 10 and int(text) <= BIGGEST_ID


@dataclass(frozen=True)
class Partitions:
    """Partitions that rows name in one string each: the topic, a dash (topics may hold more), the number."""

    topics: list[str]
    """In order of appearance."""
    topic_idx: npt.NDArray[np.int32]
    """``(n_rows,)``, -1 for a row that names none."""
    number: npt.NDArray[np.int32]
    """``(n_rows,)``, -1 where there is none; of at most `MOST_DIGITS` digits."""


class JsonRows(Protocol):
    """Objects of one kind, wherever they hang; columns have one value for each."""

    parent: npt.NDArray[np.int64]
    """For each row the row that it hangs under."""

    def __len__(self) -> int: ...

    def rows(self, key: str) -> JsonRows:
        """The objects in the lists under ``key``, of all rows together."""

    def child(self, key: str) -> JsonRows:
        """The object that stands under ``key`` in each row."""

    def strings(self, key: str) -> tuple[list[str], npt.NDArray[np.int32]]:
        """Distinct strings in order of appearance, and for each row its position (-1: none)."""

    def partitions(self, key: str) -> Partitions:
        """What strings like ``pay-0`` name."""

    def numbers(self, key: str, missing: float = -1) -> npt.NDArray[Any]:
        """One number a row, int64 or float64 as the shape says."""

    def flags(self, key: str) -> npt.NDArray[np.bool_]:
        """One truth value a row, False where there is none."""

    def id_lists(self, key: str) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """All ids of all rows one after the other, and how many each row has."""

    def string_lists(self, key: str) -> tuple[list[str], npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Distinct strings, positions of all rows one after the other, and how many each row has."""

    def where(self, row: int) -> str:
        """Place of a row, ``partitions[3]``."""


def as_text(value: Any) -> str:
    """A value as JSON text."""
    try:
        return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode()
    except (TypeError, orjson.JSONEncodeError):
        return repr(value)
