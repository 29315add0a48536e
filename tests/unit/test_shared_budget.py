"""One budget for several clusters, beside every other way to give it."""

from __future__ import annotations

import random
from itertools import product

import pytest

from equipoise.comparing.shared_budget import Offer, Step, given, hull, least_left

MOST = 6


def levels(draw: random.Random, bytes_of: list[int]) -> list[float]:
    """What is left at each of some budgets, less and less."""
    return sorted((draw.random() for _ in bytes_of), reverse=True)


def drawn(draw: random.Random, n: int) -> tuple[list[Offer], list[list[float]]]:
    """Clusters, and what each budget from 0 to MOST bytes leaves of each; some need one byte at least."""
    offers, truths = [], []
    for k in range(n):
        least = draw.choice((0, 0, 1))
        known = [least, *sorted(draw.sample(range(least + 1, MOST + 1), 2))]
        left = levels(draw, known)
        truth = [1e9] * least
        for at in range(least, MOST + 1):
            truth.append(left[max(i for i, x in enumerate(known) if x <= at)])
        steps = tuple(Step(x, y, y * draw.choice((1.0, 0.8))) for x, y in zip(known, left, strict=True))
        offers.append(Offer(f"c{k}", steps, above=max(0, least - 1)))
        truths.append(truth)
    return offers, truths


@pytest.mark.parametrize("seed", range(200))
def test_beside_brute_force(seed: int) -> None:
    """No way to give the bytes is below the bound; ours is off by one step at most, and never over."""
    draw = random.Random(seed)
    offers, truths = drawn(draw, draw.randint(1, 4))
    least = sum(offer.steps[0].max_bytes for offer in offers)
    total = draw.randint(least, MOST * len(offers))
    best = min(
        sum(truth[x] for truth, x in zip(truths, budgets, strict=True))
        for budgets in product(range(MOST + 1), repeat=len(offers))
        if sum(budgets) <= total
    )
    found = given(offers, total)
    assert sum(found.values()) <= total
    left = sum(truth[found[offer.cluster]] for offer, truth in zip(offers, truths, strict=True))
    step = max(offer.steps[0].left - offer.steps[-1].left for offer in offers)
    assert best <= left <= best + step + 1e-12
    bound = least_left(offers, total)
    assert bound is not None and bound <= best + 1e-12


def test_where_it_buys_most() -> None:
    """Steep before flat; the last step gets the rest, and where steps are taken whole nothing is better."""
    steep = Offer("steep", (Step(0, 1.0, 1.0), Step(10, 0.2, 0.2), Step(20, 0.1, 0.1)))
    flat = Offer("flat", (Step(0, 1.0, 1.0), Step(10, 0.7, 0.7), Step(20, 0.0, 0.0)))
    assert given([flat, steep], 10) == {"steep": 10, "flat": 0}
    assert given([flat, steep], 30) == {"steep": 10, "flat": 20}
    assert given([flat, steep], 25) == {"steep": 10, "flat": 15}
    assert given([flat, steep], 1_000) == {"steep": 20, "flat": 20}
    assert least_left([flat, steep], 1_000) == pytest.approx(0.1)


def test_what_must_be_copied_goes_first() -> None:
    """A cluster whose rules force more than is there gets nothing, and then there is no bound."""
    forced = Offer("forced", (Step(8, 1.0), Step(9, 0.0)), above=7)
    free = Offer("free", (Step(0, 1.0), Step(5, 0.0)))
    assert given([forced, free], 9) == {"forced": 9, "free": 0}
    assert given([forced, free], 7) == {"forced": 0, "free": 5}
    assert least_left([forced, free], 6) is None
    assert least_left([forced, free], 9) is not None


def test_bounds_of_larger_budgets_hold_for_smaller_ones() -> None:
    """A weak bound of one budget does not make that of all weak."""
    offer = Offer("c", (Step(0, 1.0, 0.0), Step(10, 0.5, 0.5)))
    assert least_left([offer], 0) == 0.5


def test_hull() -> None:
    """Points above the line between others, and those that buy nothing, are none of it."""
    assert hull([(0, 1.0), (1, 0.9), (2, 0.0), (3, 0.5), (3, 0.0)]) == [(0, 1.0), (2, 0.0)]
