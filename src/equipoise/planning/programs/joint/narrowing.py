"""What goals before leave open: columns that no plan as good as this one at those goals can use.

A goal before whose bound meets its value has prices. Under those every plan that is as good costs the same,
so a column that costs more is at its end in all of them (complementary slackness, as in `convex.narrow`), and
the program does without it. To prove what it finds of all plans, the prices of the goals before are added to
its own, so often that no column that was left out is worth anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
import numpy.typing as npt

from equipoise.cluster.proofs import NetworkName
from equipoise.planning.basis.certificate import ProvedLevel
from equipoise.planning.flow.network import Int64
from equipoise.planning.goals.moves import Moves
from equipoise.planning.networks.faces import lift, merged_network
from equipoise.planning.programs.joint.bound import Multipliers, bound_of, cheapest_of
from equipoise.planning.programs.joint.question import MOST, SCALE, Question

MARGINS = SCALE // 16, SCALE
"""A column that costs less is kept: it would need prices many times over. Where those that cost more still
need them too often, more are kept.
"""
EXACT = SCALE // 1_000
"""By so much prices may miss the value of their goal."""
MOST_TIMES = 4_096
"""So often prices are added at most: sums stay within 64 bits."""


@dataclass(frozen=True, eq=False)
class Narrowed:
    """A question without what goals before close, and how its prices become those of all of it."""

    original: Question
    question: Question
    price: Multipliers
    """Of the goals before, on the original question."""
    kept: npt.NDArray[np.bool_]
    """``(n_candidates,)`` of the original question: they are candidates of the narrow one."""
    margin: int
    """One of `MARGINS`: what costs no more was kept."""

    def lifted(self, found: Multipliers) -> Multipliers | None:
        """Prices on the narrow question as prices on the original; None where that would take too many."""
        asked, who = self.original, self.original.who
        extra = dearer(asked, self.price)
        stands = np.zeros(len(who.row), dtype=np.int64)
        stands[self.kept] = found.stands
        price = replace(found, stands=stands)
        leading = price.leading(asked)
        missing = np.maximum(cheapest_of(asked, np.flatnonzero(self.kept), leading)[who.row] - leading, 0)
        missing[self.kept] = 0
        # The prices of the goals before do not make these dearer, however often they are added. It is the arc
        # that keeps them out, so it gets the price of standing back, and has to outweigh it below.
        closed = extra <= self.margin  # those cannot stand there, and pay for it
        stands[closed] += missing[closed]
        times = self.times_needed(-missing[~closed], extra[~closed])
        # An arc that is held at an end has to cost what keeps it there in the whole question too.
        pull, own = price.pull(asked), self.price.pull(asked)
        arcs, counts = linear_parts(asked)
        times = max(times, self.times_needed(pull[arcs], own[arcs]))
        times = max(times, self.times_needed(-price.led[counts], -self.price.led[counts]))
        if times > MOST_TIMES:
            return None
        added = price.plus(self.price, times)
        bears = all(added.held[name] <= term.dearest for name, (term, _) in asked.held.items())
        return added if bears and added.highest <= MOST else None

    def times_needed(self, cost: Int64, own: Int64) -> int:
        """How often ``own`` has to be added to costs, so that none is of the other sign where it closes."""
        some = (np.abs(own) > self.margin) & ((cost < 0) == (own > 0)) & (cost != 0)
        return int((-(-np.abs(cost[some]) // np.abs(own[some]))).max(initial=0))


def dearer(asked: Question, price: Multipliers) -> Int64:
    """How much more than the cheapest leader of its row each candidate costs, ``(n_candidates,)``."""
    leading = price.leading(asked, 0)
    return leading - cheapest_of(asked, np.arange(len(leading)), leading)[asked.who.row]


def linear_parts(asked: Question) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """The arcs on which no goal has convex costs, ``(n_arcs,)``; and such counts of racks and brokers."""
    arcs = np.ones(len(asked.face.network.tail), dtype=bool)
    counts = np.arange(len(asked.counts.lower)) < asked.counts.n_led
    for term, _ in asked.terms(dict.fromkeys(asked.held, 0), 0):
        arcs[term.arcs.convex] = False
        counts[term.counts.convex] = False
    return arcs, counts


def narrow_question(
    asked: Question, reached: Mapping[str, int], levels: Sequence[ProvedLevel], margin: int = MARGINS[0]
) -> Narrowed | None:
    """The question without what ``levels`` close, None where they close nothing.

    ``reached``: the goals before with their values, in order; ``levels``: bounds of some, that those meet.
    ``margin``: what costs no more stays.
    """
    known = [price for level in levels if (price := prices_of(asked, reached, level)) is not None]
    if not known:
        return None
    # Each costs a plan as good as this one nothing beyond its value, so their sum does not either.
    price = reduce(lambda one, other: one.plus(other, 1), known)
    who, network, counts = asked.who, asked.face.network, asked.counts
    # Where costs are convex the linear part does not say at which end an arc or a count is, so those stay.
    linear, linear_counts = linear_parts(asked)
    cost = np.where(linear, price.pull(asked, 0), 0)
    lower = np.where(cost < -margin, network.upper, network.lower)
    upper = np.where(cost > margin, network.lower, network.upper)
    comes, leaves = upper[who.arc] > 0, lower[who.arc] > 0
    stands = np.where(who.arrives, comes, (who.arc < 0) | ~leaves)
    kept = stands & (dearer(asked, price) <= margin)
    left = who.of(np.flatnonzero(kept))
    left = replace(left, arc=np.where(left.arrives | (upper[left.arc] > 0), left.arc, -1))
    led = np.where(linear_counts, price.led, 0)
    least = np.where(led > margin, counts.upper, counts.lower)
    most = np.where(led < -margin, counts.lower, counts.upper)
    face = replace(asked.face, network=replace(network, lower=lower, upper=upper))
    narrower = replace(asked, face=face, who=left, counts=replace(counts, lower=least, upper=most))
    return Narrowed(asked, narrower, price, kept, margin)


def prices_of(asked: Question, reached: Mapping[str, int], level: ProvedLevel) -> Multipliers | None:
    """A level's prices as those of a question that holds its goal; None where they prove less than that."""
    if level.goal not in asked.held:
        return None
    net = asked.face.net
    n_brokers, n_racks = net.data.problem.cluster.n_brokers, net.data.problem.n_racks
    none, stored, who = Multipliers.none(asked), level.potential, asked.who
    n_nodes, n_counts, n_rows = len(none.node), len(none.led), len(net.data.rows)
    own = asked.held[level.goal][0]
    held = {**none.held, level.goal: own.scale * own.fine}

    def of_leaders(potential: Int64) -> Int64:
        sink, racks, brokers, _ = np.split(potential, [1, 1 + n_racks, 1 + n_racks + n_brokers])
        led = none.led.copy()
        led[:n_racks] = SCALE * (racks - sink)
        led[n_racks : n_racks + n_brokers] = SCALE * (brokers - racks[net.data.problem.rack_idx])
        return led

    if level.network == NetworkName.LEADERS:
        price = replace(none, held=held, led=of_leaders(stored))
    elif level.network in (NetworkName.LEAVING, NetworkName.LEAVING_PARTITIONS):
        chosen, gave, left = np.split(stored, [n_brokers, 2 * n_brokers + n_racks + 2])
        if len(left) != n_nodes:
            return None
        # whoever leads on such a broker pays for standing there: an election, or one for leaving
        leads = ~who.arrives & (who.changes == 0) & (who.arc >= 0) & (chosen[who.broker] > 0)
        stands = np.where(leads, SCALE, 0)
        price = replace(none, held=held, led=of_leaders(gave), node=SCALE * left, stands=stands)
    elif level.network == NetworkName.MERGED_BUDGET:  # the price of a move, in a network of all topics as one
        coarse = merged_network(net.data)
        if len(stored) != 1 + len(coarse.network.supply):
            return None
        node, arrivals = SCALE * lift(coarse, net, stored[1:]), none.arrivals.copy()
        of_move = SCALE * int(stored[0])
        if Moves.name in held:
            held[Moves.name] += of_move
        elif len(arrivals):
            arrivals[0] = of_move
        price = replace(none, held=held, node=node, arrivals=arrivals)
    elif level.network in (NetworkName.JOINT, NetworkName.JOINT_BUDGET):
        before = tuple(reached)[: tuple(reached).index(level.goal)]
        ends = np.cumsum([len(before), n_nodes, n_counts, n_rows * n_brokers, len(none.arrivals)])
        if len(stored) != ends[-1]:
            return None
        paid, node, led, stands, arrivals, _ = np.split(stored, ends)
        paid_for = dict(zip(before, paid.tolist(), strict=True))
        if any(some and goal not in held for goal, some in paid_for.items()):
            return None
        held |= {goal: some for goal, some in paid_for.items() if goal in held}
        price = Multipliers(held, node, led, stands.reshape(n_rows, -1)[who.row, who.broker], arrivals)
    else:
        return None
    # With nothing for the goal itself, the bound is what the goal before lacks of its value. Only if that is
    # nothing do its prices say which columns no such plan has.
    return price if bound_of(asked, price, 0) >= -EXACT else None
