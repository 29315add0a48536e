"""Prices of sums, found in few looks: those that trying every price in turn would find."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.planning.flow.network import Int32, Int64
from equipoise.planning.flow.prices import FINENESS, Count, added, reached, smallest, turning, within

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


@pytest.mark.parametrize("kind", [np.int16, np.int32])
def test_cells_hold_what_is_cheapest_whatever_room_their_numbers_take(kind: type[np.integer]) -> None:
    """The most units for which the squared distance from the band, less the price of each, is least."""
    rng = np.random.default_rng(7)
    low = rng.integers(0, 4, (30, 20))
    high = low + rng.integers(0, 3, low.shape)
    topic, broker = (rng.integers(-90, 91, n).astype(np.int32) for n in (30, 20))
    price = added(topic[:, None], broker, np.dtype(kind))
    assert price.dtype == kind
    found = turning(low.astype(kind), high.astype(kind), price)
    units = np.arange(-20, 40)
    outside = np.maximum(np.maximum(low[..., None] - units, units - high[..., None]), 0)
    cost = FINENESS * outside**2 - (topic[:, None] + broker)[..., None].astype(np.int64) * units
    last = len(units) - 1 - np.argmin(cost[..., ::-1], axis=-1)
    assert np.array_equal(found, units[last])


@pytest.mark.parametrize(("most", "kind"), [(8191, np.int16), (8192, np.int32), (-8192, np.int32)])
def test_16_bits_where_all_numbers_fit_with_room_to_spare(most: int, kind: type[np.integer]) -> None:
    """Tables get one type together, row by row in memory; prices that need more than it have more."""
    tables = np.zeros((3, 4), dtype=np.int64)[:, np.array([2, 1])], np.full((3, 1), most)
    assert [(table.dtype, table.flags.c_contiguous) for table in smallest(*tables)] == [(kind, True)] * 2
    for more in (0, 1):
        topic, broker = np.array([[most - np.sign(most) * (1 + more)]]), np.array([np.sign(most)])
        assert added(topic, broker, np.dtype(np.int16), more).dtype == kind
