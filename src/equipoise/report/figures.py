"""The figures of a plan that every face shows: per broker before and after, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Plan, measures
from equipoise.cluster.brokers import FloatArray, IntArray
from equipoise.cluster.health import alive
from equipoise.cluster.measures import CountArray
from equipoise.judge.levels import costs
from equipoise.judge.rules import sides

BoolArray = npt.NDArray[np.bool_]
LOADS = {"replicas": "count", "leaders": "leaders", "size_bytes": "disk"}
"""The load of ``balance`` that a column of :class:`Side` shows."""


@dataclass(frozen=True, eq=False)
class Side:
    """One assignment, before or after; columns have shape ``(n_brokers,)``."""

    replicas: CountArray
    leaders: CountArray
    failover: CountArray
    """Leaders on the worst survivor once this broker is lost, int64."""
    size_bytes: FloatArray
    """Bytes held; partitions of unknown size count 0."""
    in_use: BoolArray
    """Brokers that the spread is taken over: those that may hold replicas, and those that do."""
    rack_violations: int | None
    """None where the rack of a replica is not known."""

    def spread(self, column: str) -> tuple[float, float]:
        """Least and greatest of a column over the brokers in use."""
        values = getattr(self, column)[self.in_use]
        return (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)


@dataclass(frozen=True, eq=False)
class Figures:
    """What a plan changes, measured once for the page and for the terminal."""

    before: Side
    after: Side
    data_moves: int
    bytes_moved: int | None
    leadership_changes: int
    partitions_changed: int
    sizes_known: bool


def measure(plan: Plan) -> Figures:
    """Every figure of ``plan``, from its replica lists alone."""
    cluster = plan.cluster
    return Figures(
        before=side(plan, cluster.replicas),
        after=side(plan, plan.target),
        sizes_known=bool(np.isfinite(cluster.size_bytes).any()),
        **costs(cluster, plan.target),
    )


def side(plan: Plan, replicas: IntArray) -> Side:
    """The figures of one assignment of the plan's cluster."""
    cluster, n_brokers = plan.cluster, plan.cluster.n_brokers
    held = measures.replicas_per_broker(replicas, n_brokers)
    return Side(
        replicas=held,
        leaders=measures.leaders_per_broker(replicas, n_brokers),
        failover=measures.failover_leaders(replicas, n_brokers).max(axis=1, initial=0),
        size_bytes=measures.bytes_per_broker(replicas, cluster.size_bytes, n_brokers),
        in_use=plan.eligible | (held > 0),
        rack_violations=measures.known_rack_violations(
            cluster.brokers, replicas, plan.eligible, strict=plan.request.get("rack_rule") == "strict"
        ),
    )


def holders(plan: Plan, column: str) -> BoolArray:
    """``(n_brokers,)``: brokers over which a column of :class:`Side` is to be level."""
    if column not in ("leaders", "failover"):
        return plan.eligible
    barred = plan.request.get("no_leaders_on") or ()
    up = alive(plan.cluster.brokers, plan.request.get("assume_alive", ()))
    return plan.eligible & up & ~np.isin(plan.cluster.brokers.ids, barred)


def tolerance(plan: Plan, column: str) -> tuple[float, float]:
    """Sides of the band of a column in percent: what was asked for, for what was to be levelled."""
    load = LOADS.get(column)
    return sides(plan.request, load) if load else (0.0, 0.0)


def band(plan: Plan, side: Side, column: str) -> tuple[FloatArray, FloatArray]:
    """Low and high end of each broker's band, ``(n_brokers,)``; 0 where a broker is to hold nothing.

    The share in proportion to broker weight, widened by the tolerance; whole numbers for counts.
    """
    values, allowed = getattr(side, column), holders(plan, column)
    weight = np.where(allowed, np.asarray(plan.cluster.brokers.weight), 0.0)
    share = float(values[allowed].sum()) * weight / max(float(weight.sum()), 1e-300)
    below, above = tolerance(plan, column)
    low, high = share * (1 - below / 100), share * (1 + above / 100)
    # a share that is whole but for rounding must not open the band by one
    return (low, high) if column == "size_bytes" else (np.floor(low + 1e-9), np.ceil(high - 1e-9))


def level_after_failure(plan: Plan, side: Side) -> int:
    """The most leaders that a survivor of one failure needs to have, shared evenly; 0 without survivors."""
    survivors = int(holders(plan, "failover").sum()) - 1
    return -(-int(side.leaders.sum()) // survivors) if survivors > 0 else 0
