"""kafka-assigner: sticky where it can be, strict on racks, and stuck where racks differ in size."""

from __future__ import annotations

from collections import Counter
from itertools import chain

import pytest

from equipoise.cluster import measures
from equipoise.planning.driver.solve import make_plan
from equipoise.planning.published.greedy_racks import java_hash, processing_order
from equipoise.planning.published.interface import NoPlan, target_of


def test_replicas_stay_where_their_broker_has_room(problem_of, lists_after):
    """A fourth broker takes one replica of each that had too many; the sets change as little as that."""
    before = [[1, 2], [2, 3], [3, 1], [1, 2]]
    after = lists_after("greedy-racks", problem_of(before, add=((4, None),)))
    assert set(Counter(chain.from_iterable(after)).values()) == {2}
    assert sum(len(set(b) - set(a)) for a, b in zip(before, after, strict=True)) == 2


def test_no_two_replicas_share_a_rack(random_problem):
    """Strictly, even where they did before."""
    problem = random_problem(3, 6, 12, 2, racks={b: "abc"[b % 3] for b in range(6)})
    target = target_of("greedy-racks", problem)
    assert measures.rack_violations(target, problem.rack_idx, problem.eligible, strict=True) == 0


def test_racks_of_unequal_size_are_a_dead_end_although_a_plan_exists(problem_of, lists_after):
    """Rack a has one broker of four, which every partition needs, but whose room is a fourth of all replicas.

    The exact planner keeps the rack rule and is done.
    """
    racks = {1: "a", 2: "b", 3: "b", 4: "b"}
    problem = problem_of([[1, 2], [1, 3], [1, 4], [1, 2]], racks=racks)
    with pytest.raises(NoPlan, match="dead end at t-"):
        lists_after("greedy-racks", problem)
    plan = make_plan(problem.cluster)
    assert measures.rack_violations(plan.target, problem.rack_idx, problem.eligible, strict=True) == 0


def test_more_replicas_than_racks_are_a_dead_end(problem_of, lists_after):
    """Three replicas, two racks."""
    with pytest.raises(NoPlan, match="dead end"):
        lists_after("greedy-racks", problem_of([[1, 2, 3]], racks={1: "a", 2: "b", 3: "b"}))


def test_leaders_are_spread_over_all_topics(problem_of, lists_after):
    """The count of who stood where goes on from topic to topic."""
    after = lists_after("greedy-racks", problem_of([[1, 2]] * 4, topics=["a", "b", "c", "d"]))
    assert Counter(replicas[0] for replicas in after) == {1: 2, 2: 2}


def test_without_racks_each_broker_is_its_own(problem_of, lists_after):
    """As the tool does where racks are unknown."""
    before = [[1, 2], [2, 3], [3, 1]]
    after = lists_after("greedy-racks", problem_of(before))
    assert [sorted(replicas) for replicas in after] == [sorted(replicas) for replicas in before]


def test_brokers_are_taken_in_an_order_turned_by_the_topics_hash(problem_of, lists_after):
    """The hash of "t" is 116: of five brokers the first is taken second, of three third.

    Broker 9 leaves; brokers 2 to 5 have room for all, and the first in that order that has room takes each.
    """
    assert java_hash("t") == 116
    assert processing_order("t", [1, 2, 3, 4, 5]) == [5, 1, 2, 3, 4]
    assert processing_order("t", [1, 2, 3]) == [2, 3, 1]
    problem = problem_of([[1, 9], [2, 9]], brokers=[1, 2, 3, 4, 5, 9], drain=(9,))
    assert [sorted(replicas) for replicas in lists_after("greedy-racks", problem)] == [[1, 5], [2, 3]]


def test_it_keeps_what_it_can_and_does_not_try_again(problem_of, lists_after):
    """Each of three brokers has room for two. What stays fills two of them: one is left for partition 2.

    With one replica a broker kept in place, and the others placed anew, there would be a plan.
    """
    problem = problem_of([[1, 2], [1, 2], [8, 9]], brokers=[1, 2, 3, 8, 9], drain=(8, 9))
    with pytest.raises(NoPlan, match="dead end at t-2"):
        lists_after("greedy-racks", problem)


HASHES = [("", 0), ("a", 97), ("hello", 99162322), ("polygenelubricants", -(2**31))]


@pytest.mark.parametrize(("text", "value"), HASHES)
def test_ties_break_by_javas_string_hash(text, value):
    """Known values of String.hashCode()."""
    assert java_hash(text) == value
