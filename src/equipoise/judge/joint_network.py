"""Placement and leaders at once: a bound on goals that both have a part in.

Every legal plan is a flow of the placement network of partitions, and a leader for each partition among
the brokers it then stands on; racks and brokers lead as many as the leader network allows. For any prices
of these conditions, and of what goals before cost beyond their values, what is left is a bound (weak
duality again): each partition is led where that is cheapest, the flow costs what standing is worth, and
counts of leaders pay for what they hold. Prices are whole numbers of a part of the goal's unit, so nothing
is rounded but the bound, and that up. Budgets are such conditions as well: of all arrivals, of each
partition's, and of the bytes that are copied.

What is left is a sum of what each partition's leader, each arc and each count costs. A plan that is as good
as this one can have none of them dearer than its cheapest by more than the sum lacks of this one's value:
the next level keeps to the others (fixing by reduced costs).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Level
from equipoise.judge.arc_costs import least, nearly_least
from equipoise.judge.duality import FlowProblem, exact_dot, within
from equipoise.judge.goals.registry import counted, goal_of
from equipoise.judge.placement_layout import Layout, layout_of
from equipoise.judge.relaxation import Int64, Relaxation
from equipoise.judge.views import JointView
from equipoise.judge.violations import Case

FORBIDDEN = 2**50
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Prices:
    """What is stored: by goal before, node of the placement, count of leaders, row and broker, budget."""

    goal: list[int]
    """None negative."""
    node: Int64
    counts: Int64
    """Racks, brokers, and each topic on each broker."""
    stands: Int64
    """``(n_rows, n_brokers)``, none negative."""
    arrivals: Int64
    """Of all, then of each partition: ``(1 + n_rows,)``, none negative, 0 where there is no budget."""
    copied: int
    """What a byte costs within ``--max-bytes``, not negative, 0 without."""

    @classmethod
    def of(cls, stored: Int64, layout: Layout, n_goals: int, *, budgets: bool) -> Prices:
        """The parts of an array; raises ``ValueError`` for another size or a price out of range."""
        cluster = layout.case.cluster
        n_rows, n_brokers = len(layout.rows), cluster.n_brokers
        n_counts = layout.n_racks + n_brokers + len(cluster.topics) * n_brokers
        n_arrivals, n_bytes = (1 + n_rows, 1) if budgets else (0, 0)
        ends = np.cumsum([n_goals, layout.n_nodes, n_counts, n_rows * n_brokers, n_arrivals, n_bytes])
        if stored.shape != (ends[-1],):
            raise ValueError(f"prices of shape {stored.shape}, not ({ends[-1]},)")
        goal, node, counts, stands, arrivals, copied, _ = np.split(stored, ends)
        signed = np.concatenate([goal, stands, arrivals, copied])
        # Prices of conditions that hold in one direction alone: below 0 they would pay for breaking them.
        if np.any(signed < 0) or not within(stored, FORBIDDEN):
            raise ValueError("prices that are negative or too large")
        arrivals = arrivals if budgets else np.zeros(1 + n_rows, dtype=np.int64)
        leading = stands.reshape(n_rows, n_brokers)
        return cls(goal.tolist(), node, counts, leading, arrivals, int(copied.sum()))


@dataclass(frozen=True, eq=False)
class JointFace:
    """Of plans that are as good as this one at the levels before: what those have left of each part."""

    lower: Int64
    """``(n_arcs,)`` of the placement network, as ``upper``."""
    upper: Int64
    leads: BoolArray
    """``(n_rows, n_brokers)``: who may lead."""
    fewest: Int64
    """``(n_counts,)`` of leaders, as ``most``."""
    most: Int64


class JointBound(NamedTuple):
    """What is proved of a goal, and of the plans that have no more of it than this one."""

    value: int
    face: JointFace


@dataclass(frozen=True, eq=False)
class Ends:
    """Arcs of the placement network on which one partition leaves, or reaches, one broker."""

    arc: Int64
    row: Int64
    broker: Int64
    """Position in the cluster."""


@dataclass(frozen=True, eq=False)
class Plans:
    """The plans that a bound is of: those on both faces that the levels of this kind before have left."""

    face: FlowProblem
    leave: Ends
    arrive: Ends
    stays: BoolArray
    """``(n_rows, n_brokers)``: a replica is there and need not leave."""
    leads: BoolArray
    """``(n_rows, n_brokers)``: who may lead."""
    fewest: Int64
    """``(n_counts,)`` of leaders, as ``most``."""
    most: Int64

    @classmethod
    def of(
        cls, layout: Layout, placement: FlowProblem, leaders: FlowProblem, known: JointFace | None
    ) -> Plans:
        """Those on the faces of two networks; ``known``: what is left of them."""
        face = placement
        if known is not None:
            lower, upper = np.maximum(face.lower, known.lower), np.minimum(face.upper, known.upper)
            face = replace(face, lower=lower, upper=upper)
        leave, arrive = arcs_between(layout, face)
        stays = staying(layout, face, leave)
        leads = np.zeros(stays.shape, dtype=bool)
        leads[arrive.row, arrive.broker] = face.upper[arrive.arc] > 0
        # To lead a partition a broker needs a replica of it: one that may arrive, or one that need not leave.
        leads = (leads | stays) & layout.case.rules.leads
        fewest, most = counts_of_leaders(layout, leaders, leads)
        if known is not None:
            leads &= known.leads
            fewest, most = np.maximum(fewest, known.fewest), np.minimum(most, known.most)
        return cls(face, leave, arrive, stays, leads, fewest, most)


def joint_bound(
    case: Case,
    goals: Sequence[Level],
    placement: tuple[Relaxation, FlowProblem],
    leaders: tuple[Relaxation, FlowProblem],
    stored: Int64,
    *,
    budgets: bool = False,
    known: JointFace | None = None,
) -> JointBound:
    """The bound on the last of ``goals`` in plans that are as good at those before.

    ``placement`` has every partition as a unit of its own; of both networks only plans on the faces are
    meant, and of those the ones that levels of this kind have left, ``known``. ``budgets``: prices of the
    request's budgets are stored as well. Raises ``ValueError`` for unusable prices.
    """
    layout = layout_of(case, np.arange(int(case.rules.movable.sum())))
    price = Prices.of(stored, layout, len(goals) - 1, budgets=budgets)
    view, scale = JointView(case, placement[0], leaders[0]), goal_of(goals[-1].goal).parts(case)
    allowed = put_prices(view, goals, price, scale)
    plans = Plans.of(layout, placement[1], leaders[1], known)
    face, worth = plans.face, np.where(plans.leads, price.stands, 0)

    pull = cost_of_arcs(plans, price, worth, view)
    leading = cost_of_leaders(layout, price, np.where(plans.leads, worth, FORBIDDEN), view)
    scaled = (
        exact_dot(face.supply, price.node)
        + least(pull, face.lower, face.upper, view.on_arcs)
        # 64 bits do not hold what thousands of the highest prices make, so both sums are Python's
        + sum(leading.min(axis=1).tolist())
        - sum(worth[plans.stays].tolist())
        + least(-price.counts, plans.fewest, plans.most, view.on_counts)
        + sum(paid * cost.offset for cost, paid in (*view.on_arcs, *view.on_counts))
        - allowed
        - room_of_budgets(layout, price.arrivals)
    )
    # A goal counts in whole numbers, so what is proved of part of one is proved of all of it.
    value = -(-scaled // scale)
    spare = max(0, counted(goals[-1], case) * scale - scaled)
    lower, upper = nearly_least(pull, face.lower, face.upper, view.on_arcs, spare)
    fewest, most = nearly_least(-price.counts, plans.fewest, plans.most, view.on_counts, spare)
    leads = plans.leads & (leading - leading.min(axis=1, keepdims=True) <= spare)
    return JointBound(value, JointFace(lower, upper, leads, fewest, most))


def put_prices(view: JointView, goals: Sequence[Level], price: Prices, scale: int) -> int:
    """Put into the view what goals cost, the last in parts of ``scale``; what those before may cost.

    A plan that is as good at a goal before costs there no more than its value, so with that taken off its
    cost at any price is 0 or less: the bound is one of such plans.
    """
    goal_of(goals[-1].goal).jointly(view, scale)
    allowed = sum(
        goal_of(level.goal).jointly_kept(view, paid, counted(level, view.case))
        for level, paid in zip(goals, price.goal, strict=False)
        if paid
    )
    return allowed + bytes_allowed(view, price.copied)


def bytes_allowed(view: JointView, price: int) -> int:
    """Put a price on each byte into the view; what ``--max-bytes`` may cost at that.

    What is copied is kept to it as to the value of a goal. Raises ``ValueError`` for a price of what was not
    asked for, or is not known.
    """
    most, copied = view.case.rules.max_bytes, goal_of("bytes")
    if not price:
        return 0
    if most is None or not copied.is_known(view.case):
        raise ValueError("a price of bytes, which have no limit")
    return copied.jointly_kept(view, price, most)


def cost_of_arcs(plans: Plans, price: Prices, worth: Int64, view: JointView) -> Int64:
    """What a unit costs on each arc of the placement, ``(n_arcs,)``; ``worth``: of standing somewhere.

    The price of standing is paid by who leads and earned by who stands there. What stands and need not leave
    has earned it from the start; to leave gives it back, to arrive earns it.
    """
    face, leave, arrive = plans.face, plans.leave, plans.arrive
    pull: Int64 = price.node[face.head] - price.node[face.tail]
    pull[leave.arc] += worth[leave.row, leave.broker]
    pull[arrive.arc] += price.arrivals[0] + price.arrivals[1 + arrive.row] - worth[arrive.row, arrive.broker]
    for (linear, *_), paid in view.on_arcs:
        pull += paid * linear
    return pull


def room_of_budgets(layout: Layout, price: Int64) -> int:
    """What may arrive within the budgets, at its price: ``--max-moves`` first, then of each partition.

    What replacements take over moves without arriving; what is created arrives without moving, as often as
    its replication factor says. Raises ``ValueError`` for the price of a budget that was not asked for.
    """
    rules, rows = layout.case.rules, layout.rows
    taken_over = (rules.base != layout.case.before)[rows].sum(axis=1)
    created = layout.case.cluster.rf[rows] == 0
    room = [0, *(0 for _ in rows)]
    if rules.max_moves is not None:
        room[0] = rules.max_moves - int(taken_over.sum()) + int(rules.rf[rows][created].sum())
    elif price[0]:
        raise ValueError("a price of moves, which have no limit")
    if rules.max_changes_per_partition is not None:
        room[1:] = np.where(created, rules.rf[rows], rules.max_changes_per_partition - taken_over).tolist()
    elif price[1:].any():
        raise ValueError("prices of each partition's moves, which have no limit")
    return sum(paid * most for paid, most in zip(price.tolist(), room, strict=True))


def counts_of_leaders(layout: Layout, face: FlowProblem, leads: BoolArray) -> tuple[Int64, Int64]:
    """Least and most of each count: on the face, and no more than there are to lead there.

    ``leads``: who may lead which row, ``(n_rows, n_brokers)``.
    """
    cluster = layout.case.cluster
    rack = cluster.brokers.rack_idx
    # No count of leaders is above the pairs that it could come from.
    row, broker = np.nonzero(leads)
    of_brokers = np.bincount(broker, minlength=cluster.n_brokers)
    of_racks = np.bincount(rack, weights=of_brokers, minlength=layout.n_racks).astype(np.int64)
    key = cluster.topic_idx[layout.rows][row].astype(np.int64) * cluster.n_brokers + broker
    of_topics = np.bincount(key, minlength=len(cluster.topics) * cluster.n_brokers)
    most = np.concatenate([of_racks, of_brokers, of_topics]).astype(np.int64)
    n_led = layout.n_racks + cluster.n_brokers
    most[:n_led] = np.minimum(most[:n_led], face.upper[:n_led])
    fewest = np.concatenate([face.lower[:n_led], np.zeros_like(of_topics)])
    if layout.n_racks == 1:  # who is alone leads all, though no level of racks has said so
        fewest[0] = most[0] = len(layout.rows)
    return fewest, most


def cost_of_leaders(layout: Layout, price: Prices, worth: Int64, view: JointView) -> Int64:
    """What each broker costs as a leader of each row; ``worth`` and the result as ``Prices.stands``."""
    case = layout.case
    cluster, first = case.cluster, case.before[layout.rows, :1]
    n, n_racks = cluster.n_brokers, layout.n_racks
    changed = (first >= 0) & (first != np.arange(n))
    racks, brokers, topics = np.split(price.counts, [n_racks, n_racks + n])
    paid = racks[cluster.brokers.rack_idx] + brokers + topics.reshape(-1, n)[cluster.topic_idx[layout.rows]]
    if np.any(worth.min(axis=1, initial=FORBIDDEN) >= FORBIDDEN):
        raise ValueError("a partition that no broker may lead")
    cost: Int64 = view.change * changed + worth + paid + (0 if view.leading is None else view.leading)
    return cost


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
        # With a limit on changes pools come twice, in the same order.
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
    # Here an arc carries one replica, so one that carries something in every plan on the face takes it away.
    must = network.lower[leave.arc] > 0
    stays[leave.row[must], leave.broker[must]] = False
    return stays
