"""Rules on what a wave may contain, beyond links and room.

While a partition moves, Kafka keeps every old replica until all new ones are in the ISR, so the
union is never nearer to losing a rack or the min ISR than the old list was. What can break a rule is
the moment in which the old replicas go: it is the target list that has to keep them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Plan
from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import lengths, most_in_one_rack, rack_limit
from equipoise.scheduling.result import RowArray
from equipoise.wording import plural


def below_min_isr(plan: Plan) -> dict[int, str]:
    """Changed rows whose target is shorter than min.insync.replicas while the list before was not."""
    cluster, rows = plan.cluster, plan.changed
    after = (plan.target[rows] >= 0).sum(axis=1)
    breaks = (after < cluster.min_isr[rows]) & (cluster.rf[rows] >= cluster.min_isr[rows])
    return {
        int(row): f"{plural(n, 'replica')} would be fewer than min.insync.replicas={cluster.min_isr[row]}"
        for row, n in zip(rows[breaks], after[breaks].tolist(), strict=True)
    }


def leaves_rack_rule(plan: Plan) -> RowArray:
    """Changed rows that keep the rack rule before and break it afterwards."""
    cluster, rows = plan.cluster, plan.changed
    if not cluster.brokers.has_racks or not len(rows):
        return rows[:0]
    rack_idx = cluster.brokers.rack_idx
    usable = len(np.unique(rack_idx[plan.eligible]))

    def broken(replicas: IntArray) -> npt.NDArray[np.bool_]:
        limit = rack_limit(lengths(replicas), usable)
        return np.asarray(most_in_one_rack(replicas, rack_idx) > limit)

    worse: RowArray = rows[broken(plan.target[rows]) & ~broken(cluster.replicas[rows])]
    return worse
