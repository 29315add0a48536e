"""Rules on what a wave may contain, beyond links and room.

While a partition moves, Kafka keeps every old replica until all new ones are in the ISR, so the
union is never nearer to losing a rack or the min ISR than the old list was. What can break a rule is
the moment in which the old replicas go: it is the target list that has to keep them.
"""

from __future__ import annotations

from equipoise.cluster import Plan
from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import lengths, rack_excess, rack_limits
from equipoise.scheduling.result import RowArray
from equipoise.wording import plural


def below_min_isr(plan: Plan) -> dict[int, str]:
    """Changed rows whose target is shorter than min.insync.replicas while the list before was not."""
    cluster, rows = plan.cluster, plan.changed
    after = (plan.target[rows] >= 0).sum(axis=1)
    # A list that is too short today does not become so by its move.
    breaks = (after < cluster.min_isr[rows]) & (cluster.rf[rows] >= cluster.min_isr[rows])
    return {
        int(row): f"{plural(n, 'replica')} would be fewer than min.insync.replicas={cluster.min_isr[row]}"
        for row, n in zip(rows[breaks], after[breaks].tolist(), strict=True)
    }


def leaves_rack_rule(plan: Plan) -> RowArray:
    """Changed rows that have more replicas above their racks' limit afterwards than before."""
    cluster, rows = plan.cluster, plan.changed
    if not cluster.brokers.has_racks or not len(rows):
        return rows[:0]
    rack_idx, usable = cluster.brokers.rack_idx, plan.eligible & cluster.brokers.racked

    def excess(replicas: IntArray) -> IntArray:
        limit = rack_limits(lengths(replicas), rack_idx, usable, strict=plan.strict_racks)
        return rack_excess(replicas, rack_idx, limit)

    worse: RowArray = rows[excess(plan.target[rows]) > excess(cluster.replicas[rows])]
    return worse
