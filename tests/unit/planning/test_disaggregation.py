"""Counts of a topic become partitions: the first that fits, by exchange, exactly or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.cluster import Brokers, build_cluster
from equipoise.planning import Request, build_problem
from equipoise.planning.flow.network import Int64
from equipoise.planning.networks import disaggregation
from equipoise.planning.networks.disaggregation import Moved, disaggregate, exchange, lists_after, pair
from equipoise.planning.networks.faces import solve_levels, topic_network
from equipoise.planning.networks.placement import PlacementNetwork
from equipoise.planning.networks.placement_data import gather
from equipoise.planning.problem.params import Params

Racks = Mapping[int, str | None]


def network_of(
    lists: Sequence[Sequence[int]],
    racks: Racks,
    request: Request | None = None,
    still: Sequence[Sequence[int]] = (),
    params: Params | None = None,
) -> PlacementNetwork:
    """Topic t with a partition for each list; partitions that stand alike in the racks are one unit.

    ``still``: partitions of another topic, which the request leaves alone.
    """
    names = ["t"] * len(lists) + ["u"] * len(still)
    numbers = [*range(len(lists)), *range(len(still))]
    cluster = build_cluster("h", Brokers.of(list(racks), racks), names, numbers, [*lists, *still])
    problem = build_problem(cluster, request or Request())
    data = gather(replace(problem, params=params or problem.params))
    return topic_network(data, np.zeros(len(data.rows), dtype=bool))


def level(net: PlacementNetwork) -> Int64:
    """A flow that levels the brokers with the fewest moves."""
    return solve_levels(net, net.network, ("racks", "replicas", "moves"), "topics")[1].flow


def ids_after(net: PlacementNetwork, moves: Moved) -> list[list[int]]:
    """Replica lists as broker ids."""
    lists = net.data.problem.cluster.ids_of(lists_after(net.data, moves))
    return [[int(b) for b in held if b >= 0] for held in lists]


def bare(n: int) -> Racks:
    return dict.fromkeys(range(n))


@st.composite
def drawn(draw: st.DrawFn) -> tuple[list[list[int]], Racks, Request]:
    """3 to 14 partitions on 3 to 6 brokers in none to three racks, to be levelled after an operation."""
    n = draw(st.integers(3, 6))
    racks = {b: f"rack-{b % k}" if (k := draw(st.sampled_from((0, 2, 3)))) else None for b in range(n)}
    if None in racks.values():
        racks = dict.fromkeys(range(n))
    factor = draw(st.integers(1, min(3, n - 1)))
    some = draw(st.lists(st.permutations(range(draw(st.integers(factor, n)))), min_size=3, max_size=14))
    wanted = draw(st.sampled_from((Request(), Request(drain=(0,)), Request(replication_factor=2))))
    return [list(held[:factor]) for held in some], racks, wanted


@pytest.mark.slow
@given(drawn())
def test_what_is_handed_out_meets_the_counts(case: tuple[list[list[int]], Racks, Request]) -> None:
    """Unless a unit is reported, brokers end with what the flow says, and no partition has one twice."""
    net = network_of(*case)
    flow = level(net)
    moves, failed = disaggregate(net, flow)
    lists = ids_after(net, moves)
    assert all(len(set(held)) == len(held) for held in lists)
    assert [len(held) for held in lists] == net.data.problem.rf.tolist()
    if not len(failed):
        brokers = net.data.problem.cluster.brokers.ids[net.data.brokers]
        held = [sum(b in held for held in lists) for b in brokers]
        assert held == flow[net.sink.index].tolist()
        assert len(moves.row) == flow[net.arrive.index].sum()


@pytest.mark.slow
@given(drawn())
def test_the_exact_hand_out_agrees(case: tuple[list[list[int]], Racks, Request]) -> None:
    """Where the first that fits meets all counts, the flow over partitions meets them too."""
    net = network_of(*case)
    flow = level(net)
    _, failed = disaggregate(net, flow)
    if not len(failed):
        leaving, pieces = net.data.slot_broker < 0, []
        units = np.arange(len(net.family_of))
        assert not len(disaggregation.disaggregate_exactly(net, flow, units, leaving.copy(), pieces))


def test_the_first_that_fits() -> None:
    """Broker 0 gives half of its four to broker 1; nothing else happens."""
    net = network_of([[0], [0], [0], [0]], bare(2))
    moves, failed = disaggregate(net, level(net))
    assert not len(failed)
    assert sorted(ids_after(net, moves)) == [[0], [0], [1], [1]]


def test_followers_give_way_before_leaders() -> None:
    """The leadership stays where it is."""
    net = network_of([[0, 1], [1, 0], [0, 1], [1, 0]], bare(4))
    moves, failed = disaggregate(net, level(net))
    assert not len(failed)
    assert [held[0] for held in ids_after(net, moves)] == [0, 1, 0, 1]


def test_partitions_with_a_leader_to_give_go_first() -> None:
    """Broker 0 leads four of six, two are a share: what goes to broker 3, a new one, 0 leads."""
    lists = [[2, 1], [2, 1], [0, 1], [0, 1], [0, 2], [0, 2]]
    net = network_of(lists, bare(4))
    moves, failed = disaggregate(net, level(net))
    assert not len(failed)
    assert sorted(lists[row][0] for row in moves.row) == [0, 0, 0]


def test_no_partition_gives_up_two_while_another_could_give_up_one() -> None:
    """Brokers 0 and 1 give two each to 2 and 3: four partitions change one replica."""
    net = network_of([[0, 1]] * 4, bare(4))
    moves, _ = disaggregate(net, level(net))
    assert sorted(np.bincount(moves.row).tolist()) == [1, 1, 1, 1]


def test_destinations_are_exchanged_where_they_clash() -> None:
    """The first would get the broker that it holds, the second one that fits both: they swap."""
    row, broker = np.array([0, 1]), np.array([1, 2])
    place, held = broker.copy(), np.array([[0, 1], [0, 3]], dtype=np.int32)
    exchange(np.array([0]), row, broker, place, np.zeros(2, dtype=np.int64), held)
    assert broker.tolist() == place.tolist() == [2, 1]


def test_destinations_that_nobody_can_exchange_stay() -> None:
    """Both partitions hold both brokers."""
    row, broker = np.array([0, 1]), np.array([1, 2])
    place, held = broker.copy(), np.array([[1, 2], [1, 2]], dtype=np.int32)
    exchange(np.array([0, 1]), row, broker, place, np.zeros(2, dtype=np.int64), held)
    assert broker.tolist() == [1, 2]


def test_pairs_that_clash_are_reported() -> None:
    """Broker 0's replica of a partition cannot go to 1, which holds the other; the unit is named."""
    net = network_of([[0, 1], [0, 1]], bare(3))
    leaving = net.data.slot_broker == 0
    leaving[np.flatnonzero(leaving)[1:]] = False
    arrive = np.zeros((1, 3), dtype=np.int32)
    arrive[0, 1] = 1
    assert pair(net, leaving, arrive)[2].tolist() == [True]


def test_pairs_of_unequal_number_are_reported() -> None:
    """Two leave, one arrives: those counts are no exchange within the rack."""
    net = network_of([[0], [0]], bare(2))
    arrive = np.array([[0, 1]], dtype=np.int32)
    row, broker, failed = pair(net, np.ones(2, dtype=bool), arrive)
    assert (len(row), len(broker), failed.tolist()) == (0, 0, [True])


@pytest.mark.parametrize("batch_arcs", [1, 10**9])
def test_what_the_first_that_fits_cannot_is_handed_out_exactly(
    batch_arcs: int,
) -> None:
    """Replication factors that grow go through a flow over partitions, in batches or at once."""
    params = Params(exact_batch=batch_arcs)
    net = network_of([[0, 1], [1, 2], [2, 3], [3, 0]], bare(4), Request(replication_factor=3), params=params)
    moves, failed = disaggregate(net, level(net))
    assert not len(failed)
    lists = ids_after(net, moves)
    assert [len(set(held)) for held in lists] == [3, 3, 3, 3]
    assert np.bincount(np.concatenate(lists)).tolist() == [3, 3, 3, 3]


def test_counts_that_no_partition_can_meet_are_reported() -> None:
    """Broker 0 is drained and only 2 lacks a replica, but the partition that leaves 0 is on 2 already.

    The unit is named, and disaggregated as near to its counts as can be: no list has a broker twice.
    """
    request = Request(drain=(0,), exclude_topics="u")
    net = network_of([[0, 1, 2], [3, 4, 1]], bare(5), request, still=[[3], [4]])
    moves, failed = disaggregate(net, level(net))
    assert failed.tolist() == [0]
    lists = ids_after(net, moves)[:2]
    assert all(len(set(held)) == 3 and 0 not in held for held in lists)
