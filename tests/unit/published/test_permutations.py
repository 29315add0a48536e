"""The permutation list of the text in its order, the matching, and the data it moves with many brokers."""

from __future__ import annotations

from collections import Counter
from itertools import islice, permutations

import pytest

from equipoise.cluster import measures
from equipoise.planning.driver.solve import make_plan
from equipoise.planning.goals import value_of
from equipoise.planning.published.helpers import lists_of
from equipoise.planning.published.interface import NoPlan, target_of
from equipoise.planning.published.permutations import cycle_of, match, rotated


def test_the_list_for_four_brokers_and_two_replicas_is_that_of_the_text():
    """(1,2) (2,3) (3,4) (4,1) / (1,3) (2,4) (3,1) (4,2) / (1,4) (2,1) (3,2) (4,3)."""
    assert list(rotated([1, 2, 3, 4], 2)) == [
        [1, 2], [2, 3], [3, 4], [4, 1],
        [1, 3], [2, 4], [3, 1], [4, 2],
        [1, 4], [2, 1], [3, 2], [4, 3],
    ]  # fmt: skip


def test_three_partitions_take_the_first_three_and_a_thirteenth_starts_again():
    """The text: taken in order, and from the top once they are used up."""
    assert list(islice(cycle_of([1, 2, 3, 4], 2), 3)) == [[1, 2], [2, 3], [3, 4]]
    assert list(islice(cycle_of([1, 2, 3, 4], 2), 13))[12] == [1, 2]


def test_partitions_take_the_lists_that_move_least(problem_of, lists_after):
    """What is already one of the wanted lists stays where it is, in whatever order the partitions come."""
    before = [[3, 4], [1, 2], [2, 3]]
    assert lists_after("permutations", problem_of(before, brokers=[1, 2, 3, 4])) == before


def test_no_other_matching_moves_less(random_problem):
    """Kuhn-Munkres against every way to hand six lists to six partitions."""
    problem = random_problem(7, 5, 6, 2)
    lists, wanted = lists_of(problem), list(islice(cycle_of(range(5), 2), 6))

    def moved(taken):
        return sum(len(set(new) - set(old)) for old, new in zip(lists, taken, strict=True))

    assert moved(match(lists, range(6), wanted, 5)) == min(map(moved, permutations(wanted)))


def test_one_failure_leaves_leaders_level(problem_of, lists_after):
    """What the list is for: 12 partitions on 4 brokers, each broker's three leaders go to three."""
    after = lists_after("permutations", problem_of([[1, 2]] * 12, brokers=[1, 2, 3, 4]))
    assert set(Counter(replicas[0] for replicas in after).values()) == {3}
    assert set(Counter((a, b) for a, b in after).values()) == {1}


@pytest.mark.parametrize(("n_brokers", "least", "most"), [(4, 1, 1), (6, 1, 1.3), (40, 4, 9)])
def test_the_more_brokers_the_more_moves_than_needed(random_problem, n_brokers, least, most):
    """Why its author left the method: few brokers move what must move, 40 many times that."""
    problem = random_problem(1, n_brokers, 240, 3)
    needed = measures.data_moves(problem.current, make_plan(problem.cluster).target)
    moved = value_of(problem, target_of("permutations", problem), "moves")
    assert least <= moved / needed <= most


def test_losing_one_of_many_brokers_moves_more_than_it_held(problem_of):
    """Lists change that had nothing to do with it, even from a start that the method laid itself."""
    lists = list(islice(cycle_of(range(40), 3), 240))
    problem = problem_of(lists, drain=(20,))
    moved = value_of(problem, target_of("permutations", problem), "moves")
    assert moved > 1.5 * sum(20 in replicas for replicas in lists)


def test_more_replicas_than_brokers_have_no_list(problem_of, lists_after):
    """There is no list of three different brokers out of two."""
    with pytest.raises(NoPlan, match="no lists of 3"):
        lists_after("permutations", problem_of([[1, 2]], replication_factor=3))
