"""Convex costs of a question cut into steps, each of which is a column of its program."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

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
    begin: Int64
    """``(n_steps,)``: what the step's item comes to once all below the step is taken."""
    at_least: int
    """What all items cost where none takes a step, those that are left out among them."""


def pieces(
    objective: Objective, lower: Int64, upper: Int64, near: Int64, units: int, open_: npt.NDArray[np.bool_]
) -> Pieces:
    """The convex part of an objective; ``lower`` and ``upper`` of all arcs, or counts.

    Steps are of one unit around ``near``, so many of them; wider ones cost too much but at their ends. Items
    that are not ``open_`` are at their least without being held there, and left out.
    """
    least, most = lower[objective.convex], upper[objective.convex]
    at_least = int((objective.distance(least) ** 2).sum())
    some = np.flatnonzero(open_[objective.convex])
    least, most = least[some], most[some]
    low, high = objective.band_low[some], objective.band_high[some]
    bands = Objective.of_bands(0, objective.convex[some], low, high)
    cut = steps(bands, least, most, np.clip(near[objective.convex[some]], least, most), units)
    return Pieces(objective.convex[some].astype(np.int64), least, cut, begins(cut, least), at_least)


def begins(cut: Steps, least: Int64) -> Int64:
    """Where each step begins, ``(n_steps,)``: those of an item are taken in the order of their slopes."""
    order = np.lexsort([cut.slope, cut.owner])
    width, owner = cut.width[order], cut.owner[order]
    before = np.cumsum(width) - width
    # Steps of items stand one item after the other: what is before an item's first step is not its own.
    first = np.searchsorted(owner, np.arange(len(least)))
    begin = np.empty_like(cut.width)
    begin[order] = least[owner] + before - before[first[owner]]
    return begin


def taken(cut: Pieces, amount: Int64) -> Int64:
    """What is taken of each step, ``(n_steps,)``, where items come to an ``amount``."""
    step = cut.step
    return np.clip(amount[cut.item][step.owner] - cut.begin, 0, step.width)
