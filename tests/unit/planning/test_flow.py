"""Minimum-cost flows with convex arcs: least, proved, and their optimal face kept."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.unit.planning.drawn_networks import Drawn, is_flow, least, networks

from equipoise.planning.flow import convex
from equipoise.planning.flow.convex import dual_bound, is_settled, narrow, solve, solve_stepwise
from equipoise.planning.flow.network import Infeasible, Int64, Network, Objective


def two_nodes(room: list[int], supply: int) -> Network:
    """Arcs side by side from node 0 to node 1."""
    n = len(room)
    return Network(
        np.array([supply, -supply]),
        np.zeros(n, dtype=np.int32),
        np.ones(n, dtype=np.int32),
        np.zeros(n, dtype=np.int64),
        np.array(room),
    )


@given(networks())
@pytest.mark.slow
def test_the_flow_costs_least(drawn: Drawn) -> None:
    """A flow within all bounds whose value is that of the 0-1 program; where that has none, `Infeasible`."""
    best = least(drawn.network, drawn.first)
    if best is None:
        with pytest.raises(Infeasible):
            solve(drawn.network, drawn.first, drawn.guess)
        return
    found = solve(drawn.network, drawn.first, drawn.guess)
    assert is_flow(drawn.network, found.flow)
    assert [found.value] == [drawn.first.value(found.flow)] == best


@pytest.mark.slow
@given(networks(most_room=60))
def test_wide_steps_are_refined(drawn: Drawn) -> None:
    """Far from the guess steps are wider than one unit, and the answer is exact all the same."""
    best = least(drawn.network, drawn.first)
    assume(best is not None)
    far = replace(drawn.first, band_high=drawn.first.band_low)
    assert [solve(drawn.network, far, drawn.network.lower).value] == least(drawn.network, far)
    assert [solve(drawn.network, drawn.first).value] == best


@pytest.mark.slow
@given(networks())
def test_potentials_prove_the_value(drawn: Drawn) -> None:
    """The bound under the potentials is the value itself: nothing can be better."""
    assume(least(drawn.network, drawn.first) is not None)
    found = solve(drawn.network, drawn.first, drawn.guess)
    assert dual_bound(drawn.network, drawn.first, found.potential) == found.value


@pytest.mark.slow
@given(networks(), st.data())
def test_any_potentials_give_a_bound(drawn: Drawn, data: st.DataObject) -> None:
    """Weak duality: whatever the potentials say, it is never above the least value."""
    best = least(drawn.network, drawn.first)
    assume(best is not None)
    n = len(drawn.network.supply)
    potential = np.array(data.draw(st.lists(st.integers(-9, 9), min_size=n, max_size=n)))
    assert dual_bound(drawn.network, drawn.first, potential) <= best[0]


@pytest.mark.slow
@given(networks())
def test_the_narrowed_network_is_the_optimal_face(drawn: Drawn) -> None:
    """The next objective reaches on it what it reaches among all flows that are best at the first.

    A lost optimal flow would make that worse, a flow that is not optimal would make it better.
    """
    both = least(drawn.network, drawn.first, drawn.second)
    assume(both is not None)
    found = solve(drawn.network, drawn.first, drawn.guess)
    face = narrow(drawn.network, drawn.first, found.potential)
    assert is_flow(face, found.flow)
    second = solve(face, drawn.second, found.flow)
    assert [drawn.first.value(second.flow), second.value] == both


@given(networks())
@pytest.mark.slow
def test_all_flows_cost_the_same_where_nothing_is_left_to_decide(drawn: Drawn) -> None:
    """Any two amounts of an arc do then, whether some flow has them or not; else it is not said."""
    network, objective = drawn.network, drawn.first
    crossed = network.lower > network.upper
    ends = np.where(crossed, network.upper, network.lower), network.upper
    single = 0
    for arc in range(len(network.tail)):
        costs = set()
        for amount in range(int(ends[0][arc]), int(ends[1][arc]) + 1):
            flow = ends[1].copy()
            flow[arc] = amount
            costs.add(objective.value(flow))
        single += len(costs) == 1
    assert is_settled(network, objective) == (single == len(network.tail))


def test_a_band_is_filled_before_it_is_left() -> None:
    """Ten units over two arcs with band 2 to 3 each: both end two above, 2 ** 2 + 2 ** 2."""
    level = Objective.of_bands(2, np.array([0, 1]), np.array([2, 2]), np.array([3, 3]))
    found = solve(two_nodes([20, 20], 10), level)
    assert found.flow.tolist() == [5, 5]
    assert found.value == 8


@pytest.mark.parametrize(
    ("high", "best", "exact"),
    [(17, (22, 38), [False]), (0, (30, 30), [False, False]), (13, (23, 37), [False, True])],
)
def test_what_prices_prove_is_not_solved_again(
    high: int, best: tuple[int, int], exact: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sixty units over two arcs, by steps of up to sixteen: the best at once, or after one more flow."""
    solved = []

    def noted(network: Network, objective: Objective, centre: Int64) -> tuple[Int64, bool]:
        solved.append(solve_stepwise(network, objective, centre))
        return solved[-1]

    monkeypatch.setattr(convex, "solve_stepwise", noted)
    level = Objective.of_bands(2, np.array([0, 1]), np.array([0, 0]), np.array([0, high]))
    assert tuple(solve(two_nodes([60, 60], 60), level).flow) == best
    assert [told for _, told in solved] == exact


def test_no_room_for_the_supply() -> None:
    """Six units and room for five."""
    with pytest.raises(Infeasible):
        solve(two_nodes([2, 3], 6), Objective.of_linear(np.zeros(2)))


def test_an_arc_whose_bounds_cross_carries_nothing() -> None:
    """At least 1 and at most 0: there is no such flow, though the supply would fit beside it."""
    network = replace(two_nodes([0, 1], 1), lower=np.array([1, 0]))
    with pytest.raises(Infeasible):
        solve(network, Objective.of_linear(np.zeros(2, dtype=np.int64)))


def test_a_node_without_arcs_keeps_its_supply() -> None:
    """Supply that no arc can take away is no flow, and none is needed where there is no supply."""
    with pytest.raises(Infeasible):
        solve(two_nodes([], 1), Objective.of_linear(np.zeros(0)))
    assert solve(two_nodes([], 0), Objective.of_linear(np.zeros(0), offset=4)).value == 4
