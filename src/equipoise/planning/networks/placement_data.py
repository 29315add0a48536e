"""What every placement network is built from: the partitions that may change, as flat columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.cluster import zones
from equipoise.cluster.measures import replicas_per_rack
from equipoise.planning.basis.distinct import distinct_rows
from equipoise.planning.flow.network import Infeasible, Int64
from equipoise.planning.goals import PLACEMENT
from equipoise.planning.problem.bands import whole_weights
from equipoise.planning.problem.problem import Problem
from equipoise.planning.rules.rack_rule import above_limit, allowed_excess

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class PlacementData:
    """What every placement network is built from: the partitions that may change."""

    problem: Problem
    rows: Int64
    """Movable partitions, ``(n_rows,)``."""
    in_rack: Int64
    """``(n_rows, n_racks)``: replicas in each rack."""
    excess: Int64
    """``(n_rows, n_racks)``: those above the limit."""
    allowed: Int64
    """``(n_rows,)``: how many may be above it afterwards."""
    kind: Int64
    """``(n_rows,)``: partitions of one kind stand alike in the racks; units never mix kinds."""
    brokers: Int64
    """Positions of eligible brokers, ``(n_eligible,)``."""
    slot_row: Int64
    """Replicas of movable partitions, ``(n_slots,)``: index into ``rows``."""
    slot_position: Int64
    """Position in the replica list."""
    slot_broker: Int64
    """Index into ``brokers``, -1 where the replica has to leave."""
    slot_rack: Int64
    slot_pinned: BoolArray
    base: Int64
    """``(n_eligible,)``: replicas of partitions that may not change."""
    rack: Int64
    """``(n_eligible,)``: rack of each eligible broker."""
    receives: BoolArray
    """``(n_eligible,)``."""
    leads: BoolArray
    """``(n_eligible,)``."""
    weight: Int64
    """``(n_eligible,)``: whole-number weights."""
    held: Int64 | None = None
    """``(n_eligible,)``: replicas that each broker has to end with, where that is decided."""

    @property
    def n_replicas(self) -> int:
        """Replicas on eligible brokers afterwards."""
        return int(self.base.sum() + self.problem.rf[self.rows].sum())


def gather(problem: Problem) -> PlacementData:
    """The movable partitions of a problem as flat columns."""
    brokers = np.flatnonzero(problem.eligible)
    place = np.full(problem.cluster.n_brokers + 1, -1, dtype=np.int64)
    place[brokers] = np.arange(len(brokers))
    rows = np.flatnonzero(problem.movable)
    held = problem.current[rows]
    slot_row, slot_position = np.nonzero(held >= 0)
    broker = held[slot_row, slot_position]
    fixed = problem.current[~problem.movable]
    base = np.bincount(fixed[fixed >= 0], minlength=problem.cluster.n_brokers)[brokers]
    # A partition of one replica has to stand where it may be led.
    homeless = (problem.rf[rows][slot_row] == 1) & ~problem.leads[broker]
    pinned = problem.pinned[rows][slot_row, slot_position]
    if np.any(homeless & pinned):
        raise Infeasible
    # Replicas that have to leave count in their racks, too: what there is of excess is what stands today.
    in_rack = replicas_per_rack(held, problem.rack_idx, problem.n_racks).astype(np.int64)
    excess, allowed = above_limit(problem, rows, in_rack), allowed_excess(problem, rows, in_rack)
    return PlacementData(
        problem=problem,
        rows=rows,
        in_rack=in_rack,
        excess=excess,
        allowed=allowed,
        kind=kinds(problem, rows, (in_rack, np.column_stack([excess, allowed]))),
        brokers=brokers,
        slot_row=slot_row,
        slot_position=slot_position,
        slot_broker=np.where(homeless, -1, place[broker]),
        slot_rack=problem.rack_idx[broker].astype(np.int64),
        slot_pinned=pinned,
        base=base.astype(np.int64),
        rack=problem.rack_idx[brokers].astype(np.int64),
        receives=problem.receives[brokers],
        leads=problem.leads[brokers],
        weight=whole_weights(problem.cluster.brokers.weight[brokers]),
    )


def asks_for_sources(problem: Problem) -> bool:
    """True where a goal asks from which rack a replica is copied."""
    return any(PLACEMENT[goal].of_sources for goal in problem.goals if goal in PLACEMENT)


def kinds(problem: Problem, rows: Int64, in_racks: tuple[Int64, Int64]) -> Int64:
    """Partitions alike in replicas per rack, limit and replication factor, as numbers from 0.

    Which replica may change racks depends on where the partition's others are: a unit that forgot
    it would promise moves that no partition can make. Where racks are many, only those that hold
    too much tell kinds apart: ``in_racks`` are ``in_rack``, and what is and may be above the limit.
    Where a goal asks for it, they are alike in the rack that they are copied from, too.
    """
    sources = [zones.source_racks(problem.cluster)[rows]] if asks_for_sources(problem) else []
    # Each kind is a unit of the merged network, so many kinds would bring back the size that it is to save.
    for facts in in_racks:
        alike, kind = distinct_rows(np.column_stack([facts, problem.limit[rows], problem.rf[rows], *sources]))
        if len(alike) <= problem.params.kinds:
            return kind
    # One kind for all is still a relaxation: bounds hold, and what it promises too much of shows where it
    # cannot be disaggregated.
    return np.zeros(len(rows), dtype=np.int64)
