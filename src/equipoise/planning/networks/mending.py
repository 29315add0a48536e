"""Where a budget of moves does not pay for all that breaks the rack rule: as much of it as it does.

A price on every move says how far the rule can be mended. The replicas above a limit that may leave for it
are those of the brokers that hold the most; the others are pinned, so that flows, which mend first and
count moves later, spend what there is and no more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from equipoise.planning.basis.certificate import ProvedLevel
from equipoise.planning.flow.network import Int64
from equipoise.planning.goals.racks import Racks
from equipoise.planning.networks.faces import merged_network
from equipoise.planning.networks.move_budget import priced
from equipoise.planning.networks.placement_data import PlacementData, gather
from equipoise.planning.problem.problem import BoolArray, Problem
from equipoise.planning.rules.max_moves import MAX_MOVES


@dataclass(frozen=True, eq=False)
class Mended:
    """A problem in which no more is mended than the budget pays for."""

    problem: Problem
    pinned: BoolArray
    """``(n_partitions,)``: of which it does not pay for all."""
    level: ProvedLevel
    """The bound on ``racks`` within the budget."""


def mended_in_part(problem: Problem) -> Mended:
    """The problem with those replicas pinned whose leaving the budget does not pay for."""
    data = gather(problem)
    net = merged_network(data)
    goal = net.objective(Racks.name)
    spent = priced(net, goal, MAX_MOVES.allowed(problem.request) or 0)
    mended = int(data.excess.sum()) - goal.value(spent.flow)
    pinned = pins(data, mended)
    pinned_problem = replace(problem, pinned=problem.pinned | pinned)
    return Mended(pinned_problem, np.asarray(pinned.any(axis=1)), spent.level(Racks.name))


def pins(data: PlacementData, mended: int) -> BoolArray:
    """``(n_partitions, max_rf)``: what is to be pinned so that so many replicas above a limit may leave."""
    problem = data.problem
    crowded = data.excess[data.slot_row, data.slot_rack] > 0
    slot = np.flatnonzero(crowded & may_stay(data)[data.slot_row])
    # What is mended leaves its broker, so it leaves where it serves the level of replicas, too.
    slot = slot[np.argsort(-surplus(data)[slot], kind="stable")]
    group = data.slot_row[slot] * problem.n_racks + data.slot_rack[slot]
    above = data.excess.ravel()[group]
    candidate = place_in_group(group) < above
    free = np.zeros(len(slot), dtype=bool)
    free[np.flatnonzero(candidate)[:mended]] = True
    # In a rack from which all that is too much may leave nothing is pinned: which replicas those are is the
    # flow's choice. In the others just those leave that were chosen.
    left = np.bincount(group[free], minlength=data.excess.size)
    tied = slot[~free & (left[group] < above) & (data.slot_broker[slot] >= 0)]
    pinned = np.zeros_like(problem.pinned)
    pinned[data.rows[data.slot_row[tied]], data.slot_position[tied]] = True
    return pinned


def may_stay(data: PlacementData) -> BoolArray:
    """``(n_rows,)``: whose replicas may all be pinned.

    Who has fewer replicas afterwards loses those anyway, and what strictness forces is no choice.
    """
    is_whole: BoolArray = data.problem.rf[data.rows] >= data.in_rack.sum(axis=1)
    return is_whole & (data.excess.sum(axis=1) <= data.allowed)


def surplus(data: PlacementData) -> npt.NDArray[np.float64]:
    """``(n_slots,)``: replicas that the broker of each has for its weight; what has to leave comes first."""
    here = data.slot_broker >= 0
    held = np.bincount(data.slot_broker[here], minlength=len(data.brokers)) + data.base
    of_slot = np.full(len(here), np.inf)
    of_slot[here] = (held / np.maximum(data.weight, 1))[data.slot_broker[here]]
    return of_slot


def place_in_group(group: Int64) -> Int64:
    """``(n,)``: how many of the same group stand in front of each."""
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.r_[True, group[order][1:] != group[order][:-1]])
    place = np.empty(len(group), dtype=np.int64)
    place[order] = np.arange(len(group)) - np.repeat(starts, np.diff(np.r_[starts, len(group)]))
    return place
