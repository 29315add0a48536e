"""What prices of a 0-1 program prove, case by case: a replica of 9 GB, four of 2 GB, and what has to move."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.judge.sheet import MAX_NODES, Sheet, Sum

CLOSED, NARROWED = (-1, -1), -2


def moved(at_least: int) -> tuple[Sheet, Sum]:
    """A column for each replica that moves: the large one costs 10, a small one 1."""
    sheet = Sheet()
    large, *small = (sheet.column() for _ in range(5))
    sheet.row([(large, 9), *((column, 2) for column in small)], least=at_least)
    return sheet, Sum([(large, 10), *((column, 1) for column in small)])


def kept(at_most: int) -> tuple[Sheet, Sum]:
    """The same told of the replicas that stay: all of them have 17 GB, and moving them costs 14."""
    sheet = Sheet()
    large, *small = (sheet.column() for _ in range(5))
    sheet.row([(large, 9), *((column, 2) for column in small)], most=at_most)
    return sheet, Sum([(large, -10), *((column, -1) for column in small)], 14)


def bound(of: tuple[Sheet, Sum], branches: list[tuple[int, int]], prices: list[list[int]]) -> int:
    sheet, goal = of
    return sheet.bound(goal, np.array(branches), np.array(prices))


def test_one_case() -> None:
    """A GB costs at least half a unit: 9 GB cost 4.5, so 5; at 10 for 9 GB small ones pay for themselves."""
    assert bound(moved(9), [CLOSED], [[18, 9]]) == 5
    assert bound(moved(9), [CLOSED], [[9, 10]]) == 6
    assert bound(kept(8), [CLOSED], [[18, -9]]) == 5
    assert bound(moved(9), [CLOSED], [[18, 0]]) == bound(kept(8), [CLOSED], [[18, 0]]) == 0


def test_rows_are_turned_so_that_their_first_factor_is_positive() -> None:
    """-x at most -1 is x at least 1, and has a positive price."""
    sheet = Sheet()
    column = sheet.column(3)
    sheet.row([(column, -1)], most=-1)
    assert bound((sheet, Sum([(column, 1)])), [CLOSED], [[1, 1]]) == 1


@pytest.mark.parametrize(("of", "sign"), [(moved(9), 1), (kept(8), -1)])
def test_a_case_is_narrowed(of: tuple[Sheet, Sum], sign: int) -> None:
    """Below 10 the large one cannot move at all, and the small ones have 8 GB alone: so it is at least 10.

    11 are not proved by that, and less than 10 are as many as were asked for.
    """
    prices = [[18, 9 * sign], [0, sign]]
    for value in range(-3, 11):
        assert bound(of, [(NARROWED, value), CLOSED], prices) == value
    with pytest.raises(ValueError, match="a case that is not closed"):
        bound(of, [(NARROWED, 11), CLOSED], prices)
    with pytest.raises(ValueError, match="a case that is not closed"):  # 8 GB could be had of the small ones
        bound(moved(8) if sign > 0 else kept(9), [(NARROWED, 10), CLOSED], prices)


def test_what_prices_do_not_say_is_not_narrowed() -> None:
    """A column that pays nothing stays as wide as it was: 500 of its 1,000 can be had."""
    sheet, goal = moved(9)
    sheet.row([(sheet.column(1_000), 1)], least=500)
    with pytest.raises(ValueError, match="a case that is not closed"):
        bound((sheet, goal), [(NARROWED, 10), CLOSED], [[18, 9, 0], [0, 0, 1]])


def test_what_is_narrowed_to_nothing_is_closed() -> None:
    """Below 5 there is nothing by the prices themselves: none have to close what is left."""
    for of, price in ((moved(9), 9), (kept(8), -9)):
        assert bound(of, [(NARROWED, 4), CLOSED], [[18, price], [0, 0]]) == 4


def test_a_case_is_divided() -> None:
    """Without the large one there are 8 GB; with it, it is 10 at least. The least of both cases counts."""
    assert bound(moved(9), [(0, 0), CLOSED, CLOSED], [[0, 1], [1, 0]]) == 10
    assert bound(moved(8), [(0, 0), CLOSED, CLOSED], [[2, 1], [1, 0]]) == 4
    assert bound(moved(17), [(1, 0), CLOSED, CLOSED], [[0, 1], [1, 3]]) == 14
    narrowed = [(1, 0), (NARROWED, 10), CLOSED, (NARROWED, 9), CLOSED]
    assert bound(moved(9), narrowed, [[18, 9], [0, 1], [18, 9], [0, 1]]) == 9


def test_a_case_in_which_nothing_is() -> None:
    """A column divided at its 1: no price has to close what is above. No proof has such cases alone."""
    assert bound(moved(9), [(0, 1), CLOSED, CLOSED], [[18, 9], [0, 0]]) == 5
    with pytest.raises(ValueError, match="none in which this plan could be"):
        bound(moved(18), [(0, 1), CLOSED, CLOSED], [[0, 1], [0, 0]])


@pytest.mark.parametrize(
    ("branches", "prices", "problem"),
    [
        ([(0, 0), CLOSED], [[18, 9]], "cases that are left open"),
        ([(NARROWED, 10)], [[18, 9]], "cases that are left open"),
        ([CLOSED, CLOSED], [[18, 9], [18, 9]], "more cases than there are"),
        ([(-3, 10), CLOSED], [[18, 9], [0, 1]], "neither divided, nor closed, nor narrowed"),
        ([CLOSED], [[18, -9]], "a price for a bound that is none"),
        ([CLOSED], [[-18, 9]], "prices of shape"),
        ([CLOSED], [[-1, 9]], "prices of shape"),
        ([CLOSED], [[18, 9, 1]], "prices of shape"),
        ([CLOSED], [[18, 9], [0, 1]], "prices of shape"),
        ([CLOSED], [[0, 1]], "a case that is not closed"),
    ],
)
def test_what_is_no_proof(branches: list[tuple[int, int]], prices: list[list[int]], problem: str) -> None:
    """Every case has to be there, and closed by prices that its rows allow."""
    with pytest.raises(ValueError, match=problem):
        bound(moved(9), branches, prices)
    with pytest.raises(ValueError, match="a price for a bound that is none"):
        bound(kept(8), [CLOSED], [[18, 9]])


def test_branches_of_another_shape() -> None:
    """Pairs, at least one, and no more than anybody can add up."""
    sheet, goal = moved(9)
    prices = np.array([[18, 9]])
    for branches in (np.zeros((0, 2)), np.array([-1, -1]), np.array([[-1, -1, 0]])):
        with pytest.raises(ValueError, match="branches of shape"):
            sheet.bound(goal, branches.astype(np.int64), prices[: len(branches)])
    for n_nodes in (MAX_NODES, MAX_NODES + 1):
        divided = np.tile([[0, 0]], (n_nodes, 1))
        with pytest.raises(ValueError, match="branches of shape" if n_nodes > MAX_NODES else "left open"):
            sheet.bound(goal, divided, np.zeros((0, 2), dtype=np.int64))
