"""Counts of a topic that no choice of partitions meets: that topic alone is placed again, the rest stays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.seeds import seeds

from equipoise.cluster import Brokers, Cluster, build_cluster
from equipoise.cluster.proofs import NetworkName
from equipoise.planning import Request, build_problem
from equipoise.planning.goals import PLACEMENT, value_of
from equipoise.planning.networks.disaggregation import lists_after
from equipoise.planning.networks.faces import solve_levels, topic_network
from equipoise.planning.networks.place import Attempt, attempt, place
from equipoise.planning.networks.placement_data import gather
from equipoise.planning.networks.repair import repaired
from equipoise.planning.problem.params import Params
from equipoise.planning.problem.problem import Problem

BY_TOPICS = Params(row_arcs=0)
"""Even a small cluster goes by topics first, as those of a hundred thousand partitions do."""


def five_racks(seed: int, partitions: int = 800, topics: int = 80, brokers: int = 20) -> Cluster:
    """A replica in each of three racks out of five, on brokers that have held more or less for long.

    Topics are of 1 to 100 partitions: a replica that changes racks has few to choose from in a small one.
    """
    rng = np.random.default_rng(seed)
    weight = rng.uniform(0.6, 1.4, brokers)
    lists = []
    for _ in range(partitions):
        racks = rng.permutation(5)[:3]
        members = [np.arange(rack, brokers, 5) for rack in racks]
        lists.append([int(rng.choice(m, p=weight[m] / weight[m].sum())) for m in members])
    of = rng.pareto(1.2, topics) + 0.02
    topic = np.sort(rng.choice(topics, partitions, p=of / of.sum()))
    number = np.arange(partitions) - np.searchsorted(topic, topic)
    racks_of = {broker: f"zone-{broker % 5}" for broker in range(brokers)}
    names = [f"topic-{t:02d}" for t in topic]
    return build_cluster("five", Brokers.of(np.arange(brokers), racks_of), names, number, lists)


def by_topics(seed: int) -> Problem:
    return replace(build_problem(five_racks(seed), Request()), params=BY_TOPICS)


def first_attempt(problem: Problem) -> Attempt:
    goals = tuple(goal for goal in problem.goals if goal in PLACEMENT)
    data = gather(problem)
    return attempt(data, goals, np.zeros(len(data.rows), dtype=bool))


@pytest.fixture(scope="module")
def failing() -> list[tuple[Problem, Attempt]]:
    """Clusters with a topic of which no choice of partitions meets what the flow over topics says."""
    tried = ((problem, first_attempt(problem)) for problem in map(by_topics, range(20)))
    found = [(problem, tried) for problem, tried in tried if len(tried.failed)]
    assert len(found) >= 2
    return found


def promised_by(tried: Attempt) -> dict[str, int]:
    return {level.goal: level.value for level in tried.levels}


@pytest.mark.parametrize("seed", seeds(7))
@pytest.mark.slow
def test_a_plan_by_topics_is_as_good_as_one_in_which_every_partition_is_a_node(seed: int) -> None:
    problem = by_topics(seed)
    data = gather(problem)
    every = topic_network(data, np.ones(len(data.rows), dtype=bool))
    goals = tuple(goal for goal in problem.goals if goal in PLACEMENT)
    best = solve_levels(every, every.network, goals, NetworkName.PARTITIONS)[0]
    lists = place(problem, problem.goals).lists
    assert [value_of(problem, lists, level.goal) for level in best] == [level.value for level in best]


@pytest.mark.slow
def test_the_rest_is_not_solved_anew(failing: list[tuple[Problem, Attempt]]) -> None:
    for problem, tried in failing:
        units = place(problem, problem.goals).groups["units"]
        np.testing.assert_array_equal(units, tried.face.net.unit_of)


@pytest.mark.slow
def test_topics_that_are_placed_again_give_brokers_what_the_flow_says(
    failing: list[tuple[Problem, Attempt]],
) -> None:
    for problem, tried in failing:
        net = tried.face.net
        lists = repaired(tried.face, tried.moves, tried.failed, promised_by(tried))
        assert lists is not None
        said = tried.face.flow[net.cell.index].reshape(-1, len(net.data.brokers)).sum(axis=0)
        held = np.bincount(lists[lists >= 0], minlength=problem.cluster.n_brokers)
        np.testing.assert_array_equal(held[net.data.brokers], said)


def test_topics_that_could_be_disaggregated_stay_as_they_are_where_those_that_failed_are_enough() -> None:
    problem = by_topics(9)
    tried = first_attempt(problem)
    lists = repaired(tried.face, tried.moves, tried.failed, promised_by(tried))
    net, before = tried.face.net, lists_after(tried.face.net.data, tried.moves)
    failed = np.isin(problem.cluster.topic_idx, net.family_of[tried.failed])
    assert lists is not None and failed.any()
    np.testing.assert_array_equal(lists[~failed], before[~failed])
    assert not np.array_equal(lists[failed], before[failed])


@pytest.mark.slow
def test_lists_that_fall_short_of_what_is_promised_are_not_taken(
    failing: list[tuple[Problem, Attempt]],
) -> None:
    for _, tried in failing:
        more = promised_by(tried) | {"topics": promised_by(tried)["topics"] - 1}
        assert repaired(tried.face, tried.moves, tried.failed, more) is None


def test_topics_that_are_too_large_to_be_placed_again_become_nodes() -> None:
    problem = by_topics(9)
    problem = replace(problem, params=replace(BY_TOPICS, repaired_arcs=10))
    units = place(problem, problem.goals).groups["units"]
    assert units.max() > first_attempt(problem).face.net.unit_of.max()
