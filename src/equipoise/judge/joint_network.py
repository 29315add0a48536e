"""Placement and leaders at once: a bound on the elections that both have a part in.

Every legal plan is a flow of the placement network of partitions, and a leader for each partition among
the brokers it then stands on, with as many for each rack and broker as the leader network allows. For any
prices of these three conditions, what is left is a bound (weak duality again): each partition is led
where that is cheapest, the flow costs what standing is worth, and racks and brokers pay for their leaders.
Prices are whole numbers of a part of an election, so nothing is rounded but the bound, and that up.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from equipoise.judge.duality import FlowProblem, dual_bound, exact_dot
from equipoise.judge.placement_network import Layout, layout_of
from equipoise.judge.relaxation import Int64
from equipoise.judge.violations import Case

SCALE = 5040
"""Parts of an election."""
FORBIDDEN = 2**40


@dataclass(frozen=True, eq=False)
class Prices:
    """What is stored: by node of the placement, by rack, by broker, and by partition and broker."""

    node: Int64
    rack: Int64
    broker: Int64
    stands: Int64
    """``(n_rows, n_brokers)``, none negative."""

    @classmethod
    def of(cls, stored: Int64, layout: Layout) -> Prices:
        """The parts of an array; raises ``ValueError`` for another size or a price out of range."""
        n_rows, n_brokers = len(layout.rows), layout.case.cluster.n_brokers
        ends = np.cumsum([layout.n_nodes, layout.n_racks, n_brokers, n_rows * n_brokers])
        if stored.shape != (ends[-1],):
            raise ValueError(f"prices of shape {stored.shape}, not ({ends[-1]},)")
        node, rack, broker, stands, _ = np.split(stored, ends)
        if np.any(stands < 0) or np.any(np.abs(stored) > FORBIDDEN):
            raise ValueError("prices that are negative or too large")
        return cls(node, rack, broker, stands.reshape(n_rows, n_brokers))


def joint_bound(case: Case, placement: FlowProblem, leaders: FlowProblem, stored: Int64) -> int:
    """The bound on the elections of plans within the two faces; raises ``ValueError`` for unusable prices.

    ``placement`` has every partition as a unit of its own.
    """
    layout = layout_of(case, np.arange(int(case.rules.movable.sum())))
    price = Prices.of(stored, layout)
    leads = np.zeros(price.stands.shape, dtype=bool)
    leave, arrive = arcs_between(layout, placement)
    stays = staying(layout, placement, leave)
    leads[arrive.row, arrive.broker] = placement.upper[arrive.arc] > 0
    leads = (leads | stays) & case.rules.leads
    worth = np.where(leads, price.stands, 0)
    cost = np.zeros(len(placement.tail), dtype=np.int64)
    cost[leave.arc] = worth[leave.row, leave.broker]
    cost[arrive.arc] = -worth[arrive.row, arrive.broker]
    none = np.zeros(0, dtype=np.int64)
    plain = replace(placement, convex=none.astype(np.int32), band_low=none, band_high=none, offset=0)
    led = np.concatenate([price.rack, price.broker])
    scaled = (
        dual_bound(replace(plain, cost=cost), price.node)
        + cheapest_leaders(layout, price, np.where(leads, worth, FORBIDDEN))
        - int(worth[stays].sum())
        - exact_dot(np.maximum(led, 0), leaders.upper[: len(led)])
        - exact_dot(np.minimum(led, 0), leaders.lower[: len(led)])
    )
    return -(-scaled // SCALE)


def cheapest_leaders(layout: Layout, price: Prices, worth: Int64) -> int:
    """What the cheapest leader of each partition costs, summed up; ``worth`` as ``Prices.stands``."""
    case, first = layout.case, layout.case.before[layout.rows, :1]
    changed = (first >= 0) & (first != np.arange(case.cluster.n_brokers))
    paid = price.broker + price.rack[case.cluster.brokers.rack_idx]
    cost = SCALE * changed + worth + paid
    if np.any(worth.min(axis=1, initial=FORBIDDEN) >= FORBIDDEN):
        raise ValueError("a partition that no broker may lead")
    return int(cost.min(axis=1).sum())


@dataclass(frozen=True, eq=False)
class Ends:
    """Arcs of the placement network on which one partition leaves, or reaches, one broker."""

    arc: Int64
    row: Int64
    broker: Int64
    """Position in the cluster."""


def arcs_between(layout: Layout, network: FlowProblem) -> tuple[Ends, Ends]:
    """The arcs from cells to pools, on which replicas leave, and from pools to cells."""
    n, first_cell = len(layout.brokers), 1 + len(layout.brokers)
    first_pool = int(layout.pool(np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64))[0])
    n_pools = layout.n_units * layout.n_racks
    after = first_pool + n_pools * (2 if layout.limited else 1)

    def ends(cell: Int64, pool: Int64) -> Ends:
        arc = np.flatnonzero(
            (cell >= first_cell) & (cell < first_pool) & (pool >= first_pool) & (pool < after)
        )
        row = (pool[arc] - first_pool) % max(1, n_pools) // max(1, layout.n_racks)
        return Ends(arc, row, layout.brokers[(cell[arc] - first_cell) % n])

    tail, head = network.tail.astype(np.int64), network.head.astype(np.int64)
    return ends(tail, head), ends(head, tail)


def staying(layout: Layout, network: FlowProblem, leave: Ends) -> npt.NDArray[np.bool_]:
    """``(n_rows, n_brokers)``: a replica is there and need not leave."""
    case = layout.case
    lists = case.rules.base[layout.rows]
    row, position = np.nonzero(lists >= 0)
    stays = np.zeros((len(lists), case.cluster.n_brokers), dtype=bool)
    stays[row, lists[row, position]] = case.rules.eligible[lists[row, position]]
    must = network.lower[leave.arc] > 0
    stays[leave.row[must], leave.broker[must]] = False
    return stays
