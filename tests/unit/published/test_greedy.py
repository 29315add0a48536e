"""dimas/kafka-reassign-tool: what it fills, what it drops, and what it leaves alone."""

from __future__ import annotations

from collections import Counter
from itertools import chain

import pytest

from equipoise.cluster import measures
from equipoise.planning.driver.solve import make_plan
from equipoise.planning.published.interface import NoPlan, target_of


def test_a_removed_brokers_replicas_go_to_the_least_used_of_the_topic(problem_of, lists_after):
    """Broker 3 goes; broker 4 holds least."""
    before = [[1, 2], [2, 3], [1, 4], [2, 1]]
    assert lists_after("greedy", problem_of(before, drain=(3,)))[1] == [4, 2]


def test_a_lower_replication_factor_drops_the_most_used(problem_of, lists_after):
    """Broker 1 holds every partition and is dropped from each; of equals the lower id goes."""
    before = [[1, 2], [1, 3], [1, 4]]
    after = lists_after("greedy", problem_of(before, replication_factor=1))
    assert Counter(chain.from_iterable(after)) == {2: 1, 3: 1, 4: 1}


def test_a_higher_replication_factor_adds_the_least_used(problem_of, lists_after):
    """Broker 4 is empty and gets the first; then it holds as much as broker 1, whose id is lower."""
    before = [[1, 2], [2, 3]]
    after = lists_after("greedy", problem_of(before, brokers=[1, 2, 3, 4], replication_factor=3))
    assert [sorted(replicas) for replicas in after] == [[1, 2, 4], [1, 2, 3]]


def test_leaders_are_chosen_once_and_so_not_perfect(problem_of, lists_after):
    """Appier saw leaders that are not spread perfectly: the first partition's replica goes unused."""
    before = [[1, 2], [1, 3], [1, 2], [1, 3], [2, 3], [2, 3]]
    after = lists_after("greedy", problem_of(before))
    counts = Counter(replicas[0] for replicas in after)
    assert max(counts.values()) - min(counts.values()) <= 2


def test_new_brokers_get_nothing(random_problem):
    """Replicas move only where they must, so a new broker stays empty: greedy levels nothing."""
    problem = random_problem(1, 6, 40, 3, add=((6, None),))
    held = measures.replicas_per_broker(target_of("greedy", problem), 7)
    ours = measures.replicas_per_broker(make_plan(problem.cluster, problem.request).target, 7)
    assert held[6] == 0
    assert ours[6] in (17, 18)


def test_racks_are_not_looked_at(problem_of, lists_after):
    """No rack rule: the new replica lands beside the old one in rack a."""
    problem = problem_of([[1, 2], [3, 2]], brokers=[1, 2, 3], racks={1: "a", 2: "b", 3: "a"}, drain=(2,))
    assert [sorted(replicas) for replicas in lists_after("greedy", problem)] == [[1, 3], [1, 3]]


def test_too_few_brokers_are_refused(problem_of, lists_after):
    """As the tool raises it."""
    with pytest.raises(NoPlan, match="more replicas than there are brokers"):
        lists_after("greedy", problem_of([[1, 2]], replication_factor=3))
