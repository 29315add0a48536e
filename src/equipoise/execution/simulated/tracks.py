"""The copies under way at one moment: how fast each gets on, and which one ends first."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.execution.port import TopicPartition
from equipoise.scheduling.result import FloatArray

ROUNDS = 8
"""Rounds of filling; what is then still unevenly shared is of no account."""


@dataclass(frozen=True)
class Copy:
    """One replica on its way."""

    name: TopicPartition
    source: int
    target: int


@dataclass(eq=False)
class Tracks:
    """One element a copy; columns have shape ``(n_copies,)``."""

    copies: npt.NDArray[Any]
    """:class:`Copy` objects."""
    ends: npt.NDArray[np.int64]
    """``(n_copies, 2)``: the numbers of the two links of each."""
    capacity: FloatArray
    """``(n_links,)``: bytes a second of each link."""
    left: FloatArray
    """Bytes that each still lacks."""

    def __len__(self) -> int:
        return len(self.copies)

    @cached_property
    def rates(self) -> FloatArray:
        """Bytes a second of each copy, links shared fairly (max-min, by progressive filling)."""
        free, full = self.capacity.copy(), self.capacity * 1e-6
        rates, active = np.zeros(len(self)), np.ones(len(self), dtype=bool)
        for _ in range(ROUNDS):
            using = np.bincount(self.ends[active].ravel(), minlength=len(free))
            share = np.divide(free, using, out=np.full(len(free), np.inf), where=using > 0)
            more = np.where(active, share[self.ends].min(axis=1), 0.0)
            rates += more
            free -= np.bincount(self.ends.ravel(), weights=np.repeat(more, 2), minlength=len(free))
            active &= (free > full)[self.ends].all(axis=1)
            if not active.any():
                break
        return np.maximum(rates, 1e-9)

    @property
    def first_end(self) -> float:
        """Seconds until the first copy is complete."""
        return float((self.left / self.rates).min())

    def advance(self, seconds: float) -> list[Copy]:
        """Let time pass; the copies that are complete leave the tracks."""
        amounts = self.rates * seconds
        ended = amounts >= self.left * (1 - 1e-9)
        self.left = self.left - amounts
        landed: list[Copy] = self.copies[ended].tolist()
        if landed:
            self.copies, self.ends, self.left = self.copies[~ended], self.ends[~ended], self.left[~ended]
            del self.rates
        return landed
