"""What goals count beside what may change: partitions that stay count too, and only those."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.cluster import Brokers, apart, build_cluster, measures
from equipoise.cluster.proofs import ProofKind
from equipoise.files.plan_audit import proved_again
from equipoise.planning import Params, Problem, Request, build_problem, make_plan
from equipoise.planning.goals import DEFAULT_GOALS, GOALS, levels
from equipoise.planning.goals.failover import Failover
from equipoise.planning.goals.positions import Positions
from equipoise.report.certificate import is_spoken_of

LISTS = [[1, 0], [2], [0, 1, 2], [1]]


def still() -> Problem:
    """Topic "still" with the first two of `LISTS` may not change, "free" with the other two may."""
    names = ["still", "still", "free", "free"]
    cluster = build_cluster("c", Brokers.of([0, 1, 2]), names, [0, 1, 0, 1], LISTS)
    return build_problem(cluster, Request(topics="free"))


def test_followers_of_what_stays_are_counted_by_position() -> None:
    """Broker 0 follows in still-0; nobody stands third, or further than any list is long."""
    problem, positions = still(), Positions()
    lists = problem.current
    assert positions.base(problem, lists, 1).tolist() == [1, 0, 0]
    assert positions.base(problem, lists, 2).tolist() == [0, 0, 0]
    assert positions.base(problem, lists, 3).tolist() == [0, 0, 0]


@pytest.mark.parametrize(("position", "high"), [(1, 1), (2, 1)])
def test_lists_that_are_long_enough_have_followers_to_share(position: int, high: int) -> None:
    """Two lists have a second replica and one a third: nobody needs one of these, and one is not too many."""
    problem = still()
    bands = Positions().bands(problem, problem.current, position)
    assert [side.tolist() for side in bands] == [[0] * 3, [high] * 3]


def test_who_inherits_what_stays_is_counted_by_pair() -> None:
    """Each survivor leads what it led; once broker 1 is lost, broker 0 takes still-0 over."""
    problem = still()
    base = Failover().base(problem, problem.current, 1).reshape(3, 3)
    assert base.tolist() == [[1, 2, 1], [2, 2, 1], [1, 2, 1]]
    free = build_problem(problem.cluster, Request())
    assert Failover().base(free, free.current, 1).reshape(3, 3).tolist() == [[1, 2, 1]] * 3


def test_of_equal_moves_those_are_made_that_stay_in_a_rack() -> None:
    """Broker 4 of rack b is new and takes two replicas: those of partitions that are led in rack b.

    Who leads at the moment counts: "t"-1 is led from there though broker 0 is first in its list.
    """
    brokers = Brokers.of([0, 1, 2, 3, 4], {0: "a", 1: "a", 2: "b", 3: "b", 4: "b"})
    lists = [[0, 2], [0, 2], [2, 0], [1, 3], [1, 3], [3, 1]]
    state = build_cluster("c", brokers, ["t"] * 6, range(6), lists, leader_id=[0, 2, 2, 1, 1, 3])
    for params in (Params(), Params(small_cells=0), Params(small_cells=0, row_arcs=0, partition_arcs=0)):
        plan = make_plan(state, Request(goals=("racks", "replicas", "moves", "cross-zone")), params)
        proved = {level.goal: (level.value, level.lower_bound) for level in plan.certificate}
        assert proved["moves"] == (2, 2) and proved["cross-zone"] == (0, 0)
        assert set(measures.changed_rows(state.replicas, plan.target).tolist()) <= {1, 2, 5}
        assert not [each.problem for each in proved_again(plan).certificate if each.problem]


def test_a_copy_that_has_to_cross_counts_and_one_of_a_new_partition_does_not() -> None:
    """A replica that replaces another comes from its leader, in another rack or not."""
    brokers = Brokers.of([0, 1, 2, 3], {0: "a", 1: "a", 2: "b", 3: "b"})
    state = build_cluster("c", brokers, ["t"] * 2, range(2), [[0, 2], [2, 0]])
    request = Request(goals=("cross-zone",), replace=((2, 3),), create=(("new", 1, 2),))
    plan = make_plan(state, request)
    (level,) = (level for level in plan.certificate if level.goal == "cross-zone")
    assert (level.value, level.lower_bound) == (1, 1)
    assert not [each.problem for each in proved_again(plan).certificate if each.problem]


def test_a_limit_that_has_become_higher_is_above_what_a_full_rack_takes() -> None:
    """Both replicas are in rack a, one too many; of four it may hold two, but rack b has one broker only that
    takes any: three of each partition's four are in rack a."""
    brokers = Brokers.of([0, 1, 2, 3, 4], {0: "a", 1: "a", 2: "a", 3: "b", 4: "b"})
    cluster = build_cluster("c", brokers, ["t"] * 3, range(3), [[0, 1], [1, 2], [2, 0]])
    request = Request(goals=("racks", "moves"), replication_factor=4, cordon=(4,))
    for params in (Params(), Params(small_cells=0)):
        level = make_plan(cluster, request, params).certificate[0]
        assert (level.value, level.lower_bound, level.proof) == (3, 3, ProofKind.FLOW_DUAL)


def test_racks_share_replicas_by_their_brokers() -> None:
    """Three replicas in rack a, which has two of three brokers: one goes to rack b."""
    brokers = Brokers.of([0, 1, 2], {0: "a", 1: "a", 2: "b"})
    cluster = build_cluster("c", brokers, ["t"] * 3, range(3), [[0], [0], [1]])
    for params in (Params(), Params(small_cells=0)):
        plan = make_plan(cluster, Request(goals=("rack-replicas", "moves")), params)
        proved = {level.goal: (level.value, level.lower_bound) for level in plan.certificate}
        assert (proved["rack-replicas"], proved["moves"]) == ((0, 0), (1, 1))


@pytest.mark.parametrize(("goal", "lists"), [("rack-replicas", [0]), ("rack-leaders", [0, 1, 2])])
def test_racks_share_with_what_stays(goal: str, lists: list[int]) -> None:
    """All five are in rack a, which is to have two, and two of them may not change: the others leave."""
    brokers = Brokers.of([0, 1, 2], {0: "a", 1: "b", 2: "c"})
    cluster = build_cluster("c", brokers, ["new"] * 3 + ["old"] * 2, [0, 1, 2, 0, 1], [lists] * 5)
    for params in (Params(), Params(small_cells=0)):
        plan = make_plan(cluster, Request(goals=(goal, "moves", "elections"), topics="new"), params)
        first = plan.target[:, 0].tolist()
        assert 0 not in first[:3] and first[3:] == [0, 0]
        level = plan.certificate[0]
        assert (level.goal, level.value, level.lower_bound) == (goal, 0, 0)


@pytest.mark.slow
def test_a_large_cluster_has_its_racks_level_and_the_judge_agrees() -> None:
    """30,000 partitions on racks of 30, 18 and 12 brokers, the first brokers the fullest: level racks, no
    move too many."""
    n, n_brokers = 30_000, 60
    draw = np.random.default_rng(7)
    liking = draw.gumbel(size=(n, n_brokers)) + np.exp(-np.arange(n_brokers) / n_brokers)
    lists = np.argsort(-liking, axis=1)[:, :2].tolist()
    brokers = Brokers.of(range(n_brokers), {k: "aaaaabbbcc"[k % 10] for k in range(n_brokers)})
    names = [f"t{k // 20}" for k in range(n)]
    cluster = build_cluster("c", brokers, names, [k % 20 for k in range(n)], lists)
    plan = make_plan(cluster, Request(goals=("racks", "rack-replicas", "replicas", "moves")))
    proved = {level.goal: (level.value, level.lower_bound) for level in plan.certificate}
    assert proved["rack-replicas"] == (0, 0) and proved["replicas"] == (0, 0)
    assert proved["moves"][0] == proved["moves"][1] > 10_000
    assert not [each.problem for each in proved_again(plan).certificate if each.problem]


@pytest.mark.parametrize("goal", ["topic-leaders", "reorders"])
def test_what_only_chooses_among_equals_makes_no_headline(goal: str) -> None:
    """Unless somebody asked for it by name."""
    assert not is_spoken_of(goal, None) and is_spoken_of(goal, [goal])
    assert is_spoken_of("leaders", None)


@pytest.mark.parametrize(
    ("size", "said"),
    [
        ([1, 2, 3, np.nan], ""),
        ([np.nan, 2, np.nan, np.nan], "the sizes of 2 partitions are not known (t-0 is the first)"),
        ([1, np.nan, 3, np.nan], "the sizes of 1 partition are not known (t-1 is the first)"),
        ([np.nan] * 4, ""),
    ],
)
def test_sizes_that_nobody_told_are_named(size: list[float], said: str) -> None:
    """Of what is to be created nobody can know one, and of nothing at all there is nothing to say."""
    cluster = build_cluster(
        "c", Brokers.of([0, 1]), ["t"] * 4, range(4), [[0], [1], [0], []], size_bytes=size,
        allow_empty_lists=True,
    )  # fmt: skip
    assert GOALS["bytes"].untold(cluster).partition(":")[0] == said


def test_goals_tell_how_far_apart_they_leave_brokers() -> None:
    """Each goal of the default order that levels brokers by its own count, and no other goal."""
    lists = [[1, 2], [1, 2], [2, 3], [3], [1, 3]]
    cluster = build_cluster("c", Brokers.of([1, 2, 3]), ["a", "a", "b", "b", "b"], [0, 1, 0, 1, 2], lists)
    everyone = np.ones(3, dtype=bool)
    spread = apart.Spread(cluster, cluster.replicas, everyone, everyone)
    found = apart.apart((GOALS[name] for name in DEFAULT_GOALS), spread)
    assert found == {"replicas": 0, "topics": 2, "leaders": 2, "topic-leaders": 2}


@pytest.mark.parametrize(("goal", "makes_level"), [("replicas", True), ("moves", False), ("disk", True)])
def test_a_goal_makes_something_level_or_counts(goal: str, makes_level: bool) -> None:
    """Loads, which are no units among the goals, are levelled."""
    assert levels(goal) is makes_level


def test_first_followers_are_decided_where_leaders_may_fail() -> None:
    """Who leads and who comes next, as far as lists are that long; who is third decides nothing."""
    assert [Failover().depth(most_rf) for most_rf in (1, 2, 3, 4)] == [1, 2, 2, 2]


def test_lists_of_one_replica_have_no_followers() -> None:
    """Nobody stands second, so no position but that of the leader is levelled."""
    cluster = build_cluster("c", Brokers.of([0, 1]), ["t", "t"], [0, 1], [[0], [1]])
    assert not Positions().positions(build_problem(cluster, Request()))
