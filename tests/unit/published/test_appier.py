"""Appier's three flows: its pictures, its check for a perfect start, and its see-saw without one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import chain, permutations

import pytest

from equipoise.planning.problem.request import Request
from equipoise.planning.published.appier import (
    move_replicas,
    pair_skew,
    replica_skew,
    swap_first_followers,
)
from equipoise.planning.published.helpers import lists_of, matrix_of
from equipoise.planning.published.interface import NoPlan
from equipoise.planning.published.pinterest import leader_skew, swap_leaders
from equipoise.planning.published.residue import hand_over
from equipoise.planning.published.settings import Settings, settings_for
from equipoise.planning.request.laying import build_problem


def held(lists):
    return Counter(chain.from_iterable(lists))


def moves(before, after):
    return sum(len(set(b) - set(a)) for a, b in zip(before, after, strict=True))


def test_replicas_of_the_picture_are_level_after_two_moves(problem_of, lists_after):
    """Picture partition-balance: p1 [1,2,3], p2 [2,1,4], p3 [1,2,4], p4 [2,1,3] hold 4, 4, 2, 2."""
    before = [[1, 2, 3], [2, 1, 4], [1, 2, 4], [2, 1, 3]]
    after = lists_after("appier", problem_of(before))
    assert set(held(after).values()) == {3}
    assert moves(before, after) == 2
    assert Counter(replicas[0] for replicas in after) == {1: 1, 2: 1, 3: 1, 4: 1}


def test_an_extra_node_raises_the_replication_factor(problem_of, lists_after):
    """Picture increase-replica: each partition gets a replica, no old one moves, brokers are level."""
    before = [[1, 2], [2, 1], [1, 3], [3, 4], [4, 2]]
    after = lists_after("appier", problem_of(before, replication_factor=3))
    assert all(len(replicas) == 3 and len(set(replicas)) == 3 for replicas in after)
    assert max(held(after).values()) - min(held(after).values()) <= 1
    assert all(set(a) <= set(b) for a, b in zip(before, after, strict=True))


def test_first_followers_of_the_picture_are_spread_over_pairs(problem_of, lists_after):
    """Picture 1st-follower: pairs (1,2), (2,1), (1,2), (2,1) become four different ones; nothing else."""
    lists = [[1, 2, 3], [2, 1, 4], [1, 2, 4], [2, 1, 3], [3, 4, 1], [4, 3, 2], [3, 4, 2], [4, 3, 1]]
    after = lists_after("appier", problem_of(lists))
    assert [replicas[0] for replicas in after] == [1, 2, 1, 2, 3, 4, 3, 4]
    assert [sorted(replicas) for replicas in after] == [sorted(replicas) for replicas in lists]
    assert max(Counter((replicas[0], replicas[1]) for replicas in after).values()) == 1


def test_the_four_pairs_of_the_picture_become_four_different_ones(problem_of):
    """The third flow by itself on the picture's own lists: 1,2,3 / 2,1,4 / 1,2,4 / 2,1,3."""
    lists, rows = lists_of(problem_of([[1, 2, 3], [2, 1, 4], [1, 2, 4], [2, 1, 3]])), range(4)
    pairs = list(permutations(range(4), 2))
    swap_first_followers(lists, rows, pairs, hand_over(pair_skew(lists, rows, pairs)))
    assert [replicas[0] for replicas in lists] == [0, 1, 0, 1]
    assert len({(replicas[0], replicas[1]) for replicas in lists}) == 4


def test_all_three_flows_have_residue_nodes(random_problem):
    """On a level start only the fractions that rounding loses are left to flow; all three let them flow."""
    problem = random_problem(4, 7, 38, 3)
    lists, rows = lists_of(problem), range(38)
    pairs = list(permutations(range(7), 2))
    move_replicas(lists, rows, replica_skew(problem, lists, rows))
    swap_leaders(lists, rows, hand_over(leader_skew(lists, rows, range(7))))
    level = replace(problem, current=matrix_of(lists))
    leaders = leader_skew(lists, rows, range(7))
    for skew in (replica_skew(level, lists, rows), leaders, pair_skew(lists, rows, pairs)):
        assert len(hand_over(skew)) > len(hand_over(skew, residue=False))


def test_pairs_are_left_alone_below_three_replicas(problem_of, lists_after):
    """The text: the third flow is for replication factors above 2 only."""
    before = [[1, 2], [2, 1], [1, 2], [2, 1]]
    assert lists_after("appier", problem_of(before)) == before


def test_a_second_run_moves_data_again_unless_it_checks_first(random_problem, lists_after):
    """The text's own regret: on a level cluster the residue nodes still move data; the check stops that."""
    first = random_problem(4, 7, 41, 3)  # 123 replicas on 7 brokers: four have one more than three others
    once = lists_after("appier", first)
    again = build_problem(replace(first.cluster, replicas=first.cluster.brokers.index_of(once)), Request())
    assert max(held(once).values()) - min(held(once).values()) <= 1
    assert moves(once, lists_after("appier", again)) == 0
    assert moves(once, lists_after("appier", again, Settings(check_first=False))) > 0


def test_leaders_only_leaves_out_the_flow_that_moves_data(random_problem, lists_after):
    """What is left only reorders; with ``steps=leaders`` the second flow runs alone."""
    problem = random_problem(3, 6, 30, 3, leaders_only=True)
    before = lists_of(problem)
    after = lists_after("appier", problem, settings_for("appier", ()))
    alone = lists_after("appier", problem, settings_for("appier", [("steps", "leaders")]))
    for lists in (after, alone):
        assert [sorted(replicas) for replicas in lists] == [sorted(replicas) for replicas in before]
        led = Counter(replicas[0] for replicas in lists)
        assert max(led.values()) - min(led.values()) <= 1
    assert [replicas[0] for replicas in after] == [replicas[0] for replicas in alone]
    assert after != alone  # the third flow


def test_brokers_to_be_emptied_have_a_share_of_nothing(random_problem, lists_after):
    """The broker that goes is emptied, the others end level."""
    problem = random_problem(6, 8, 30, 3, drain=(7,))
    after = lists_after("appier", problem)
    assert 7 not in held(after)
    assert max(held(after).values()) - min(held(after).values()) <= 1


def test_lower_replication_factors_are_refused(problem_of, lists_after):
    """The text tried it with a node at the sink, and found cases where it fails."""
    with pytest.raises(NoPlan, match="cannot lower"):
        lists_after("appier", problem_of([[1, 2, 3], [2, 3, 1]], replication_factor=2))


def test_racks_are_not_looked_at(problem_of, lists_after):
    """The text: no rack awareness yet. The new broker is filled from rack b, and ends beside its rack a."""
    before = [[1, 3], [2, 3], [1, 3], [2, 3]]
    problem = problem_of(before, racks={1: "a", 2: "a", 3: "b"}, add=((4, "a"),))
    after = lists_after("appier", problem)
    assert set(held(after).values()) == {2}
    assert sum(3 not in replicas for replicas in after) == 2
