"""What traffic between racks costs where each is a zone of a cloud: the plan's copies, and what goes on for
ever."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Cluster, Plan, measures
from equipoise.cluster.brokers import IntArray
from equipoise.cluster.rates import inbound, outbound
from equipoise.cluster.zones import MILLION, Consumers, crossing, elsewhere

GB = 10**9
MONTH_S = 30 * 24 * 3600
"""Seconds of a month of 30 days, in which standing traffic is priced."""


def cross_zone(plan: Plan) -> dict[str, Any] | None:
    """The price of what crosses racks, for ``plan.json``; None where nobody asked.

    Copies are priced once, replication, and what consumers read, by the month before and after. A copy comes
    from the leader of the moment, standing replication from the preferred leader. Figures are None where no
    broker has a rack or nothing is known of sizes or rates; of some partitions the unknown ones count 0 and
    are counted.
    """
    price = plan.request.get("cross_zone_price")
    if price is None:
        return None
    cluster, racked = plan.cluster, plan.cluster.brokers.has_racks
    copies = crossing(cluster, plan.target).sum(axis=1)
    rates = inbound(cluster)
    followers = [crossing_followers(cluster, lists) for lists in (cluster.replicas, plan.target)]
    carried = total(cluster.size_bytes, copies) if racked else None
    standing = [total(rates, each) if racked else None for each in followers]
    return {
        "price_per_gb": price,
        "copies": int(copies.sum()) if racked else None,
        "copied_bytes": carried,
        "copies_cost": cost(price, carried),
        "sizes_unknown": int((np.isnan(cluster.size_bytes) & (copies > 0)).sum()),
        "replication_bytes_per_s": standing,
        "replication_cost_per_month": [
            cost(price, None if rate is None else rate * MONTH_S) for rate in standing
        ],
        "rates_unknown": int((np.isnan(rates) & np.any(followers, axis=0) & (cluster.rf > 0)).sum()),
        **consumers(plan, price),
    }


def consumers(plan: Plan, price: float) -> dict[str, Any]:
    """What those read who are in another rack than the preferred leader; nothing where nobody says where
    consumers are."""
    told = plan.request.get("consumers_in")
    if not told:
        return {}
    cluster = plan.cluster
    rates = outbound(cluster, plan.request.get("consumption"))
    where, rows = Consumers.of(cluster, told, None), np.arange(cluster.n_partitions)
    leaders = (measures.position(lists, 0) for lists in (cluster.replicas, plan.target))
    read = [total(rates, where.part(rows, each) / MILLION) for each in leaders]
    return {
        "consumers_bytes_per_s": read,
        "consumers_cost_per_month": [cost(price, None if rate is None else rate * MONTH_S) for rate in read],
    }


def crossing_followers(cluster: Cluster, lists: IntArray) -> npt.NDArray[np.int64]:
    """``(n_partitions,)``: followers in another rack than the preferred leader's."""
    return elsewhere(cluster, measures.position(lists, 0), lists).sum(axis=1)


def total(
    amount: npt.NDArray[np.float64], times: npt.NDArray[np.int64] | npt.NDArray[np.float64]
) -> int | None:
    """The sum over partitions; None where something is to be summed and nothing of it known."""
    summed = amount[times > 0]
    if len(summed) and np.isnan(summed).all():
        return None
    return int(np.ceil((np.nan_to_num(amount) * times).sum()))


def cost(price: float, amount: int | None) -> float | None:
    """In whole cents of whatever the price is in."""
    return None if amount is None else round(price * amount / GB, 2)
