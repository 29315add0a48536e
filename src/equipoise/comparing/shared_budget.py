"""One budget of bytes for several clusters, given where it buys most, and a bound on any way of giving it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

Curve = Sequence[tuple[int, float]]
"""What is left of a cluster's unevenness for so many bytes, by bytes."""


@dataclass(frozen=True)
class Step:
    """What one budget buys a cluster."""

    max_bytes: int
    left: float
    """Part that is not levelled: 1 with the least budget that has a plan, 0 with every broker in its band."""
    bound: float = 0.0
    """No plan within these bytes leaves less."""


@dataclass(frozen=True)
class Offer:
    """What budgets buy one cluster."""

    cluster: str
    steps: tuple[Step, ...]
    """By bytes, one at least."""
    above: int = 0
    """No plan copies less."""


def given(offers: Iterable[Offer], total: int) -> dict[str, int]:
    """Bytes for each cluster, ``total`` together at most.

    Each has what its first step costs, the cheapest first, and nothing where that is no longer there. Then
    the steepest edge of all lower convex hulls comes first; the one that does not fit gets what is there.
    """
    curves = {offer.cluster: [(step.max_bytes, step.left) for step in offer.steps] for offer in offers}
    return filled(curves, total)[0]


def least_left(offers: Sequence[Offer], total: int) -> float | None:
    """No way to give ``total`` leaves less, of all clusters together; None where some have no plan within it.

    The Lagrangian bound: bytes have one price for all, each cluster stands where its own bound and its bytes
    cost least together, at the price for which that is most; this is the linear relaxation over the hulls of
    the bounds (H. Everett, "Generalized Lagrange multiplier method for solving problems of optimum allocation
    of resources", 1963). Between two budgets the bound of the larger one holds.
    """
    if sum(offer.above for offer in offers) > total:
        return None
    return filled({offer.cluster: bounds(offer) for offer in offers}, total)[1]


def bounds(offer: Offer) -> Curve:
    """What any budget leaves at least: from the bytes on of one step the bound of the next."""
    least, curve = 0.0, []
    starts = [offer.above, *(step.max_bytes for step in offer.steps)]
    for start, step in reversed(list(zip(starts, offer.steps, strict=False))):
        least = max(least, step.bound)  # what no larger budget reaches no smaller one does
        curve.append((start, least))
    return curve[::-1]


def filled(curves: Mapping[str, Curve], total: int) -> tuple[dict[str, int], float]:
    """Bytes for each curve, and what is left of all with fractions of edges."""
    hulls = {name: hull(curve) for name, curve in curves.items()}
    budgets, there, left = {}, total, 0.0
    for name, points in sorted(hulls.items(), key=lambda item: (item[1][0][0], item[0])):
        first, part = points[0]
        budgets[name] = first if first <= there else 0
        there -= budgets[name]
        left += part
        if budgets[name] != first:
            hulls[name] = points[:1]
    for slope, name, n_bytes in sorted(edges(hulls)):
        taken = min(n_bytes, there)
        budgets[name] += taken
        there -= taken
        left += slope * taken
    return budgets, left


def edges(hulls: Mapping[str, Curve]) -> Iterable[tuple[float, str, int]]:
    """(change of what is left for each byte, curve, bytes) of every edge: those of one hull grow flatter."""
    for name, points in hulls.items():
        for (x0, y0), (x1, y1) in pairwise(points):
            yield (y1 - y0) / (x1 - x0), name, x1 - x0


def hull(curve: Curve) -> Curve:
    """The lower convex hull, as far as it falls."""
    points: list[tuple[int, float]] = []
    for x, y in sorted(curve):
        if points and y >= points[-1][1]:
            continue
        while len(points) > 1 and not is_below(points[-2], points[-1], (x, y)):
            points.pop()
        points.append((x, y))
    return points


def is_below(one: tuple[int, float], between: tuple[int, float], other: tuple[int, float]) -> bool:
    """Whether a point lies below the line from one to another."""
    (x0, y0), (x, y), (x1, y1) = one, between, other
    return (y - y0) * (x1 - x0) < (y1 - y0) * (x - x0)
