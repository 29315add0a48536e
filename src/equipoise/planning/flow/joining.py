"""A smaller network of the same worth: arcs side by side, and arcs in a row, become one.

Most nodes of a large placement network join just two arcs that have any room, so one arc can stand
for both; and the arcs of leaders and of followers between the same two nodes are one arc with a cost
that rises. The solver's effort follows the nodes that are left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.planning.flow.network import Infeasible, Int32, Int64, Network, Objective

BoolArray = npt.NDArray[np.bool_]
Int8 = npt.NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class Bundles:
    """Arcs side by side, ``(n_bundled,)``, in the order in which each bundle fills; its first bears all."""

    arcs: Int64
    first: Int64
    lower: Int64
    room: Int64
    before: Int64
    """Room of those that are filled earlier."""
    slope: Int64
    """Cost of a unit, over that of the first."""

    def spread(self, flow: Int64) -> Int64:
        """The flow of each arc, where that of a first is all that its bundle carries beyond ``lower``."""
        whole = flow[self.first]
        flow[self.arcs] = self.lower + np.clip(whole - self.before, 0, self.room)
        return flow


@dataclass(frozen=True, eq=False)
class Joined:
    """What is left to solve: arcs with ``room`` from 0, each the *carrier* of the arcs that it stands for.

    A flow ``x`` on a carrier is ``start + sign * x`` on an arc that it carries.
    """

    supply: Int64
    """``(n_nodes,)``."""
    tail: Int32
    """``(n_carriers,)`` as all down to ``bend``; one that was joined to another has no room."""
    head: Int32
    room: Int64
    cost: Int64
    """Of a unit, but for the rising costs of ``bend``."""
    bend: Int32
    """The one arc it carries whose cost rises as it fills, or -1."""
    carrier: Int32
    """``(n_arcs,)`` as ``sign`` and ``start``: index of the carrier, -1 for an arc that cannot change."""
    sign: Int8
    start: Int64
    bundles: Bundles

    @property
    def plain(self) -> Int64:
        """Carriers of one cost."""
        return np.flatnonzero((self.room > 0) & (self.bend < 0))

    def bounds(self, arcs: Int64 | Int32) -> tuple[Int64, Int64]:
        """Least and most flow of arcs whose cost rises; both the same where it no longer matters."""
        room, at = np.zeros(len(arcs), dtype=np.int64), self.rising(arcs)
        room[at] = self.room[self.carrier[arcs[at]]]
        end = self.start[arcs] + self.sign[arcs] * room
        return np.minimum(self.start[arcs], end), np.maximum(self.start[arcs], end)

    def rising(self, arcs: Int64 | Int32) -> Int64:
        """Which of these arcs have the rising cost of their carrier, as positions."""
        at = np.flatnonzero(self.carrier[arcs] >= 0)
        return at[self.bend[self.carrier[arcs[at]]] == arcs[at]]

    def bundle_steps(self) -> tuple[Int64, Int64, Int64]:
        """The costs of bundles as steps: the arc that bears each, its width and its slope."""
        bundles = self.bundles
        low, high = self.bounds(bundles.first)
        width = np.minimum(bundles.before + bundles.room, high) - np.maximum(bundles.before, low)
        some = width > 0
        return bundles.first[some], width[some], bundles.slope[some]

    def flow(self, carried: Int64) -> Int64:
        """The flow on every arc, ``(n_arcs,)``, from that on the carriers."""
        flow, some = self.start.copy(), np.flatnonzero(self.carrier >= 0)
        flow[some] += self.sign[some] * carried[self.carrier[some]]
        return self.bundles.spread(flow)


def join(network: Network, objective: Objective) -> Joined:
    """The network with all that can be joined; raises `Infeasible` where that shows."""
    if np.any(network.lower > network.upper):
        raise Infeasible
    bundles = side_by_side(network, objective)
    room, start = network.upper - network.lower, network.lower.copy()
    # The flow on the first of a bundle is what all of it
    # carries beyond the lower bounds, so it counts from 0.
    room[bundles.arcs], start[bundles.first] = 0, 0
    np.add.at(room, bundles.first, bundles.room)
    free = np.flatnonzero(room > 0)
    carrier = np.full(len(room), -1, dtype=np.int32)
    carrier[free] = np.arange(len(free), dtype=np.int32)
    rises = np.zeros(len(room), dtype=bool)
    rises[objective.convex] = rises[bundles.first[bundles.slope > 0]] = True
    # What lower bounds carry is sent beforehand: then every arc starts from 0, and supplies are what is left.
    spare = network.supply - np.bincount(network.tail, weights=network.lower, minlength=len(network.supply))
    spare += np.bincount(network.head, weights=network.lower, minlength=len(network.supply))
    joined = Joined(
        supply=spare.astype(np.int64),
        tail=network.tail[free],
        head=network.head[free],
        room=room[free],
        cost=objective.linear[free],
        bend=np.where(rises[free], free, -1).astype(np.int32),
        carrier=carrier,
        sign=np.ones(len(room), dtype=np.int8),
        start=start,
        bundles=bundles,
    )
    # A round looks at all arcs whatever it finds, so rounds end when they take out too few to be worth one.
    while (decided(joined) + in_a_row(joined, objective)) * network.params.joining_arcs > len(free):
        pass
    return joined


def decided(joined: Joined) -> int:
    """Take out, in place, arcs whose flow a node of theirs decides; returns how many.

    A node decides all its arcs where it has as much to give as can leave it, or to take as can come, and
    the only arc it has.
    """
    free = np.flatnonzero(joined.room > 0)
    tail, head, room, supply = joined.tail[free], joined.head[free], joined.room[free], joined.supply
    n = len(supply)
    most, least = (np.bincount(ends, weights=room, minlength=n).astype(np.int64) for ends in (tail, head))
    if np.any((supply > most) | (-supply > least)):
        raise Infeasible
    # Where all that can leave has to, outflow is at its most and inflow is 0, or there would be more to send
    # on; of what takes all that can come the mirror image holds.
    gives, takes = supply == most, -supply == least
    alone = np.bincount(tail, minlength=n) + np.bincount(head, minlength=n) == 1
    decides = gives | takes | alone
    # What a node decides is forced, so two ends of an arc differ only where no flow exists, and the supply
    # that is then left over shows it.
    by_tail, by_head = decides[tail], decides[head] & ~decides[tail]
    x = np.zeros(len(free), dtype=np.int64)
    # One formula for all three: a supply of at least the room
    # fills an arc, one of the other sign leaves it empty.
    x[by_tail] = np.clip(supply[tail[by_tail]], 0, room[by_tail])
    x[by_head] = np.clip(-supply[head[by_head]], 0, room[by_head])
    some = by_tail | by_head
    np.subtract.at(supply, tail[some], x[some])
    np.add.at(supply, head[some], x[some])
    joined.room[free[some]] = 0
    flow, gone = np.zeros(len(joined.room), dtype=np.int64), np.zeros(len(joined.room), dtype=bool)
    flow[free[some]], gone[free[some]] = x[some], True
    carried = np.flatnonzero(joined.carrier >= 0)
    carried = carried[gone[joined.carrier[carried]]]
    joined.start[carried] += joined.sign[carried] * flow[joined.carrier[carried]]
    joined.carrier[carried] = -1
    return int(some.sum())


def side_by_side(network: Network, objective: Objective) -> Bundles:
    """All arcs of one cost each that have room and a fellow between the same two nodes, cheapest first."""
    plain = network.upper > network.lower
    plain[objective.convex] = False
    arcs = np.flatnonzero(plain)
    ends = network.tail[arcs].astype(np.int64) * len(network.supply) + network.head[arcs]
    # Of arcs side by side a least-cost flow fills the cheapest first, so together they are one convex cost.
    order = np.lexsort((objective.linear[arcs], ends))
    arcs, ends = arcs[order], ends[order]
    same = np.zeros(len(arcs) + 1, dtype=bool)
    same[1:-1] = ends[1:] == ends[:-1]
    some = same[:-1] | same[1:]
    arcs, starts = arcs[some], np.flatnonzero(~same[:-1][some])
    size = np.diff(np.r_[starts, len(arcs)])
    first, room = np.repeat(arcs[starts], size), (network.upper - network.lower)[arcs]
    filled = np.cumsum(room) - room
    before = filled - np.repeat(filled[starts], size)
    slope = objective.linear[arcs] - objective.linear[first]
    return Bundles(arcs, first, network.lower[arcs], room, before, slope)


def in_a_row(joined: Joined, objective: Objective) -> int:
    """Join, in place, arcs that meet at a node where no other has room; returns how many nodes that took.

    At most one of the two may have a rising cost.
    """
    straighten(joined, objective)
    a, b, node, out_a, out_b = pairs(joined)
    if not len(a):
        return 0
    through = out_a != out_b
    # with x on the first, the second has x - rest if they lead on, and rest - x if both leave or both enter
    rest = np.where(out_a, 1, -1) * joined.supply[node]
    least = np.maximum(0, np.where(through, rest, rest - joined.room[b]))
    most = np.minimum(joined.room[a], np.where(through, rest + joined.room[b], rest))
    if np.any(least > most):
        raise Infeasible
    second = np.where(through, least - rest, rest - least)
    far_a = np.where(out_a, joined.head[a], joined.tail[a])
    far_b = np.where(out_b, joined.head[b], joined.tail[b])
    # The least that both have to carry is sent beforehand, so that the joined arc starts from 0, too.
    joined.supply[node] = 0
    np.add.at(joined.supply, far_a, np.where(out_a, least, -least))
    np.add.at(joined.supply, far_b, np.where(out_b, second, -second))
    joined.tail[a], joined.head[a] = np.where(out_a, far_b, far_a), np.where(out_a, far_a, far_b)
    # A unit more on the first is one more on the second where they lead on, and one less where they do not.
    joined.cost[a] += np.where(through, 1, -1) * joined.cost[b]
    joined.room[a], joined.room[b] = most - least, 0
    carry(joined, a, b, least, second, np.where(through, 1, -1))
    return len(a)


def pairs(joined: Joined) -> tuple[Int64, Int64, Int64, BoolArray, BoolArray]:
    """Pairs of carriers that meet at a node of their own: both, the node, and whether each leaves it.

    No carrier is in two pairs; one with a rising cost comes first.
    """
    free = np.flatnonzero(joined.room > 0)
    tail, head = joined.tail[free], joined.head[free]
    degree = np.bincount(tail, minlength=len(joined.supply)) + np.bincount(head, minlength=len(joined.supply))
    joint = degree == 2
    joint[head[joint[tail] & joint[head]]] = False  # of two such nodes side by side only one goes
    ends = np.concatenate([tail, head])
    found = np.flatnonzero(joint[ends])
    mine = found[np.argsort(ends[found], kind="stable")].reshape(-1, 2)
    pair, leaves, node = np.concatenate([free, free])[mine], mine < len(free), ends[mine[:, 0]]
    rises = joined.bend[pair] >= 0
    far = np.where(leaves, joined.head[pair], joined.tail[pair])
    # Two arcs to the same node would become a loop, and two rising
    # costs a third with two sets of steps: both stay as they are.
    keep = ~rises.all(axis=1) & (far[:, 0] != far[:, 1]) & (pair[:, 0] != pair[:, 1])
    pair, leaves, node, swap = pair[keep], leaves[keep], node[keep], rises[keep, 1]
    pair[swap], leaves[swap] = pair[swap, ::-1], leaves[swap, ::-1]
    return pair[:, 0], pair[:, 1], node, leaves[:, 0], leaves[:, 1]


def carry(joined: Joined, a: Int64, b: Int64, first: Int64, second: Int64, turn: Int64) -> None:
    """Let ``a`` carry what ``b`` did too, in place, counted from ``first`` on it and ``second`` on ``b``."""
    n = len(joined.room)
    begin, flip = np.zeros(n, dtype=np.int64), np.ones(n, dtype=np.int8)
    by = np.arange(n, dtype=np.int32)
    begin[a], begin[b], flip[b], by[b] = first, second, turn, a
    carried = np.flatnonzero(joined.carrier >= 0)
    old = joined.carrier[carried]
    joined.start[carried] += joined.sign[carried] * begin[old]
    joined.sign[carried] *= flip[old]
    joined.carrier[carried] = by[old]


def straighten(joined: Joined, objective: Objective) -> None:
    """A rising cost of one unit is a cost like any other: put it there, in place."""
    at = joined.rising(objective.convex)
    at = at[joined.room[joined.carrier[objective.convex[at]]] == 1]
    arcs, low, high = objective.convex[at], objective.band_low[at], objective.band_high[at]
    x, carrier = joined.start[arcs], joined.carrier[arcs]
    # The carrier starts from `start` on the arc and can go
    # one unit its way: the difference is that unit's cost.
    before, after = (np.maximum(np.maximum(low - y, y - high), 0) ** 2 for y in (x, x + joined.sign[arcs]))
    joined.cost[carrier] += after - before
    joined.bend[carrier] = -1
