"""The flow network with residue nodes that Pinterest and Appier share.

Holders (brokers, or pairs of brokers) above their share are fed by the source, those below it drain
into the sink; a unit of flow holder -> partition -> holder hands something of that partition over.
Whole parts of a surplus are capacities; the fractions that rounding down loses are collected in
`source_residue` and `sink_residue` (Ping-Min Lin, "Using graph algorithms to optimize Kafka
operations, part 2", section "One-shot leader rebalancing for a skewed topic"). Sums are exact
fractions: three thirds are one, which floating point loses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor

import numpy as np
import numpy.typing as npt

Int64 = npt.NDArray[np.int64]
SOURCE, SINK, SOURCE_RESIDUE, SINK_RESIDUE, EXTRA, FIRST = range(6)
"""Node numbers; holders follow from FIRST on, then partitions."""

NEW = -1
"""Giver of a handover that comes from the extra node: a replica that raises a replication factor."""

Handover = tuple[int, int, int]
"""(giver, partition, taker)."""


@dataclass(frozen=True, eq=False)
class Skew:
    """Who holds how much, who should, and who could hand what to whom."""

    counts: Sequence[int]
    """What each holder has."""
    shares: Sequence[Fraction]
    """What each holder should have."""
    gives: Int64
    """``(n, 2)``: (holder, partition), one unit each."""
    takes: Int64
    """``(n, 2)``: (partition, holder), one unit each."""
    raised: Mapping[int, int] = field(default_factory=dict)
    """New replicas that a partition is to get from the extra node."""


def hand_over(skew: Skew, *, residue: bool = True, costs: bool = True) -> list[Handover]:
    """The hand-overs of a maximum flow; with ``costs`` those of a cheapest one."""
    arcs = build(skew, residue=residue)
    flow = solve(arcs, costs=costs)
    return pair_up(skew, flow[: len(skew.gives)], flow[len(skew.gives) :][: len(skew.takes)],
                   flow[len(skew.gives) + len(skew.takes) :][: len(skew.raised)])


def build(skew: Skew, *, residue: bool) -> Int64:
    """``(n_arcs, 4)``: tail, head, capacity, cost; first what is given, then taken, then raised."""
    partition = FIRST + len(skew.counts)
    gives = np.hstack([skew.gives + (FIRST, partition), np.ones((len(skew.gives), 2), dtype=np.int64)])
    takes = np.hstack([skew.takes + (partition, FIRST), np.tile((1, 0), (len(skew.takes), 1))])
    raised = [(EXTRA, partition + p, n, 0) for p, n in skew.raised.items()]
    terminals = [(SOURCE, EXTRA, sum(skew.raised.values()), 0)]
    lost = {SOURCE_RESIDUE: Fraction(0), SINK_RESIDUE: Fraction(0)}
    for holder, (count, share) in enumerate(zip(skew.counts, skew.shares, strict=True), start=FIRST):
        whole, rest = divmod(abs(count - share), 1)
        if count > share:
            terminals += [(SOURCE, holder, int(whole), 0), (SOURCE_RESIDUE, holder, 1, 0)]
            lost[SOURCE_RESIDUE] += rest
        elif count < share:
            terminals += [(holder, SINK, int(whole), 0), (holder, SINK_RESIDUE, 1, 0)]
            lost[SINK_RESIDUE] += rest
    if residue:
        # A residue costs one more than a whole part: of the largest flows the cheapest uses few of them.
        terminals += [(SOURCE, SOURCE_RESIDUE, floor(lost[SOURCE_RESIDUE]), 1),
                      (SINK_RESIDUE, SINK, floor(lost[SINK_RESIDUE]), 1)]
    return np.vstack([gives, takes, np.array(raised + terminals, dtype=np.int64)])


def solve(arcs: Int64, *, costs: bool) -> Int64:
    """Units on each arc of a maximum flow from SOURCE to SINK, of least cost if wanted."""
    from ortools.graph.python.max_flow import SimpleMaxFlow
    from ortools.graph.python.min_cost_flow import SimpleMinCostFlow

    tail, head = arcs[:, 0].astype(np.int32), arcs[:, 1].astype(np.int32)
    largest = SimpleMaxFlow()
    used = largest.add_arcs_with_capacity(tail, head, arcs[:, 2])
    # How much can flow at most is found first, since the second solver has to be told how much flows.
    if largest.solve(SOURCE, SINK) != largest.OPTIMAL or largest.optimal_flow() == 0:
        return np.zeros(len(arcs), dtype=np.int64)
    if not costs:
        return np.asarray(largest.flows(used), dtype=np.int64)
    cheapest = SimpleMinCostFlow()
    used = cheapest.add_arcs_with_capacity_and_unit_cost(tail, head, arcs[:, 2], arcs[:, 3])
    cheapest.set_node_supply(SOURCE, largest.optimal_flow())
    cheapest.set_node_supply(SINK, -largest.optimal_flow())
    cheapest.solve()
    return np.asarray(cheapest.flows(used), dtype=np.int64)


def pair_up(skew: Skew, given: Int64, taken: Int64, raised: Int64) -> list[Handover]:
    """Hand-overs by partition: what flows into it meets what flows out, both in order of holders."""
    into: dict[int, list[int]] = {}
    for p, n in zip(skew.raised, raised.tolist(), strict=True):
        into.setdefault(p, []).extend([NEW] * n)
    for holder, p in sorted(skew.gives[given > 0].tolist()):
        into.setdefault(p, []).append(holder)
    out: dict[int, list[int]] = {}
    for p, holder in sorted(skew.takes[taken > 0].tolist()):
        out.setdefault(p, []).append(holder)
    return [(giver, p, taker) for p in sorted(into) for giver, taker in zip(into[p], out[p], strict=True)]


def prune(skew: Skew, handovers: Sequence[Handover]) -> list[Handover]:
    """The hand-overs of those weakly connected components that bring holders nearer to their shares."""
    kept: list[Handover] = []
    for component in components(handovers):
        change: dict[int, int] = {}
        for giver, _, taker in component:
            change[giver] = change.get(giver, 0) - 1
            change[taker] = change.get(taker, 0) + 1
        contribution = sum(
            abs(skew.counts[h] - skew.shares[h]) - abs(skew.counts[h] + by - skew.shares[h])
            for h, by in change.items()
        )
        if contribution > 0:
            kept += component
    return sorted(kept, key=lambda handover: handover[1])


def components(handovers: Sequence[Handover]) -> list[list[Handover]]:
    """The hand-overs grouped by the holders that they connect, whichever way they point."""
    parent: dict[int, int] = {}

    def root(holder: int) -> int:
        while parent.setdefault(holder, holder) != holder:
            parent[holder] = parent[parent[holder]]
            holder = parent[holder]
        return holder

    for giver, _, taker in handovers:
        parent[root(giver)] = root(taker)
    groups: dict[int, list[Handover]] = {}
    for handover in handovers:
        groups.setdefault(root(handover[0]), []).append(handover)
    return list(groups.values())
