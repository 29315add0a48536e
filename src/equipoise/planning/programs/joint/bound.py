"""The Lagrangian bound of a question: what is left of the goal where conditions may be broken at a price."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.cluster.proofs import NetworkName
from equipoise.planning.basis.certificate import ProvedLevel
from equipoise.planning.flow.convex import cheapest
from equipoise.planning.flow.network import Int64, Objective
from equipoise.planning.programs.joint.question import MOST, SCALE, Question
from equipoise.planning.rules.max_bytes import MAX_BYTES

SAFE = 2**62
"""64 bits have to hold sums; larger ones are made in Python's integers."""


@dataclass(frozen=True, eq=False)
class Multipliers:
    """What each condition of the program is worth, in parts of `Question.scale` of the goal's unit."""

    held: Mapping[str, int]
    """One unit of a goal before, or of ``--max-bytes``, by its name; none negative.

    Of bytes in parts of `FINE` of that.
    """
    node: Int64
    """``(n_nodes,)``: flow is kept at every node of the placement."""
    led: Int64
    """``(n_counts,)``: leaders are counted."""
    stands: Int64
    """``(n_candidates,)``, none negative: a leader stands where it leads."""
    arrivals: Int64
    """Of `Budgets`, ``(1 + n_rows,)``, none negative; without budgets ``(0,)``."""

    def halfway(self, other: Multipliers) -> Multipliers:
        """The prices in the middle between these and others."""
        # Rounded down: any prices give a bound, and those that may not be negative stay so.
        held = {name: (price + other.held[name]) // 2 for name, price in self.held.items()}
        mine, theirs = ((one.node, one.led, one.stands, one.arrivals) for one in (self, other))
        return Multipliers(held, *((one + two) // 2 for one, two in zip(mine, theirs, strict=True)))

    @classmethod
    def none(cls, asked: Question) -> Multipliers:
        """Prices of nothing."""
        sizes = len(asked.face.network.supply), len(asked.counts.lower), len(asked.who.row)
        budgets = 0 if asked.budgets is None else len(asked.budgets.room)
        node, led, stands, arrivals = (np.zeros(n, dtype=np.int64) for n in (*sizes, budgets))
        return cls(dict.fromkeys(asked.held, 0), node, led, stands, arrivals)

    def plus(self, other: Multipliers, times: int) -> Multipliers:
        """These prices and so many times others."""
        held = {name: price + times * other.held[name] for name, price in self.held.items()}
        mine, theirs = ((one.node, one.led, one.stands, one.arrivals) for one in (self, other))
        return Multipliers(held, *(one + times * two for one, two in zip(mine, theirs, strict=True)))

    @property
    def highest(self) -> int:
        """How far the farthest price is from 0."""
        columns = (self.node, self.led, self.stands, self.arrivals)
        most = max(int(np.abs(column).max(initial=0)) for column in columns)
        return max(most, *self.held.values()) if self.held else most

    def leading(self, asked: Question, unit: int | None = None) -> Int64:
        """What each candidate's leading costs, ``(n_candidates,)``; ``unit``: one of the goal."""
        unit = asked.scale if unit is None else unit
        costs: Int64 = self.stands + self.led[asked.who.counts].sum(axis=0)
        return costs + sum(term.leading(asked.who, weight) for term, weight in asked.terms(self.held, unit))

    def pull(self, asked: Question, unit: int | None = None) -> Int64:
        """What a unit costs on each arc of the placement, ``(n_arcs,)``, without what is convex."""
        unit = asked.scale if unit is None else unit
        who, network = asked.who, asked.face.network
        cost: Int64 = self.node[network.head] - self.node[network.tail]
        # A leader needs lead <= x where x brings the replica, lead <= 1 - x
        # where x takes it away. At a price of that, leading pays it and the arc
        # gives it back; the 1 goes off in `bound_of`. -1 adds 0 to the last arc.
        np.add.at(cost, who.arc, np.where(who.arrives, -self.stands, self.stands) * (who.arc >= 0))
        if asked.budgets is not None:
            cost[asked.budgets.arc] += asked.budgets.on_arcs(self.arrivals)
        return cost + sum(weight * term.arcs.linear for term, weight in asked.terms(self.held, unit))


def in_parts(prices: npt.NDArray[np.float64], scale: int = SCALE) -> Int64:
    """In parts of a scale; none is farther from 0 than the judge takes."""
    return np.rint(np.clip(prices * scale, -MOST, MOST)).astype(np.int64)


def cheapest_of(asked: Question, some: Int64, leading: Int64) -> Int64:
    """What the cheapest of some candidates costs each row, ``(n_rows,)``."""
    fewest = np.full(len(asked.face.net.data.rows), np.iinfo(np.int64).max)
    np.minimum.at(fewest, asked.who.row[some], leading[some])
    return fewest


def bound_of(asked: Question, price: Multipliers, unit: int | None = None) -> int:
    """The bound under ``price``, in parts of `Question.scale`; ``unit``: what one of the goal costs.

    Each row is led by its cheapest candidate, the placement is a flow whose arcs cost what standing is
    worth, every count is what it costs least, and goals before may take what their values leave at a price;
    so may arrivals what budgets leave.
    """
    who, counts, network = asked.who, asked.counts, asked.face.network
    unit = asked.scale if unit is None else unit
    terms = asked.terms(price.held, unit)
    bound = total(cheapest_of(asked, np.arange(len(who.row)), price.leading(asked, unit)))
    bound += total(network.supply, price.node) - total(price.stands[~who.arrives])
    bound += sum(weight * term.arcs.offset for term, weight in terms)
    # A price times what a plan has beyond a condition is not above 0 where the plan keeps it. So whatever the
    # price, such a plan costs no less than the sum.
    bound -= sum(term.paid_back(price.held[name], value) for name, (term, value) in asked.held.items())
    if asked.budgets is not None:
        bound -= total(price.arrivals, asked.budgets.room)
    on_arcs = [(term.arcs, weight) for term, weight in terms]
    bound += least(price.pull(asked, unit), network.lower, network.upper, on_arcs)
    # A leader pays the price of its counts, and each count
    # is paid it back: so counts need not fit the leaders.
    return bound + least(
        -price.led, counts.lower, counts.upper, [(term.counts, weight) for term, weight in terms]
    )


def proved(asked: Question, goal: str, before: tuple[str, ...], price: Multipliers) -> ProvedLevel:
    """The bound under ``price`` as a level of the goal, with the goals ``before`` in their order."""
    data = asked.face.net.data
    table = np.zeros((len(data.rows), data.problem.cluster.n_brokers), dtype=np.int64)
    table[asked.who.row, asked.who.broker] = price.stands
    held = np.array([price.held.get(name, 0) for name in before], dtype=np.int64)
    stored = np.concatenate([held, price.node, price.led, table.ravel(), price.arrivals])
    name = NetworkName.JOINT
    if asked.budgets is not None:
        name, stored = NetworkName.JOINT_BUDGET, np.append(stored, price.held.get(MAX_BYTES.name, 0))
    bound = bound_of(asked, price)
    value = -(-bound // asked.scale)  # the goal is whole, so a part of a unit is one more
    return ProvedLevel(goal, value, name, stored, spare=value * asked.scale - bound, beside=asked.beside)


def least(cost: Int64, lower: Int64, upper: Int64, convex: list[tuple[Objective, int]]) -> int:
    """The least of ``cost @ x`` and the weighted squares for whole x within bounds; no two share an item."""
    # What is linear is least at an end, whichever the sign says.
    x = np.where(cost < 0, upper, lower)
    squares = 0
    for objective, weight in convex:
        if weight == 0 or not len(objective.convex):
            continue
        items = objective.convex
        best, _ = cheapest(objective, cost[items], weight)
        x[items] = np.clip(best, lower[items], upper[items])
        squares += weight * int((objective.distance(x[items]) ** 2).sum())
    return total(cost, x) + squares


def total(prices: Int64, amounts: Int64 | None = None) -> int:
    """The sum of prices, each as often as its amount says: in 64 bits where they hold it, else as it is."""
    amounts = np.ones_like(prices) if amounts is None else amounts
    if np.abs(prices).astype(np.float64) @ np.abs(amounts) < SAFE:
        return int(prices @ amounts)
    return sum(price * amount for price, amount in zip(prices.tolist(), amounts.tolist(), strict=True))
