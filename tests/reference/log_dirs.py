"""One broker's log dirs, by trying every way to place its replicas; no help of planner or judge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import ceil, floor


def least(
    sizes: Sequence[int],
    homes: Sequence[int],
    fixed: Sequence[bool],
    weights: Sequence[int],
    tolerance: Fraction,
    room: Sequence[int] | None = None,
) -> tuple[int, int] | None:
    """Outside the bands, and of those ways moved: the least of both; None where nothing fits.

    ``homes`` are the dirs in which replicas lie, -1 for one that lies in none; ``tolerance`` is in percent;
    ``room`` is what each dir may hold (None: anything).
    """
    return min(
        (
            (outside(sizes, way, weights, tolerance), moved(sizes, homes, way))
            for way in ways(homes, fixed, len(weights))
            if room is None or fits(sizes, way, room)
        ),
        default=None,
    )


def fits(sizes: Sequence[int], way: Sequence[int], room: Sequence[int]) -> bool:
    """Whether no dir holds more than it may."""
    held = [sum(size for size, to in zip(sizes, way, strict=True) if to == at) for at in range(len(room))]
    return all(each <= most for each, most in zip(held, room, strict=True))


def ways(homes: Sequence[int], fixed: Sequence[bool], n_dirs: int) -> Iterator[tuple[int, ...]]:
    """Every way to place the replicas."""
    choices = [(home,) if stays else range(n_dirs) for home, stays in zip(homes, fixed, strict=True)]
    return product(*choices)


def moved(sizes: Sequence[int], homes: Sequence[int], way: Sequence[int]) -> int:
    """What leaves its dir."""
    return sum(size for size, home, to in zip(sizes, homes, way, strict=True) if home not in (-1, to))


def outside(sizes: Sequence[int], way: Sequence[int], weights: Sequence[int], tolerance: Fraction) -> int:
    """What dirs hold above or below their share, ``tolerance`` percent and the next whole number allowed."""
    total = 0
    for at, weight in enumerate(weights):
        held = sum(size for size, to in zip(sizes, way, strict=True) if to == at)
        share = Fraction(sum(sizes) * weight, sum(weights))
        low, high = max(0, floor(share * (1 - tolerance / 100))), ceil(share * (1 + tolerance / 100))
        total += max(0, low - held, held - high)
    return total
