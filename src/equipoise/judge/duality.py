"""Lower bounds by weak duality, recomputed from potentials in whole numbers.

A level of a plan is a minimum-cost flow whose arcs cost ``cost * x``, and on some arcs the square of
the distance of ``x`` from a band. For any potentials the Lagrangian bound

    sum(supply * potential) + sum over arcs of min over whole x in [lower, upper] of
        cost * x + distance(x) ** 2 - (potential[tail] - potential[head]) * x

is at most the cost of every flow, so a value that meets it is proved best, whoever found it (R. K.
Ahuja, T. L. Magnanti, J. B. Orlin, "Network Flows", chapters 9.4 and 16). All flows that meet
the bound have on every arc an ``x`` that attains that arc's minimum: the next level keeps to those.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

Int64 = npt.NDArray[np.int64]

SAFE = 2**62
HIGHEST_PRICE = 2**60
"""No potential is farther from 0: then no difference of two, with a cost, leaves 64 bits."""


@dataclass(frozen=True, eq=False)
class FlowProblem:
    """One level: the network and its costs."""

    supply: Int64
    """``(n_nodes,)``: outflow minus inflow."""
    tail: npt.NDArray[np.int32]
    """``(n_arcs,)``, as ``head``, ``lower``, ``upper`` and ``cost``."""
    head: npt.NDArray[np.int32]
    lower: Int64
    upper: Int64
    cost: Int64
    convex: npt.NDArray[np.int32]
    """Arcs whose flow is drawn into a band, ``(n_convex,)``, as ``band_low`` and ``band_high``."""
    band_low: Int64
    band_high: Int64
    offset: int = 0
    """What the level costs apart from the flow."""

    def value(self, flow: Int64) -> int:
        """Cost of a flow ``(n_arcs,)``; whether it is one is :meth:`admits`."""
        return exact_dot(self.cost, flow) + self.squares(flow[self.convex]) + self.offset

    def squares(self, x: Int64) -> int:
        """Sum of squared distances of the convex arcs' flows from their bands."""
        outside = np.maximum(np.maximum(self.band_low - x, x - self.band_high), 0)
        return exact_dot(outside, outside)

    def admits(self, flow: Int64) -> bool:
        """True where the flow keeps the arcs' bounds and meets every supply."""
        outflow = np.zeros(len(self.supply), dtype=np.int64)
        np.add.at(outflow, self.tail, flow)
        np.subtract.at(outflow, self.head, flow)
        within = np.all((flow >= self.lower) & (flow <= self.upper))
        return bool(within and np.array_equal(outflow, self.supply))


def dual_bound(problem: FlowProblem, potential: Int64) -> int:
    """The Lagrangian bound under ``potential`` ``(n_nodes,)``; any potentials give a bound.

    Raises ``ValueError`` for potentials beyond `HIGHEST_PRICE`.
    """
    if not within(potential, HIGHEST_PRICE):
        raise ValueError("potentials that are too large")
    # Either end would do: at both each arc costs its least.
    x, _ = minimisers(problem, potential)
    reduced = reduced_cost(problem, potential)
    return (
        exact_dot(problem.supply, potential)
        + exact_dot(reduced, x)
        + problem.squares(x[problem.convex])
        + problem.offset
    )


def narrowed(problem: FlowProblem, potential: Int64) -> FlowProblem:
    """The same network with every arc held to the flows that attain its part of the bound."""
    lower, upper = minimisers(problem, potential)
    return replace(problem, lower=lower, upper=upper)


def reduced_cost(problem: FlowProblem, potential: Int64) -> Int64:
    return problem.cost - potential[problem.tail] + potential[problem.head]


def minimisers(problem: FlowProblem, potential: Int64) -> tuple[Int64, Int64]:
    """First and last whole ``x`` of each arc that attain its minimum, within the arc's bounds.

    A convex arc costs ``r * x + distance(x) ** 2``. Above the band the next unit costs
    ``r + 2 * (x - band_high) + 1``, which turns positive once ``x`` exceeds
    ``band_high + (-r - 1) / 2``; below it is the mirror image.
    """
    r = reduced_cost(problem, potential)
    first = np.where(r < 0, problem.upper, problem.lower)
    last = np.where(r > 0, problem.lower, problem.upper)
    arcs = problem.convex
    pull = r[arcs]
    over, under = np.maximum(-pull, 0), np.maximum(pull, 0)
    low = np.where(pull < 0, problem.band_high + over // 2, problem.band_low - (under + 1) // 2)
    high = np.where(pull > 0, problem.band_low - under // 2, problem.band_high + (over + 1) // 2)
    # Within bounds a convex cost is least at the point nearest to where it is least without them.
    first[arcs] = np.clip(low, problem.lower[arcs], problem.upper[arcs])
    last[arcs] = np.clip(high, problem.lower[arcs], problem.upper[arcs])
    return first, last


def conserved(problem: FlowProblem, arcs: Int64, end: Literal["tail", "head"]) -> FlowProblem:
    """The bounds of ``arcs`` cut to what the other arcs at one of their ends can carry.

    No node may have two of them on that side, and none of them may be on the other side of it.
    """
    lower, upper = problem.lower.copy(), problem.upper.copy()
    # With nothing on these arcs, what a node has left over is what its one arc among them has to carry.
    lower[arcs] = upper[arcs] = 0
    nodes = (problem.tail if end == "tail" else problem.head)[arcs]

    def left(inward: Int64, outward: Int64) -> Int64:
        """Supply and inflow less outflow."""
        balance = problem.supply.copy()
        np.add.at(balance, problem.head, inward)
        np.subtract.at(balance, problem.tail, outward)
        return balance[nodes]

    least, most = left(lower, upper), left(upper, lower)
    # What comes in at the head makes up for what is missing there, so signs and ends change places.
    if end == "head":
        least, most = -most, -least
    lower[arcs] = np.maximum(problem.lower[arcs], least)
    upper[arcs] = np.minimum(problem.upper[arcs], most)
    return replace(problem, lower=lower, upper=upper)


def within(prices: Int64, highest: int) -> bool:
    """True where no price is farther from 0; ``np.abs`` would leave the lowest number of 64 bits negative."""
    return bool(np.all((prices >= -highest) & (prices <= highest)))


def exact_dot(a: Int64, b: Int64) -> int:
    """Sum of products without overflow: in 64 bits where they cannot, else in Python's integers."""
    if len(a) == 0:
        return 0
    largest = max(abs(int(a.min())), abs(int(a.max()))) * max(abs(int(b.min())), abs(int(b.max())))
    if largest * len(a) < SAFE:
        return int(a.astype(np.int64) @ b.astype(np.int64))
    return sum(x * y for x, y in zip(a.tolist(), b.tolist(), strict=True))
