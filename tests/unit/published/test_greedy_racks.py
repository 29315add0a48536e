"""kafka-assigner: sticky where it can be, strict on racks, and stuck where racks differ in size."""

from __future__ import annotations

from collections import Counter
from itertools import chain

import pytest

from equipoise.cluster import measures
from equipoise.planning.published.greedy_racks import java_hash
from equipoise.planning.published.interface import NoPlan, target_of
from equipoise.planning.solve import make_plan


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


HASHES = [("", 0), ("a", 97), ("hello", 99162322), ("polygenelubricants", -(2**31))]


@pytest.mark.parametrize(("text", "value"), HASHES)
def test_ties_break_by_javas_string_hash(text, value):
    """Known values of String.hashCode()."""
    assert java_hash(text) == value
