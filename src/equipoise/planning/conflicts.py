"""Requests that nothing satisfies: a smallest set of rules that conflict, and the nearest ways out.

Bands are aims, never rules, so what can be impossible is one partition by itself (too few brokers or
racks for its replicas), or a budget below what the other rules need. The common conflicts are seen at
once (`Room`); any other is found by solving for fewer and fewer partitions.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from equipoise.cluster.measures import arrivals, replicas_per_rack
from equipoise.errors import ImpossibleRequest
from equipoise.planning.networks.leadable import with_leaders
from equipoise.planning.networks.network import Infeasible
from equipoise.planning.networks.place import place
from equipoise.planning.problem import Problem
from equipoise.planning.relaxations import Alone, option
from equipoise.wording import plural

Int64 = npt.NDArray[np.int64]


def refuse(problem: Problem, row: int, reason: str) -> NoReturn:
    """Raise for a partition that cannot be placed."""
    raise ImpossibleRequest([reason], Alone.of(problem, row).ways_out())


def refuse_impossible(problem: Problem) -> None:
    """Raise `ImpossibleRequest` if some partition cannot be placed by the rules."""
    if problem.movable.any() and not problem.leads.any():
        row = int(np.where(problem.movable, problem.rf, -1).argmax())
        refuse(problem, row, "no broker is left that may lead a partition")
    if problem.request.leaders_only:
        refuse_leaderless(problem)
        return
    room = Room(problem)
    for reasons in (
        room.too_few_brokers,
        room.too_few_leaders,
        room.too_few_racks,
        room.stuck_in_rack,
        room.too_many_changes,
    ):
        reasons()


def refuse_leaderless(problem: Problem) -> None:
    """Raise if a partition stands only on brokers that may not lead, and nothing may move."""
    held = problem.current >= 0
    none = (
        ~(held & problem.leads[np.maximum(problem.current, 0)]).any(axis=1)
        & problem.movable
        & held.any(axis=1)
    )
    if none.any():
        row = int(np.argmax(none))
        refuse(
            problem,
            row,
            f"partition {problem.cluster.label(row)} stands only on brokers that may not lead, "
            "and --leaders-only moves nothing",
        )


class Room:
    """How many replicas each rack can take of each movable partition."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.rows = np.flatnonzero(problem.movable)
        lists = problem.current[self.rows]
        self.rf = problem.rf[self.rows].astype(np.int64)
        self.now = replicas_per_rack(lists, problem.rack_idx, problem.n_racks).astype(np.int64)
        kept = np.where((lists >= 0) & problem.eligible[np.maximum(lists, 0)], lists, -1).astype(np.int32)
        self.kept = replicas_per_rack(kept, problem.rack_idx, problem.n_racks).astype(np.int64)
        fresh = np.where((kept >= 0) & problem.receives[np.maximum(kept, 0)], kept, -1).astype(np.int32)
        receiving = np.bincount(problem.rack_idx[problem.receives], minlength=problem.n_racks)
        already = replicas_per_rack(fresh, problem.rack_idx, problem.n_racks)
        self.available = self.kept + receiving[None, :] - already
        limit = problem.limit[self.rows].astype(np.int64)[:, None]
        strict = problem.request.rack_rule == "strict"
        self.cap = np.broadcast_to(limit, self.now.shape) if strict else np.maximum(limit, self.now)
        if not problem.cluster.brokers.has_racks:
            self.cap = np.broadcast_to(self.rf[:, None], self.now.shape)

    def first(self, bad: npt.NDArray[np.bool_]) -> int | None:
        """Index into ``rows`` of the first bad partition, the one with the most replicas first."""
        some = np.flatnonzero(bad)
        return None if not len(some) else int(some[np.argmax(self.rf[some])])

    def refuse(self, at: int, reason: str) -> NoReturn:
        refuse(self.problem, int(self.rows[at]), reason)

    def too_few_brokers(self) -> None:
        at = self.first(self.available.sum(axis=1) < self.rf)
        if at is not None:
            left, rf = int(self.available[at].sum()), int(self.rf[at])
            self.refuse(
                at,
                f"replication factor {rf} of partition {self.label(at)} needs {plural(rf, 'broker')}; "
                f"{left} can hold it",
            )

    def too_few_leaders(self) -> None:
        """A partition of one replica has to stand where it may be led."""
        problem = self.problem
        lists = problem.current[self.rows]
        stuck = problem.pinned[self.rows] & ~problem.leads[np.maximum(lists, 0)]
        at = self.first(np.asarray(stuck.any(axis=1)) & (self.rf == 1))
        if at is not None:
            holder = lists[at][stuck[at]][0]
            does = "keeps" if holder in problem.cluster.replicas[self.rows[at]] else "takes over"
            self.refuse(
                at,
                f"broker {problem.cluster.brokers.ids[holder]} {does} partition {self.label(at)}, "
                "which has one replica, and may not lead",
            )
        at_home = (lists >= 0) & (problem.leads & problem.eligible)[np.maximum(lists, 0)]
        here = np.asarray(at_home.any(axis=1))
        if (problem.receives & problem.leads).any():
            return
        at = self.first(~here)
        if at is not None:
            self.refuse(at, f"no broker that may lead can take a replica of partition {self.label(at)}")

    def too_few_racks(self) -> None:
        problem = self.problem
        places = np.minimum(self.available, self.cap)
        at = self.first(places.sum(axis=1) < self.rf)
        if at is None:
            return
        rf, racks = int(self.rf[at]), int((self.available[at] > 0).sum())
        names = ", ".join(
            name for name, n in zip(problem.cluster.brokers.rack_names, self.available[at], strict=True) if n
        )
        if problem.request.rack_rule == "strict":
            self.refuse(
                at,
                f"{rf} racks are needed for RF {rf} with one replica per rack "
                f"(partition {self.label(at)}); {racks} {'is' if racks == 1 else 'are'} left ({names})",
            )
        self.refuse(
            at,
            f"partition {self.label(at)} needs {rf} places with "
            f"at most {int(problem.limit[self.rows[at]])} per rack; "
            f"the racks ({names}) have {int(places[at].sum())}",
        )

    def stuck_in_rack(self) -> None:
        problem = self.problem
        if not problem.request.stay_in_rack or problem.n_racks == 1:
            return
        grows = (self.rf >= self.now.sum(axis=1))[:, None]
        short = grows & (np.minimum(self.available, self.cap) < self.now)
        at = self.first(short.any(axis=1))
        if at is None:
            return
        rack = int(np.argmax(short[at]))
        name = problem.cluster.brokers.rack_names[rack]
        held = plural(int(self.now[at, rack]), "replica")
        self.refuse(
            at,
            f"partition {self.label(at)} has {held} in rack {name}, "
            f"which can keep {int(min(self.available[at, rack], self.cap[at, rack]))} under --stay-in-rack",
        )

    def too_many_changes(self) -> None:
        limit = self.problem.request.max_changes_per_partition
        if limit is None:
            return
        existing = self.problem.cluster.rf[self.rows] > 0
        needed = np.maximum(self.rf - np.minimum(self.kept, self.cap).sum(axis=1), 0)
        at = self.first(existing & (needed > limit))
        if at is not None:
            self.refuse(
                at,
                f"partition {self.label(at)} has to change {plural(int(needed[at]), 'replica')}; "
                f"--max-changes-per-partition allows {limit}",
            )

    def label(self, at: int) -> str:
        return self.problem.cluster.label(int(self.rows[at]))


def refuse_together(problem: Problem) -> NoReturn:
    """Raise for rules that each leave room and together leave none: a smallest set that conflicts."""
    row = culprit(problem)
    names = " and ".join(map(option, Alone.of(problem, row).conflicting())) or "the rules"
    refuse(problem, row, f"no place for partition {problem.cluster.label(row)} satisfies {names} together")


def culprit(problem: Problem) -> int:
    """A partition that cannot be placed by itself, found by halves; raises for a budget of all together."""
    rows = np.flatnonzero(problem.movable)
    unlimited = replace(problem.request, max_moves=None, max_changes_per_partition=None)
    try:
        needed = fewest_moves(replace(problem, request=unlimited))
    except Infeasible:
        while len(rows) > 1:
            half = rows[: len(rows) // 2]
            rows = rows[len(rows) // 2 :] if fits(problem, half) else half
        return int(rows[0])
    if problem.request.max_bytes is not None:
        refuse_bytes(float(needed @ np.nan_to_num(problem.cluster.size_bytes)), problem.request.max_bytes)
    return int(needed.argmax())  # it changes more than it may


def fewest_moves(problem: Problem) -> Int64:
    """Data moves of each partition that the rules need; raises `Infeasible`."""
    lists = with_leaders(problem, place(problem, ("moves",)).lists)
    return arrivals(problem.cluster.replicas, lists).sum(axis=1)


def fits(problem: Problem, rows: Int64) -> bool:
    """True where some partitions can be placed, the others as they are."""
    movable = np.zeros(len(problem.movable), dtype=bool)
    movable[rows] = True
    try:
        fewest_moves(replace(problem, movable=movable))
    except Infeasible:
        return False
    return True


def refuse_budget(needed: int, allowed: int) -> None:
    """Raise if the rules alone need more data moves than ``--max-moves`` allows."""
    if needed > allowed:
        raise ImpossibleRequest(
            [f"the rules need {plural(needed, 'data move')}; --max-moves allows {allowed:,}"],
            [f"allow {needed:,} (--max-moves)"],
        )


def refuse_bytes(needed: float, allowed: int) -> None:
    """Raise if even the fewest moves that were found carry more than ``--max-bytes`` allows."""
    if needed > allowed:
        raise ImpossibleRequest(
            [f"the moves that the rules need carry {ceil(needed):,} bytes; --max-bytes allows {allowed:,}"],
            [f"allow {ceil(needed):,} (--max-bytes)"],
        )
