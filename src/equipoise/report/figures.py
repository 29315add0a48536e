"""The figures of a plan that every face shows: per broker before and after, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Plan, measures
from equipoise.cluster.brokers import FloatArray
from equipoise.cluster.measures import CountArray, IntArray

BoolArray = npt.NDArray[np.bool_]


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
    rack_violations: int

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
    bytes_moved: float
    leadership_changes: int
    partitions_changed: int
    sizes_known: bool


def measure(plan: Plan) -> Figures:
    """Every figure of ``plan``, from its replica lists alone."""
    cluster = plan.cluster
    arrivals = measures.arrivals(cluster.replicas, plan.target)
    return Figures(
        before=side(plan, cluster.replicas),
        after=side(plan, plan.target),
        data_moves=int(arrivals.sum()),
        bytes_moved=float((arrivals.sum(axis=1) * np.nan_to_num(cluster.size_bytes)).sum()),
        leadership_changes=int(measures.leadership_changed(cluster.replicas, plan.target).sum()),
        partitions_changed=len(plan.changed),
        sizes_known=bool(np.isfinite(cluster.size_bytes).any()),
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
        rack_violations=rack_violations(plan, replicas),
    )


def rack_violations(plan: Plan, replicas: IntArray) -> int:
    """Partitions that break the rack rule of the plan's request; 0 where no broker names a rack."""
    brokers = plan.cluster.brokers
    if not brokers.has_racks:
        return 0
    strict = plan.request.get("rack_rule") == "strict"
    return measures.rack_violations(replicas, brokers.rack_idx, plan.eligible, strict=strict)


def share(plan: Plan, values: npt.NDArray[Any]) -> FloatArray:
    """What each broker should hold of ``values``' sum if the cluster were level, ``(n_brokers,)``.

    In proportion to broker weight over the brokers that may hold replicas; 0 for the others.
    """
    weight = np.where(plan.eligible, plan.cluster.brokers.weight, 0.0)
    return float(values.sum()) * weight / max(float(weight.sum()), 1e-300)


def band(plan: Plan, values: npt.NDArray[Any], *, whole: bool = True) -> tuple[FloatArray, FloatArray]:
    """Low and high end of each broker's band: share ± the tolerance asked for, whole for counts."""
    level = share(plan, values)
    below, above = plan.request.get("tolerance") or (0.0, 0.0)
    low, high = level * (1 - below / 100), level * (1 + above / 100)
    # a share that is whole but for rounding must not open the band by one
    return (np.floor(low + 1e-9), np.ceil(high - 1e-9)) if whole else (low, high)
