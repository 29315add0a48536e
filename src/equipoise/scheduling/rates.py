"""What ``--max-fill`` allows brokers of rates and CPU, while replicas and leaders change brokers."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Plan
from equipoise.cluster.brokers import FloatArray, IntArray
from equipoise.cluster.measures import bytes_per_broker, lengths
from equipoise.cluster.rates import LEADERS_BEAR, borne, room

Bearers = dict[int, list[int]]
"""Broker positions by row."""


class Rates:
    """What of one load each broker may still come to bear.

    A replica that is copied takes what its partition takes, and so does the old one until the whole partition
    is done; and within a wave nobody knows which partition is done first. So what comes counts at once, and
    what goes once the wave is over. Only tight brokers are watched: those that could not bear everything that
    is to come on top of everything they bear. Of what leaders bear, who comes to lead is who gets it.
    """

    def __init__(self, plan: Plan, load: str, percent: float) -> None:
        cluster, rows = plan.cluster, plan.changed
        wide = 1 if load in LEADERS_BEAR else max(cluster.replicas.shape[1], plan.target.shape[1])
        before, after = cluster.replicas[:, :wide], plan.target[:, :wide]
        figure = borne(cluster, load, lengths(plan.target), plan.request.get("consumption"))
        self.weight: list[float] = np.nan_to_num(figure).tolist()
        allowed = room(cluster.brokers, load, percent)
        free: FloatArray = np.where(np.isnan(allowed), np.inf, allowed)
        free = free - bytes_per_broker(before, figure, cluster.n_brokers)
        coming = pairs(rows, after[rows], before[rows])
        arriving = np.zeros(cluster.n_brokers)
        np.add.at(arriving, coming[1], np.nan_to_num(figure)[coming[0]])
        tight = (arriving > free) & (arriving > 0)
        self.watched = bool(tight.any())
        self.free: list[float] = free.tolist()
        self.gains = by_row(*coming, tight)
        self.losses = by_row(*pairs(rows, before[rows], after[rows]), tight)

    def fits(self, row: int) -> bool:
        """True where every broker has room for what a row brings it."""
        return all(self.weight[row] <= self.free[broker] for broker in self.gains.get(row, ()))

    def take(self, row: int) -> None:
        """A row is in the wave."""
        for broker in self.gains.get(row, ()):
            self.free[broker] -= self.weight[row]

    def done(self, row: int) -> None:
        """The wave of a row is over."""
        for broker in self.losses.get(row, ()):
            self.free[broker] += self.weight[row]


def rates_of(plan: Plan) -> tuple[Rates, ...]:
    """The loads, but disks, that the plan's ``--max-fill`` names, where a broker has to be watched."""
    asked = (spec.split(":") for spec in plan.request.get("max_fill", ()))
    found = (Rates(plan, load, float(percent)) for load, percent in asked if load != "disk")
    return tuple(rates for rates in found if rates.watched)


def pairs(
    rows: npt.NDArray[np.int64], lists: IntArray, others: IntArray
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Rows and broker positions of what stands in ``lists`` and not in the same row of ``others``."""
    alone = lists >= 0
    for k in range(others.shape[1]):
        alone &= lists != others[:, k : k + 1]
    at, place = np.nonzero(alone)
    return rows[at], lists[at, place].astype(np.int64)


def by_row(
    rows: npt.NDArray[np.int64], brokers: npt.NDArray[np.int64], tight: npt.NDArray[np.bool_]
) -> Bearers:
    """The tight brokers of each row."""
    found: Bearers = {}
    for row, broker in zip(rows.tolist(), brokers.tolist(), strict=True):
        if tight[broker]:
            found.setdefault(row, []).append(broker)
    return found
