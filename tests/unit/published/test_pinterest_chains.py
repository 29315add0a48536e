"""Chain swapping: the path of the text, and what looking at one broker at a time costs."""

from __future__ import annotations

from collections import Counter

from equipoise.planning.published.helpers import lists_of
from equipoise.planning.published.pinterest_chains import next_chain


def changes(before, after):
    return sum(a[0] != b[0] for a, b in zip(before, after, strict=True))


def test_the_chain_goes_from_broker_1_over_broker_2_to_broker_4(problem_of, lists_after):
    """The text: Broker 1, Partition 1, Broker 2, Partition 2, Broker 4; both partitions swap their leader."""
    before = [[3, 1], [1, 2], [2, 4], [1, 3]]
    assert next_chain(lists_of(problem_of(before)), range(4)) == [(0, 1, 1), (1, 2, 3)]
    assert lists_after("pinterest-chains", problem_of(before)) == [[3, 1], [2, 1], [4, 2], [1, 3]]


def test_a_level_topic_stays(problem_of, lists_after):
    """No chain is worth a swap where brokers are one apart."""
    before = [[1, 2], [2, 3], [3, 1], [1, 3]]
    assert lists_after("pinterest-chains", problem_of(before)) == before


def test_many_overloaded_brokers_cost_more_changes_than_the_flow(random_problem, lists_after):
    """The text's reason for flows: with several overloaded brokers chains get in each other's way."""
    chains = flow = 0
    for seed in range(6):
        problem = random_problem(seed, 122, 180, 3)
        before = [[int(i) for i in row] for row in problem.cluster.ids_of(problem.current)]
        chains += changes(before, lists_after("pinterest-chains", problem))
        flow += changes(before, lists_after("pinterest", problem))
    assert chains > 1.1 * flow


def test_leaders_end_level_where_followers_allow_it(random_problem, lists_after):
    """40 leaders on 8 brokers end with five each."""
    after = lists_after("pinterest-chains", random_problem(2, 8, 40, 3))
    assert set(Counter(replicas[0] for replicas in after).values()) == {5}
