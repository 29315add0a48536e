"""What goals before leave open: columns that no plan as good as this one at those goals can use.

A goal before that has a bound has prices. What these leave of it is a sum of what each arc, each count and
each partition's leader costs. So no plan that is as good has one of them that is dearer than its cheapest by
more than the prices miss the value by (complementary slackness, as in `convex.narrow`; where they miss it,
fixing by reduced costs), and the program does without those.

Of prices on placement and leaders at once the judge finds the same by itself (`without_closed`). Of others it
does not: to prove what is found of all plans they are added to its prices, so often that no column that was
left out is worth anything (`Narrowed.lifted`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np
import numpy.typing as npt

from equipoise.cluster.proofs import NetworkName
from equipoise.planning.basis.certificate import ProvedLevel
from equipoise.planning.flow.convex import cheapest
from equipoise.planning.flow.network import Int64, Objective
from equipoise.planning.goals.bytes import Bytes
from equipoise.planning.goals.moves import Moves
from equipoise.planning.networks.faces import lift, merged_network
from equipoise.planning.programs.joint.bound import Multipliers, bound_of, cheapest_of
from equipoise.planning.programs.joint.question import MOST, SCALE, Candidates, Question
from equipoise.planning.rules.max_bytes import MAX_BYTES

AT_ONCE = frozenset({NetworkName.JOINT, NetworkName.JOINT_BUDGET})
MARGINS = SCALE // 16, SCALE
"""A column that costs less is kept: it would need prices many times over. Where those that cost more still
need them too often, more are kept.
"""
EXACT = SCALE // 1_000
"""By so much prices of other networks may miss the value of their goal."""
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


def without_closed(
    asked: Question, reached: Mapping[str, int], levels: Sequence[ProvedLevel]
) -> Question:
    """The question without what levels of placement and leaders at once close; the judge closes no less.

    ``reached``: the goals before with their values, in order; ``levels``: bounds of some, in the same order.
    """
    for level in levels:
        if level.network in AT_ONCE and (price := prices_of(asked, reached, level)) is not None:
            missed = missed_by(asked, reached, level)
            asked = replace(closed(asked, price, missed), beside=(*asked.beside, level))
    return asked


def missed_by(asked: Question, reached: Mapping[str, int], level: ProvedLevel) -> int:
    """What a level of placement and leaders at once lacks of the value of its goal, in parts of its unit."""
    return level.spare + (reached[level.goal] - level.value) * asked.held[level.goal][0].scale


def closed(asked: Question, price: Multipliers, spare: int) -> Question:
    """The question without what is dearer than the cheapest by more than ``spare`` under ``price``."""
    network, counts, terms = asked.face.network, asked.counts, asked.terms(price.held, 0)
    on_arcs = [(term.arcs, weight) for term, weight in terms]
    on_counts = [(term.counts, weight) for term, weight in terms]
    flow = nearly_least(price.pull(asked, 0), network.lower, network.upper, on_arcs, spare)
    led = nearly_least(-price.led, counts.lower, counts.upper, on_counts, spare)
    return cut_to(asked, flow, led, standing(asked.who, *flow) & (dearer(asked, price) <= spare))


def nearly_least(
    cost: Int64, lower: Int64, upper: Int64, convex: Sequence[tuple[Objective, int]], spare: int
) -> tuple[Int64, Int64]:
    """Least and most of each item, within bounds, that cost at most ``spare`` more than is cheapest."""
    least, most = np.where(cost < -spare, upper, lower), np.where(cost > spare, lower, upper)
    for objective, weight in convex:
        if weight:
            items = objective.convex
            first, _ = cheapest(objective, cost[items] + spare, weight)
            _, last = cheapest(objective, cost[items] - spare, weight)
            least[items] = np.clip(first, lower[items], upper[items])
            most[items] = np.clip(last, lower[items], upper[items])
    return least, most


def standing(who: Candidates, lower: Int64, upper: Int64) -> npt.NDArray[np.bool_]:
    """Those who may still stand there where the flow of arcs is between two, ``(n_candidates,)``."""
    return np.where(who.arrives, upper[who.arc] > 0, (who.arc < 0) | (lower[who.arc] == 0))


def cut_to(
    asked: Question, flow: tuple[Int64, Int64], led: tuple[Int64, Int64], kept: npt.NDArray[np.bool_]
) -> Question:
    """The question with arcs and counts between a least and a most, and with the candidates that are kept."""
    lower, upper = flow
    left = asked.who.of(np.flatnonzero(kept))
    left = replace(left, arc=np.where(left.arrives | (upper[left.arc] > 0), left.arc, -1))
    face = replace(asked.face, network=replace(asked.face.network, lower=lower, upper=upper))
    counts = replace(asked.counts, lower=led[0], upper=led[1])
    return replace(asked, face=face, who=left, counts=counts)


def narrow_question(
    asked: Question, reached: Mapping[str, int], levels: Sequence[ProvedLevel], margin: int = MARGINS[0]
) -> Narrowed | None:
    """The question without what ``levels`` close, None where they close nothing.

    ``reached``: the goals before with their values, in order; ``levels``: bounds of some. ``margin``: what
    costs no more stays.
    """
    met = (level for level in levels if level.network not in AT_ONCE and level.value >= reached[level.goal])
    known = [price for level in met if (price := prices_of(asked, reached, level)) is not None]
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
    kept = standing(who, lower, upper) & (dearer(asked, price) <= margin)
    led = np.where(linear_counts, price.led, 0)
    least = np.where(led > margin, counts.upper, counts.lower)
    most = np.where(led < -margin, counts.lower, counts.upper)
    narrower = cut_to(asked, (lower, upper), (least, most), kept)
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
    elif level.network in AT_ONCE:
        before = tuple(reached)[: tuple(reached).index(level.goal)]
        ends = np.cumsum([len(before), n_nodes, n_counts, n_rows * n_brokers, len(none.arrivals)])
        if len(stored) != ends[-1] + (asked.budgets is not None):
            return None
        paid, node, led, stands, arrivals, copied = np.split(stored, ends)
        # what was a budget of bytes then is a condition of `bytes` now, where that is a goal before
        carried = MAX_BYTES.name if MAX_BYTES.name in held else Bytes.name
        names = before if asked.budgets is None else (*before, carried)
        paid_for = list(zip(names, np.concatenate([paid, copied]).tolist(), strict=True))
        if any(some and name not in held for name, some in paid_for):
            return None
        for name, some in paid_for:
            if name in held:
                held[name] += some
        if Moves.name in held and Moves.name not in before and len(arrivals):
            # what was a budget of arrivals then is a condition of moves now
            held[Moves.name] += int(arrivals[0])
            arrivals = np.r_[0, arrivals[1:]]
        price = Multipliers(held, node, led, stands.reshape(n_rows, -1)[who.row, who.broker], arrivals)
    else:
        return None
    # With nothing for the goal itself, the bound is what the goal before lacks of its value. Only if that is
    # no more than the level lacked do its prices say which columns no such plan has.
    missed = missed_by(asked, reached, level) if level.network in AT_ONCE else EXACT
    return price if bound_of(asked, price, 0) >= -missed else None
