"""Requests that nothing satisfies: which rules conflict, and the nearest ways out.

Bands are aims, never rules, so what can be impossible is one partition by itself (too few brokers or
racks for its replicas), or a budget below what the other rules need.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Cluster
from equipoise.cluster.measures import replicas_per_rack
from equipoise.errors import ImpossibleRequest
from equipoise.planning.networks.network import Infeasible
from equipoise.planning.networks.place import place
from equipoise.planning.problem import Problem, build_problem
from equipoise.planning.request import Request
from equipoise.wording import plural

Int64 = npt.NDArray[np.int64]


def refuse_impossible(problem: Problem) -> None:
    """Raise `ImpossibleRequest` if some partition cannot be placed by the rules."""
    if problem.movable.any() and not problem.leads.any():
        raise ImpossibleRequest(
            ["no broker is left that may lead a partition"], ["take a broker out of --no-leaders-on"]
        )
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
        row = int(np.flatnonzero(none)[0])
        raise ImpossibleRequest(
            [
                f"partition {problem.cluster.label(row)} stands only on brokers that may not lead, "
                "and --leaders-only moves nothing"
            ],
            ["leave out --leaders-only"],
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

    def brokers_out(self, rack: int | None = None) -> str:
        """Brokers that hold replicas now, or could, and are excluded: what keeping one would change."""
        out = ~self.problem.eligible
        if rack is not None:
            out = out & (self.problem.rack_idx == rack)
        return ", ".join(str(i) for i in self.problem.cluster.brokers.ids[out])

    def keep_one(self, rack: int | None = None) -> list[str]:
        out = self.brokers_out(rack)
        if not out:
            return []
        return [f"keep one of brokers {out}" if "," in out else f"keep broker {out}"]

    def too_few_brokers(self) -> None:
        at = self.first(self.available.sum(axis=1) < self.rf)
        if at is None:
            return
        left, rf = int(self.available[at].sum()), int(self.rf[at])
        cordoned = self.problem.eligible & ~self.problem.receives
        ways = self.keep_one()
        if cordoned.any():
            ids = ", ".join(str(i) for i in self.problem.cluster.brokers.ids[cordoned])
            ways.append(
                f"take one of brokers {ids} out of --cordon"
                if "," in ids
                else f"take broker {ids} out of --cordon"
            )
        raise ImpossibleRequest(
            [f"replication factor {rf} of partition {self.label(at)} needs {rf} brokers; {left} can hold it"],
            [
                *ways,
                "add a broker (--add)",
                f"lower the replication factor to {left}" if left else "keep a broker",
            ],
        )

    def too_few_leaders(self) -> None:
        """A partition of one replica has to stand where it may be led."""
        problem = self.problem
        lists = problem.current[self.rows]
        stuck = problem.pinned[self.rows] & ~problem.leads[np.maximum(lists, 0)]
        at = self.first(np.asarray(stuck.any(axis=1)) & (self.rf == 1))
        if at is not None:
            broker = problem.cluster.brokers.ids[lists[at][stuck[at]][0]]
            raise ImpossibleRequest(
                [
                    f"broker {broker} takes over partition {self.label(at)}, "
                    "which has one replica, and may not lead"
                ],
                [f"take broker {broker} out of --no-leaders-on", "replace by another broker"],
            )
        at_home = (lists >= 0) & (problem.leads & problem.eligible)[np.maximum(lists, 0)]
        here = np.asarray(at_home.any(axis=1))
        if (problem.receives & problem.leads).any():
            return
        at = self.first(~here)
        if at is not None:
            raise ImpossibleRequest(
                [f"no broker that may lead can take a replica of partition {self.label(at)}"],
                ["take a broker out of --no-leaders-on", "take a broker out of --cordon"],
            )

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
            ways = [f"allow {-(-rf // max(1, racks))} per rack (--rack-rule spread)", *self.keep_one()]
            raise ImpossibleRequest(
                [
                    f"{rf} racks are needed for RF {rf} with one replica per rack "
                    f"(partition {self.label(at)}); {racks} {'is' if racks == 1 else 'are'} left ({names})"
                ],
                ways,
            )
        full = int(np.argmax(self.cap[at] - self.available[at]))
        raise ImpossibleRequest(
            [
                f"partition {self.label(at)} needs {rf} places with "
                f"at most {int(problem.limit[self.rows[at]])} per rack; "
                f"the racks ({names}) have {int(places[at].sum())}"
            ],
            [
                *self.keep_one(full),
                f"add a broker in rack {problem.cluster.brokers.rack_names[full]} (--add)",
            ],
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
        raise ImpossibleRequest(
            [
                f"partition {self.label(at)} has {held} in rack {name}, "
                f"which can keep {int(min(self.available[at, rack], self.cap[at, rack]))} "
                "under --stay-in-rack"
            ],
            ["leave out --stay-in-rack", *self.keep_one(rack), f"add a broker in rack {name} (--add)"],
        )

    def too_many_changes(self) -> None:
        limit = self.problem.request.max_changes_per_partition
        if limit is None:
            return
        existing = self.problem.cluster.rf[self.rows] > 0
        needed = np.maximum(self.rf - np.minimum(self.kept, self.cap).sum(axis=1), 0)
        at = self.first(existing & (needed > limit))
        if at is not None:
            raise ImpossibleRequest(
                [
                    f"partition {self.label(at)} has to change {plural(int(needed[at]), 'replica')}; "
                    f"--max-changes-per-partition allows {limit}"
                ],
                [f"allow {int(needed[at])}", "ask for less in one plan and plan again after it"],
            )

    def label(self, at: int) -> str:
        return self.problem.cluster.label(int(self.rows[at]))


RULES: dict[str, Any] = {
    "stay_in_rack": False,
    "rack_rule": "spread",
    "no_leaders_on": (),
    "cordon": (),
    "max_changes_per_partition": None,
    "max_moves": None,
    "max_bytes": None,
    "drain": (),
    "brokers": None,
    "replication_factor": None,
}
"""Options that can make a request impossible, from the easiest to give up; with what stands for none."""


def refuse_together(cluster: Cluster, request: Request) -> NoReturn:
    """Raise for rules that each leave room and together leave none: a smallest set that conflicts."""
    given = [name for name, none in RULES.items() if getattr(request, name) != none]
    for name in list(given):
        without = replace(request, **{name: RULES[name]})
        if not is_possible(cluster, without):
            request = without
            given.remove(name)
    options = [f"--{name.replace('_', '-')}" for name in given]
    raise ImpossibleRequest(
        [f"no assignment satisfies {' and '.join(options) or 'the rules'} together"],
        [f"leave out {option}" for option in options],
    )


def is_possible(cluster: Cluster, request: Request) -> bool:
    """True where some assignment satisfies the rules."""
    try:
        problem = build_problem(cluster, request)
        refuse_impossible(problem)
        moves = next(level.value for level in place(problem, ("moves",)).levels)
        return request.max_moves is None or moves <= request.max_moves
    except (ImpossibleRequest, Infeasible):
        return False


def refuse_budget(needed: int, allowed: int) -> None:
    """Raise if the rules alone need more data moves than ``--max-moves`` allows."""
    if needed > allowed:
        raise ImpossibleRequest(
            [f"the rules need {plural(needed, 'data move')}; --max-moves allows {allowed:,}"],
            [f"allow {needed:,}", "drain fewer brokers in one plan"],
        )


def refuse_bytes(needed: float, allowed: int) -> None:
    """Raise if even the fewest moves that were found carry more than ``--max-bytes`` allows."""
    if needed > allowed:
        raise ImpossibleRequest(
            [f"the moves that the rules need carry {int(needed):,} bytes; --max-bytes allows {allowed:,}"],
            [f"allow {int(needed):,}", "drain fewer brokers in one plan"],
        )
