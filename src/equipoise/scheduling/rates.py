"""What ``--max-fill`` allows brokers of rates and CPU, and ``--rack-capacity`` racks of bytes, in waves."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Plan
from equipoise.cluster.brokers import FloatArray, IntArray
from equipoise.cluster.measures import bytes_per_broker, lengths, replicas_per_rack
from equipoise.cluster.rates import LEADERS_BEAR, borne, room

Bearers = dict[int, list[int]]
"""Broker positions, or racks, by row."""
Pairs = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
"""Rows, and the broker position or rack of each."""


class Rates:
    """What of one load each broker, or rack, may still come to bear.

    A replica that is copied takes what its partition takes, and so does the old one until the whole partition
    is done; and within a wave nobody knows which partition is done first. So what comes counts at once, and
    what goes once the wave is over. Only tight brokers are watched: those that could not bear everything that
    is to come on top of everything they bear. Of what leaders bear, who comes to lead is who gets it.
    """

    def __init__(self, plan: Plan, load: str, allowed: FloatArray) -> None:
        """``allowed`` ``(n_brokers,)``: what each may bear."""
        cluster, rows = plan.cluster, plan.changed
        wide = 1 if load in LEADERS_BEAR else max(cluster.replicas.shape[1], plan.target.shape[1])
        before, after = cluster.replicas[:, :wide], plan.target[:, :wide]
        figure = borne(cluster, load, lengths(plan.target), plan.request.get("consumption"))
        free = np.where(np.isnan(allowed), np.inf, allowed)
        free = free - bytes_per_broker(before, figure, cluster.n_brokers)
        # Of what leaders bear only the first column is compared, so a reorder brings and takes load as well.
        come, go = pairs(rows, after[rows], before[rows]), pairs(rows, before[rows], after[rows])
        self.watch(figure, free, come, go)

    @classmethod
    def of_racks(cls, plan: Plan, capacity: FloatArray) -> Rates:
        """``capacity`` ``(n_racks,)`` bytes; a rack that holds more may go on so. What a replica that moves
        within a rack takes is there once."""
        cluster, rows = plan.cluster, plan.changed
        rack_idx, n = cluster.brokers.rack_idx, len(capacity)
        figure = borne(cluster, "disk", cluster.rf, None)
        held = np.bincount(rack_idx, bytes_per_broker(cluster.replicas, figure, cluster.n_brokers), n)
        before, after = (
            replicas_per_rack(lists[rows], rack_idx, n) for lists in (cluster.replicas, plan.target)
        )
        come, go = (several(rows, more) for more in (after - before, before - after))
        rates = cls.__new__(cls)
        rates.watch(figure, np.maximum(capacity - held, 0), come, go)
        return rates

    def watch(self, figure: FloatArray, free: FloatArray, come: Pairs, go: Pairs) -> None:
        """Of those with so much ``free`` the tight ones, with what rows bring them and take from them."""
        self.weight: list[float] = np.nan_to_num(figure).tolist()
        arriving = np.zeros(len(free))
        np.add.at(arriving, come[1], np.nan_to_num(figure)[come[0]])
        # Who has room for all that is to come, whatever goes, cannot be overfilled by any order.
        tight = (arriving > free) & (arriving > 0)
        self.watched = bool(tight.any())
        self.free: list[float] = free.tolist()
        self.gains, self.losses = by_row(*come, tight), by_row(*go, tight)

    def fits(self, row: int) -> bool:
        """True where every broker has room for what a row brings it."""
        gains = self.gains.get(row, [])
        return all(self.weight[row] * gains.count(at) <= self.free[at] for at in gains)

    def take(self, row: int) -> None:
        """A row is in the wave."""
        for broker in self.gains.get(row, ()):
            self.free[broker] -= self.weight[row]

    def done(self, row: int) -> None:
        """The wave of a row is over."""
        for broker in self.losses.get(row, ()):
            self.free[broker] += self.weight[row]


def rates_of(plan: Plan) -> tuple[Rates, ...]:
    """The loads, but disks, that the plan's ``--max-fill`` names, and the racks of its ``--rack-capacity``,
    where something has to be watched."""
    brokers = plan.cluster.brokers
    asked = (spec.split(":") for spec in plan.request.get("max_fill", ()))
    found = [
        Rates(plan, load, room(brokers, load, float(percent))) for load, percent in asked if load != "disk"
    ]
    racks = dict(plan.request.get("rack_capacity", ()))
    if racks:
        capacity = np.array([racks.get(rack, np.inf) for rack in brokers.rack_names], dtype=np.float64)
        found.append(Rates.of_racks(plan, capacity))
    return tuple(rates for rates in found if rates.watched)


def pairs(rows: npt.NDArray[np.int64], lists: IntArray, others: IntArray) -> Pairs:
    """Rows and broker positions of what stands in ``lists`` and not in the same row of ``others``."""
    alone = lists >= 0
    for k in range(others.shape[1]):
        alone &= lists != others[:, k : k + 1]
    at, place = np.nonzero(alone)
    return rows[at], lists[at, place].astype(np.int64)


def several(rows: npt.NDArray[np.int64], more: IntArray) -> Pairs:
    """Rows and racks, each as often as a table ``(n_rows, n_racks)`` says, where that is positive."""
    at, rack = np.nonzero(more > 0)
    times = more[at, rack]
    return np.repeat(rows[at], times), np.repeat(rack, times).astype(np.int64)


def by_row(
    rows: npt.NDArray[np.int64], brokers: npt.NDArray[np.int64], tight: npt.NDArray[np.bool_]
) -> Bearers:
    """The tight brokers of each row."""
    found: Bearers = {}
    for row, broker in zip(rows.tolist(), brokers.tolist(), strict=True):
        if tight[broker]:
            found.setdefault(row, []).append(broker)
    return found
