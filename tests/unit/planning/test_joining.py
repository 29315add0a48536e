"""Arcs side by side and in a row, joined: fewer arcs, the same flows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from scipy.optimize import Bounds, LinearConstraint, milp
from tests.unit.planning.drawn_networks import Drawn, is_flow, least, networks

from equipoise.planning.flow.joining import Joined, join
from equipoise.planning.flow.network import Infeasible, Int64, Network, Objective

BESIDE = ((0, 3, 0, 9), (0, 3, 0, 9))
"""With bands they stay two, so that their ends keep more than two arcs."""
NOTHING = np.zeros(2, dtype=np.int64)


def carried_best(joined: Joined) -> Int64 | None:
    """A cheapest flow on the carriers, without the costs that rise; None if there is none."""
    n = len(joined.room)
    matrix = np.zeros((len(joined.supply), n))
    np.add.at(matrix, (joined.tail, np.arange(n)), 1)
    np.add.at(matrix, (joined.head, np.arange(n)), -1)
    if not n:
        return np.zeros(0, dtype=np.int64) if not joined.supply.any() else None
    supplied = LinearConstraint(matrix, joined.supply, joined.supply)
    found = milp(joined.cost, integrality=np.ones(n), bounds=Bounds(0, joined.room), constraints=supplied)
    return None if found.x is None else np.round(found.x).astype(np.int64)


def row_of(*arcs: tuple[int, int, int, int], supply: list[int]) -> Network:
    """Arcs (tail, head, lower, upper)."""
    tail, head, lower, upper = (np.array(column) for column in zip(*arcs, strict=True))
    return Network(np.array(supply), tail.astype(np.int32), head.astype(np.int32), lower, upper)


@pytest.mark.slow
@given(networks())
def test_a_joined_flow_is_a_flow_on_all_arcs(drawn: Drawn) -> None:
    """Whatever the carriers bear, the arcs they stand for keep their bounds and every node its supply."""
    possible = least(drawn.network, drawn.first) is not None
    try:
        joined = join(drawn.network, drawn.first)
    except Infeasible:
        assert not possible
        return
    carried = carried_best(joined)
    assert (carried is not None) == possible
    if carried is not None:
        assert is_flow(drawn.network, joined.flow(carried))


@given(networks(plain=True))
@pytest.mark.slow
def test_joined_costs_differ_by_a_constant(drawn: Drawn) -> None:
    """Where no two arcs lie side by side, the cheapest flow on the carriers is the cheapest of all."""
    best = least(drawn.network, drawn.first)
    if best is not None:
        joined = join(drawn.network, drawn.first)
        carried = carried_best(joined)
        assert carried is not None
        assert [drawn.first.value(joined.flow(carried))] == best


def test_a_row_is_one_arc() -> None:
    """0 → 1 ← 2 → 3 becomes one arc: what goes in at 0 and 2 comes out at 1 and 3, by 0 to 3 units more.

    A unit more on it is one on 0 → 1 and 2 → 3, and one less on 2 → 1: it costs 1 - 10 + 100.
    """
    network = row_of((0, 1, 0, 5), (2, 1, 0, 3), (2, 3, 0, 4), *BESIDE, supply=[2, -3, 4, -3])
    objective = Objective.of_bands(5, np.array([3, 4]), NOTHING, NOTHING)
    joined = join(network, replace(objective, linear=np.array([1, 10, 100, 0, 0])))
    (row,) = joined.plain
    assert (joined.room[row], joined.cost[row]) == (3, 91)
    carried = np.zeros(len(joined.room), dtype=np.int64)
    assert joined.flow(carried).tolist() == [0, 3, 1, 0, 0]
    carried[row] = 2
    assert joined.flow(carried).tolist() == [2, 1, 3, 0, 0]


def test_side_by_side_the_cheapest_fills_first() -> None:
    """Three arcs of costs 7, 1 and 4 with room 2 each become one, and five units take 1 and 4 in full."""
    beside = *BESIDE, (3, 1, 0, 9), (3, 1, 0, 9)
    network = row_of((0, 1, 0, 2), (0, 1, 0, 2), (0, 1, 0, 2), *beside, supply=[5, -5, 0, 0])
    objective = Objective.of_bands(7, np.arange(3, 7), np.zeros(4, int), np.zeros(4, int))
    joined = join(network, replace(objective, linear=np.array([7, 1, 4, 0, 0, 0, 0])))
    assert joined.plain.size == 0 and (joined.room > 0).sum() == 5
    assert joined.flow(np.array([5, 0, 0, 0, 0])).tolist() == [1, 2, 2, 0, 0, 0, 0]
    arc, width, slope = joined.bundle_steps()
    assert sorted(zip(slope.tolist(), width.tolist(), strict=True)) == [(0, 2), (3, 2), (6, 2)]
    assert set(arc.tolist()) == {1}


def test_a_rising_cost_of_one_unit_is_a_plain_one() -> None:
    """An arc with room for one and a band at 3 gains 9 - 4 by its unit, like an arc of cost -5."""
    network = row_of((0, 1, 0, 1), *BESIDE, (1, 3, 0, 4), (1, 3, 0, 4), supply=[2, 0, 0, -2])
    bands = np.array([3, 0, 0, 0, 0])
    joined = join(network, Objective.of_bands(5, np.arange(5), bands, bands))
    assert joined.cost.tolist() == [-5, 0, 0, 0, 0]
    assert (joined.bend < 0).tolist() == [True, False, False, False, False]


def test_what_a_node_decides_is_not_solved() -> None:
    """Node 1 can only give on, and has nothing: no arc to it carries anything. Node 2 has one arc, which
    takes its three units; node 3 has as much as its two arcs carry. What goes from 0 to 4 is left open."""
    open_, decided = ((0, 4, 0, 9), (0, 4, 0, 9)), ((0, 1, 0, 2), (4, 1, 0, 2), (2, 0, 0, 5))
    network = row_of(*open_, *decided, (3, 0, 0, 4), (3, 4, 0, 2), supply=[0, 0, 3, 6, -9])
    joined = join(network, Objective.of_bands(7, np.array([0, 1]), NOTHING, NOTHING))
    assert np.flatnonzero(joined.room > 0).tolist() == [0, 1]
    assert joined.supply.tolist() == [7, 0, 0, 0, -7]
    assert joined.flow(np.r_[4, 3, np.zeros(len(joined.room) - 2, int)]).tolist() == [4, 3, 0, 0, 3, 4, 2]


def test_rows_that_cannot_pass_on_their_supply() -> None:
    """A node that has to pass on three over arcs of room one shows it before anything is solved."""
    network = row_of((0, 1, 0, 1), (1, 3, 0, 1), *BESIDE, supply=[0, 3, 0, -3])
    with pytest.raises(Infeasible):
        join(network, Objective.of_bands(4, np.array([2, 3]), NOTHING, NOTHING))
