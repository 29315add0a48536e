"""Small JSON, or JSON with a fault in it, as columns by way of Python objects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.formats.faults import Faults
from equipoise.formats.shapes import BIGGEST_ID, MOST_DIGITS, Id, Partitions, Shape, as_text
from equipoise.wording import cut


class ObjectRows:
    """Rows as Python dicts that already agree with their shape."""

    def __init__(
        self,
        objects: list[dict[str, Any]],
        shape: Shape,
        faults: Faults,
        places: list[str],
        parent: npt.NDArray[np.int64],
    ) -> None:
        self.objects, self.faults, self.places, self.parent = objects, faults, places, parent
        self.shape = {key.rstrip("?"): kind for key, kind in shape.items()}

    @classmethod
    def checked(
        cls,
        values: list[Any],
        shape: Shape,
        faults: Faults,
        places: list[str],
        parents: list[int] | None = None,
    ) -> ObjectRows:
        """Rows from values of any kind; what does not agree with the shape is reported and left out."""
        parents = parents if parents is not None else [0] * len(values)
        kept: list[int] = []
        for k, value in enumerate(values):
            fault = misfit(value, shape)
            if fault is None:
                kept.append(k)
                continue
            inner, reason = fault
            place = ".".join(part for part in (places[k], inner) if part)
            faults.report(reason, place=place, text=as_text(value))
        return cls(
            [values[k] for k in kept],
            shape,
            faults,
            [places[k] for k in kept],
            np.array([parents[k] for k in kept], dtype=np.int64),
        )

    def __len__(self) -> int:
        return len(self.objects)

    def where(self, row: int) -> str:
        return self.places[row]

    def rows(self, key: str) -> ObjectRows:
        values: list[Any] = []
        places: list[str] = []
        parents: list[int] = []
        for k, row in enumerate(self.objects):
            below = row.get(key) or []
            here = self.where(k)
            prefix = f"{here}.{key}" if here else key
            values += below
            places += [f"{prefix}[{i}]" for i in range(len(below))]
            parents += [k] * len(below)
        return ObjectRows.checked(values, self.shape[key][0], self.faults, places, parents)

    def child(self, key: str) -> ObjectRows:
        places = [f"{self.where(k)}.{key}".lstrip(".") for k in range(len(self))]
        values = [row.get(key) or {} for row in self.objects]
        return ObjectRows(values, self.shape[key], self.faults, places, np.arange(len(self)))

    def strings(self, key: str) -> tuple[list[str], npt.NDArray[np.int32]]:
        return factorised([row.get(key) for row in self.objects])

    def partitions(self, key: str) -> Partitions:
        labels, label_idx = self.strings(key)
        position: dict[str, int] = {}
        topic = np.full(len(labels) + 1, -1, dtype=np.int32)  # the last one for rows without a string
        number = np.full(len(labels) + 1, -1, dtype=np.int32)
        for k, label in enumerate(labels):
            name, _, digits = label.rpartition("-")  # topics may hold dashes: the last one counts
            if name and digits.isascii() and digits.isdigit() and len(digits) <= MOST_DIGITS:
                topic[k] = position.setdefault(name, len(position))
                number[k] = int(digits)
        return Partitions(list(position), topic[label_idx], number[label_idx])

    def numbers(self, key: str, missing: float = -1) -> npt.NDArray[Any]:
        dtype = np.float64 if self.shape[key] is float else np.int64
        values = (row.get(key) for row in self.objects)
        return np.fromiter((missing if v is None else v for v in values), dtype, len(self.objects))

    def flags(self, key: str) -> npt.NDArray[np.bool_]:
        return np.fromiter((bool(row.get(key)) for row in self.objects), np.bool_, len(self.objects))

    def id_lists(self, key: str) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        lists = [row.get(key) or [] for row in self.objects]
        lengths = np.fromiter(map(len, lists), np.int64, len(lists))
        return np.fromiter(chain.from_iterable(lists), np.int32, int(lengths.sum())), lengths

    def string_lists(self, key: str) -> tuple[list[str], npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        lists = [row.get(key) or [] for row in self.objects]
        names, idx = factorised(list(chain.from_iterable(lists)))
        return names, idx, np.fromiter(map(len, lists), np.int64, len(lists))


def factorised(values: Sequence[str | None]) -> tuple[list[str], npt.NDArray[np.int32]]:
    """Distinct strings in order of appearance and the position of each value, -1 for None."""
    position: dict[str, int] = {}
    idx = [-1 if v is None else position.setdefault(v, len(position)) for v in values]
    return list(position), np.array(idx, dtype=np.int32)


def misfit(value: Any, shape: Shape) -> tuple[str, str] | None:
    """(inner place, reason) of the first disagreement of one object with its shape, or None.

    Lists of objects are looked at only when they are descended into.
    """
    if not isinstance(value, dict):
        return "", f"{cut(as_text(value))} is not a JSON object"
    for name, kind in shape.items():
        key = name.rstrip("?")
        held = value.get(key)
        if held is None:
            if name.endswith("?"):
                continue
            return "", f'"{key}" is missing'
        reason = wrong(held, kind)
        if reason is not None:
            return (f"{key}{reason[0]}", reason[1])
    return None


def wrong(value: Any, kind: Any) -> tuple[str, str] | None:
    """(place within the value, reason) where a value is not of its kind."""
    if isinstance(kind, list):
        if not isinstance(value, list):
            return "", f"{cut(as_text(value))} is not a list"
        if isinstance(kind[0], dict):
            return None
        return next(
            ((f"[{i}]", fault[1]) for i, item in enumerate(value) if (fault := wrong(item, kind[0]))), None
        )
    if isinstance(kind, dict):
        return misfit_below(value, kind)
    accepted, name = KINDS[kind]
    return None if accepted(value) else ("", f"{cut(as_text(value))} is not {name}")


def misfit_below(value: Any, shape: Shape) -> tuple[str, str] | None:
    fault = misfit(value, shape)
    return None if fault is None else (f".{fault[0]}" if fault[0] else "", fault[1])


def is_integer(value: Any) -> bool:
    return type(value) is int and -(1 << 63) <= value < 1 << 63


KINDS: dict[Any, tuple[Callable[[Any], bool], str]] = {
    str: (lambda v: isinstance(v, str), "a string"),
    bool: (lambda v: isinstance(v, bool), "true or false"),
    int: (is_integer, "a whole number"),
    Id: (lambda v: is_integer(v) and 0 <= v <= BIGGEST_ID, "a whole number from 0 on"),
    float: (lambda v: is_integer(v) or isinstance(v, float), "a number"),
}
