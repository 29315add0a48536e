"""The seven tests of a rebalance that Wix runs before it is carried out.

Wix Engineering, "4 steps for kafka rebalance", step IV. They say how good an assignment is, where
the rules of `violations.py` say whether it may be carried out.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Cluster, measures
from equipoise.cluster.brokers import IntArray
from equipoise.wording import plural

MOST_CHANGES = 1
"""Changes that a partition may have."""
MOST_DEVIATION_PCT = 15.0
"""Deviation from the median that a broker may have, in percent."""

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Check:
    """One test: what was measured and whether it will do."""

    name: str
    passed: bool
    value: float
    detail: str

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def seven_checks(cluster: Cluster, target: IntArray, eligible: BoolArray | None = None) -> tuple[Check, ...]:
    """The seven checks of going from ``cluster.replicas`` to ``target``, in the order of the article.

    ``eligible`` ``(n_brokers,)`` are the brokers that are to hold replicas (None: all).
    """
    brokers = np.ones(cluster.n_brokers, dtype=bool) if eligible is None else eligible
    counts = measures.replicas_per_broker(target, cluster.n_brokers)
    leaders = measures.leaders_per_broker(target, cluster.n_brokers)
    return (
        changes_in_assignment(cluster, target),
        deviation("topics_are_balanced", "replica", cluster, counts, brokers),
        brokers_to_reduce(cluster, target),
        brokers_in_assign_files(cluster, target, brokers),
        not_empty("topic_list_not_empty", "topic", len(cluster.topics)),
        not_empty("brokers_list_not_empty", "broker", int(brokers.sum())),
        deviation("leadership_balance", "leader", cluster, leaders, brokers),
    )


def changes_per_partition(before: IntArray, after: IntArray) -> npt.NDArray[np.int64]:
    """Brokers exchanged, gained or lost by each partition, ``(n_partitions,)``; order does not count."""
    gained, lost = measures.arrivals_by_row(before, after), measures.arrivals_by_row(after, before)
    return np.maximum(gained, lost)


def changes_in_assignment(cluster: Cluster, target: IntArray) -> Check:
    changes = changes_per_partition(cluster.replicas, target)
    worst = int(changes.max(initial=0))
    over = int((changes > MOST_CHANGES).sum())
    detail = (
        f"at most {plural(worst, 'replica')} of a partition change; "
        f"{plural(over, 'partition changes', 'partitions change')} too many"
    )
    return Check("changes_in_assignment", over == 0, float(worst), detail)


def deviation(
    name: str, what: str, cluster: Cluster, counts: npt.NDArray[np.int64], brokers: BoolArray
) -> Check:
    """Farthest broker from the median, in percent of it.

    One more or less than the median always passes: whole things cannot be levelled any further.
    """
    if not brokers.any():
        return Check(name, True, 0.0, "no broker to measure")
    held = counts[brokers]
    median = float(np.median(held))
    apart = np.abs(held - median)
    worst = int(np.argmax(apart))
    pct = 100.0 * float(apart[worst]) / max(median, 1.0)
    passed = bool(pct <= MOST_DEVIATION_PCT or apart[worst] <= 1)
    broker = int(cluster.brokers.ids[brokers][worst])
    detail = f"broker {broker} has {plural(int(held[worst]), what)}, the median is {median:g}"
    return Check(name, passed, round(pct, 3), detail)


def brokers_to_reduce(cluster: Cluster, target: IntArray) -> Check:
    """Brokers that give replicas away are brokers of the cluster."""
    reduced = np.unique(cluster.replicas[measures.arrivals(target, cluster.replicas)])
    subset = bool(np.isin(cluster.ids_of(reduced), cluster.brokers.ids).all())
    detail = f"brokers that give replicas away: {len(reduced)} of {cluster.n_brokers}"
    return Check("brokers_to_reduce", subset, float(len(reduced)), detail)


def brokers_in_assign_files(cluster: Cluster, target: IntArray, brokers: BoolArray) -> Check:
    held = target[target >= 0]
    outside = held[~brokers[held]]
    ids = ", ".join(str(i) for i in cluster.brokers.ids[np.unique(outside)].tolist())
    detail = f"{plural(len(outside), 'replica')} on brokers outside the list" + (f" ({ids})" if ids else "")
    return Check("brokers_in_assign_files", len(outside) == 0, float(len(outside)), detail)


def not_empty(name: str, what: str, n: int) -> Check:
    return Check(name, n > 0, float(n), plural(n, what))
