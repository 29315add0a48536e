"""What traffic between racks costs where each is a zone of a cloud: the plan's copies, and what goes on for
ever."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Cluster, Plan, measures
from equipoise.cluster.brokers import FloatArray, IntArray
from equipoise.cluster.rates import inbound, outbound
from equipoise.cluster.zones import crossing, elsewhere

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
    read = [total(rates, part) for part in far_parts(cluster, told, (cluster.replicas, plan.target))]
    return {
        "consumers_bytes_per_s": read,
        "consumers_cost_per_month": [cost(price, None if rate is None else rate * MONTH_S) for rate in read],
    }


def far_parts(
    cluster: Cluster, told: Sequence[tuple[str, str, float]], orders: Sequence[IntArray]
) -> Iterator[FloatArray]:
    """``(n_partitions,)`` for each of some lists: the part of consumers in another rack than the leader."""
    racks = cluster.brokers.rack_names
    position = {rack: k for k, rack in enumerate(racks)}
    default = {rack: part for topic, rack, part in told if not topic}
    own = {topic: {rack: part for t, rack, part in told if t == topic} for topic, _, _ in told if topic}
    near = np.zeros((len(cluster.topics), len(racks)))
    for at, topic in enumerate(cluster.topics):
        for rack, part in own.get(topic, default).items():
            if rack in position:
                near[at, position[rack]] = part
    known = np.array([topic in own or bool(default) for topic in cluster.topics], dtype=bool)
    for lists in orders:
        leader = measures.position(lists, 0)
        there = (leader >= 0) & np.append(cluster.brokers.racked, False)[leader] & known[cluster.topic_idx]
        led_in = np.append(cluster.brokers.rack_idx, 0)[leader]
        yield np.where(there, 1 - near[cluster.topic_idx, led_in], 0.0)


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
