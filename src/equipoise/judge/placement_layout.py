"""Nodes of the placement network: which partitions it takes together, and what number each node has.

Nodes: 0 the sink; the eligible brokers; the cells, topic by topic; the pools, unit by unit; with a limit
on changes a second half of pools, where arrivals start; the centres, where there are several racks; the
crowds, of units with replicas above the limit of a rack; and the racks, between the brokers and the sink,
where a goal counts what they hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from equipoise.cluster import measures
from equipoise.cluster.brokers import IntArray
from equipoise.judge.rules import rack_limits
from equipoise.judge.violations import Case

Int64 = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Layout:
    """Rows that may change, the units and topics they belong to, and where nodes are."""

    case: Case
    rows: Int64
    """Partitions that may change, ``(n_rows,)``."""
    unit: Int64
    """``(n_rows,)``."""
    topic: Int64
    """``(n_units,)``: rank among the topics that have such rows."""
    brokers: Int64
    """Positions of the eligible brokers."""

    @property
    def n_units(self) -> int:
        return len(self.topic)

    @property
    def n_topics(self) -> int:
        return int(self.topic.max(initial=-1)) + 1

    @property
    def n_racks(self) -> int:
        return len(self.case.cluster.brokers.rack_names)

    @property
    def limited(self) -> bool:
        return self.case.rules.max_changes_per_partition is not None

    def cell(self, topic: Int64, broker: Int64) -> Int64:
        return 1 + len(self.brokers) * (1 + topic) + broker

    def pool(self, unit: Int64, rack: Int64, *, arriving: bool = False) -> Int64:
        half = self.n_units * self.n_racks if arriving and self.limited else 0
        return 1 + len(self.brokers) * (1 + self.n_topics) + half + unit * self.n_racks + rack

    def centre(self, unit: Int64) -> Int64:
        if self.n_racks == 1:
            return self.pool(unit, np.zeros_like(unit))
        return self.n_nodes - self.n_sums - self.n_crowds - self.n_units + unit

    def crowd(self, unit: Int64) -> Int64:
        """Where what a crowded unit has above the limit leaves its rack."""
        return self.n_nodes - self.n_sums - self.n_crowds + (np.cumsum(self.is_crowded) - 1)[unit]

    def rack(self, rack: Int64) -> Int64:
        """Where what a rack's brokers hold flows to: the rack's own node, or the sink."""
        return self.n_nodes - self.n_racks + rack if self.n_sums else np.zeros_like(rack)

    @property
    def n_sums(self) -> int:
        """Nodes that count what racks hold."""
        return self.n_racks if self.case.counts_racks and self.n_racks > 1 else 0

    @property
    def n_nodes(self) -> int:
        pools = self.n_units * self.n_racks * (2 if self.limited else 1)
        centres = self.n_units if self.n_racks > 1 else 0
        before = 1 + len(self.brokers) * (1 + self.n_topics) + pools + centres
        return before + self.n_crowds + self.n_sums

    @property
    def n_crowds(self) -> int:
        return int(self.is_crowded.sum())

    @cached_property
    def is_crowded(self) -> BoolArray:
        """``(n_units,)``: some of its partitions have, or may have, replicas above the limit of a rack."""
        most = np.maximum(self.above.sum(axis=1), self.allowed) * (self.n_racks > 1)
        return np.bincount(self.unit, weights=most, minlength=self.n_units) > 0

    @cached_property
    def counts(self) -> Int64:
        """``(n_rows, n_racks)``: replicas of each partition in each rack, with replaced brokers exchanged."""
        table = self.case.cluster.brokers
        lists = self.case.rules.base[self.rows]
        return measures.replicas_per_rack(lists, table.rack_idx, self.n_racks).astype(np.int64)

    @cached_property
    def limit(self) -> Int64:
        """``(n_rows, 1)``: replicas of each partition that a rack may hold."""
        return limit_of(self.case, self.case.rules.rf[self.rows])

    @property
    def above(self) -> Int64:
        """``(n_rows, n_racks)``: replicas above the limit."""
        return np.maximum(self.counts - self.limit, 0)

    @property
    def allowed(self) -> Int64:
        """``(n_rows,)``: how many may be above it afterwards: today's, by the limit of today's number."""
        if self.case.rules.strict_racks:
            return np.zeros(len(self.rows), dtype=np.int64)
        today = limit_of(self.case, self.counts.sum(axis=1, dtype=np.int32))
        return np.maximum(self.counts - today, 0).sum(axis=1)


def limit_of(case: Case, rf: IntArray) -> Int64:
    """``(n_rows, 1)``: replicas that a rack may hold of partitions that have so many."""
    rules = case.rules
    limits = rack_limits(case.cluster.brokers, rules.eligible, rf, strict=rules.strict_racks)
    return limits[:, None].astype(np.int64)


def layout_of(case: Case, units: Int64) -> Layout:
    """The layout of units ``(n_rows,)``; raises ``ValueError`` for one that lies in two topics."""
    rows = np.flatnonzero(case.rules.movable)
    _, topic = np.unique(case.cluster.topic_idx[rows], return_inverse=True)
    return Layout(case, rows, units, common(units, topic), np.flatnonzero(case.rules.eligible))


def grouping(group: np.ndarray, n_rows: int) -> Int64:
    """The group of each row as numbers from 0; raises ``ValueError`` where it is no such array."""
    if group.shape != (n_rows,) or group.dtype.kind != "i":
        raise ValueError(f"units of shape {group.shape} for {n_rows} partitions")
    groups, numbered = np.unique(group, return_inverse=True)
    if not np.array_equal(groups, np.arange(len(groups))):
        raise ValueError("units that are not numbered one after the other")
    return numbered.astype(np.int64)


def common(fine: Int64, coarse: Int64) -> Int64:
    """For each group of ``fine`` the one of ``coarse`` that it lies in; raises ``ValueError`` if in two."""
    of = np.zeros(int(fine.max(initial=-1)) + 1, dtype=np.int64)
    of[fine] = coarse
    if not np.array_equal(of[fine], coarse):
        raise ValueError("a unit that lies in two others")
    return of


def like(fine: Layout, merged: Layout, unit: Int64) -> Int64:
    """For each node of ``fine`` its like in ``merged``, where unit u has become ``unit[u]``."""
    n = len(fine.brokers)
    of, rack = (axis.ravel() for axis in np.indices((fine.n_units, fine.n_racks)))
    return np.concatenate(
        [
            np.arange(1 + n),
            1 + n + np.tile(np.arange(n), fine.n_topics),
            merged.pool(unit[of], rack),
            *([merged.pool(unit[of], rack, arriving=True)] if fine.limited else []),
            *([merged.centre(unit)] if fine.n_racks > 1 else []),
            merged.crowd(unit[fine.is_crowded]),
            merged.rack(np.arange(fine.n_sums)),
        ]
    )
