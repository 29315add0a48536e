"""Prices of sums, found in few looks: those that trying every price in turn would find."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.planning.flow.network import Int32, Int64
from equipoise.planning.flow.prices import Count, reached, within

REACH = 300
HIGHEST = 400


def counting(seed: int, shape: tuple[int, ...]) -> tuple[Int64, Count]:
    """Counts of some rows that rise with their prices, as a table of all prices and as a function."""
    rises = np.random.default_rng(seed).integers(0, 2, (*shape, 2 * HIGHEST + 1)) * 3
    table = np.cumsum(rises, axis=-1) - 600

    def count(tried: Int32, rows: Int64 | slice) -> Int64:
        return np.take_along_axis(table[rows], (tried + HIGHEST)[..., None], axis=-1)[..., 0]

    return table, count


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("shape", [(40,), (20, 3)])
def test_the_lowest_price_that_is_enough(seed: int, shape: tuple[int, ...]) -> None:
    """Whatever price the search begins at, it ends at the lowest within reach, or else at the highest."""
    table, count = counting(seed, shape)
    rng = np.random.default_rng(seed)
    at = rng.integers(-90, 91, shape).astype(np.int32)
    wanted, reach = rng.integers(-700, 700, shape), int(rng.integers(1, REACH))
    found = reached(count, wanted, at, reach)
    for row in np.ndindex(shape):
        prices = range(at[row] - reach + 1, at[row] + reach)
        enough = (price for price in prices if table[(*row, price + HIGHEST)] >= wanted[row])
        assert found[row] == next(enough, at[row] + reach)


@pytest.mark.parametrize("seed", range(20))
def test_a_price_is_paid_at_a_bound_alone(seed: int) -> None:
    """A count that is within its bounds for nothing has no price; others have what brings them there."""
    table, count = counting(seed, (40,))
    rng = np.random.default_rng(seed)
    least = rng.integers(-200, 200, 40)
    most = least + rng.integers(0, 400, 40)
    found = within(count, (least, most), rng.integers(-90, 91, 40).astype(np.int32), REACH)
    free, there = table[:, HIGHEST], table[np.arange(40), found + HIGHEST]
    assert np.array_equal(found > 0, free < least)
    assert not found[(free >= least) & (free <= most)].any()
    low, high = found > 0, found < 0
    assert (there[low] >= least[low]).all() and (table[low, found[low] + HIGHEST - 1] < least[low]).all()
    assert (there[high] >= most[high]).all() and (table[high, found[high] + HIGHEST - 1] < most[high]).all()
