"""Topics solved near prices of their sums: the same optimum, its proof, and never anything worse."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from bench.instances import cluster

from equipoise.planning import Request, build_problem
from equipoise.planning.flow.convex import Optimum, dual_bound, solve
from equipoise.planning.flow.network import Int64, Network, Objective
from equipoise.planning.networks import topic_prices
from equipoise.planning.networks.faces import merged_network, solve_levels, topic_network
from equipoise.planning.networks.placement import PlacementNetwork
from equipoise.planning.networks.placement_data import gather
from equipoise.planning.problem.params import Params


@pytest.fixture(params=["growth", "drain", "rackless", "weights"])
def topics(request: pytest.FixtureRequest) -> PlacementNetwork:
    """The network of 300 topics, of 20 partitions each on average, on a face with level brokers."""
    state = cluster(6_000, 15, 1 if request.param == "rackless" else 3, 300, new=2)
    if request.param == "weights":
        weight = np.where(np.arange(15) % 2, 1.0, 1.5)
        state = replace(state, brokers=replace(state.brokers, weight=weight))
    asked = Request(drain=(1, 4)) if request.param == "drain" else Request()
    data = gather(replace(build_problem(state, asked), params=Params(flow_cells=0)))
    coarse = merged_network(data)
    held = solve_levels(coarse, coarse.network, ("racks", "replicas"), "merged")[1].flow[coarse.sink.index]
    return topic_network(replace(data, held=held), np.zeros(len(data.rows), dtype=bool))


def test_prices_lead_to_the_optimum(topics: PlacementNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    """With brokers held to level counts prices are near enough, and the potentials prove it."""
    goal = topics.objective("topics")
    expected = solve(topics.network, goal, topics.guess())

    def whole(network: Network, objective: Objective, guess: Int64) -> Optimum:
        raise AssertionError("prices did not help")

    monkeypatch.setattr(topic_prices, "solve", whole)
    best = topic_prices.solve_topics(topics, topics.network, goal, topics.guess())
    assert best.value == expected.value
    assert dual_bound(topics.network, goal, best.potential) == best.value


@pytest.mark.parametrize("off", [0, 3, 50])
@pytest.mark.slow
def test_wrong_prices_do_no_harm(
    topics: PlacementNetwork, off: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Prices drawn at random, a little or far off: what is not proved is solved anew."""
    wrong = np.random.default_rng(off).integers(-off, off + 1, len(topics.cell.unit))
    monkeypatch.setattr(topic_prices, "pulls", lambda sums, steps: topic_prices.FINENESS * wrong)
    goal = topics.objective("topics")
    best = topic_prices.solve_topics(topics, topics.network, goal, topics.guess())
    assert best.value == solve(topics.network, goal, topics.guess()).value
    assert best.value == dual_bound(topics.network, goal, best.potential)


def test_where_racks_are_kept() -> None:
    """Three racks hold one replica each of every partition; of four racks one has none, and may get it."""

    def kept(racks: int) -> bool:
        data = gather(build_problem(cluster(600, 12, racks, 10), Request()))
        net = topic_network(data, np.zeros(len(data.rows), dtype=bool))
        return topic_prices.keeps_racks(net, net.network)

    assert [kept(racks) for racks in (1, 3, 4)] == [True, True, False]
