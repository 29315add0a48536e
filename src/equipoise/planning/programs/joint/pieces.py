"""Convex costs of a question cut into steps, each of which is a column of its program."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from equipoise.planning.flow.convex import Steps, steps
from equipoise.planning.flow.network import Int64, Objective


@dataclass(frozen=True, eq=False)
class Pieces:
    """Convex costs of some items cut into steps: an item is its least and what is taken of its steps."""

    item: Int64
    """Arcs, or counts, ``(n_items,)``."""
    least: Int64
    """``(n_items,)``."""
    step: Steps
    """Its owners are positions in ``item``."""
    at_least: int
    """What all items cost where none takes a step, those that can take none among them."""


def pieces(objective: Objective, lower: Int64, upper: Int64, near: Int64, units: int) -> Pieces:
    """The convex part of an objective; ``lower`` and ``upper`` of all arcs, or counts.

    Steps are of one unit around ``near``, so many of them; wider ones cost too much but at their ends.
    """
    least, most = lower[objective.convex], upper[objective.convex]
    at_least = int((objective.distance(least) ** 2).sum())
    # An item that cannot differ is a number, which `at_least` has.
    some = np.flatnonzero(most > least)
    least, most = least[some], most[some]
    low, high = objective.band_low[some], objective.band_high[some]
    bands = Objective.of_bands(0, objective.convex[some], low, high)
    cut = steps(bands, least, most, np.clip(near[objective.convex[some]], least, most), units)
    return Pieces(objective.convex[some].astype(np.int64), least, cut, at_least)


def taken(cut: Pieces, amount: Int64) -> Int64:
    """What is taken of each step, ``(n_steps,)``, where items come to an ``amount``."""
    step = cut.step
    return np.clip(amount[cut.item][step.owner] - step.begin, 0, step.width)
