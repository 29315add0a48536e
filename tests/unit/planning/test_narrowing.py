"""What goals before leave open: the program is smaller without the rest, and proves as much of all plans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from equipoise.cluster import Brokers, Cluster, build_cluster
from equipoise.cluster.proofs import NetworkName, ProofKind
from equipoise.planning import Params, build_problem, make_plan
from equipoise.planning.basis.certificate import Proof, ProvedLevel
from equipoise.planning.bounds.leaders import leader_bounds
from equipoise.planning.driver.first import ordered
from equipoise.planning.goals import value_of
from equipoise.planning.networks.place import place
from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.request import Request
from equipoise.planning.programs.joint import solve
from equipoise.planning.programs.joint.bound import Multipliers
from equipoise.planning.programs.joint.narrowing import MARGINS, Narrowed, narrow_question, without_closed
from equipoise.planning.programs.joint.question import Question, counts_of_leaders, question, so_often
from equipoise.planning.programs.joint.solve import Start, best_of_face
from equipoise.planning.solution.solution import Solution

BEFORE = ("racks", "replicas", "moves", "topics", "leaders", "elections")


def drawn(*, crowded: bool) -> Problem:
    """300 partitions on 12 brokers that hold up to twice the share of others, one a rack or ``crowded``."""
    draw = np.random.default_rng(5)
    share = draw.random(12) + 1
    racks = np.arange(12) % 3
    lists = np.array(
        [
            draw.choice(12, 2, replace=False, p=share / share.sum())
            if crowded
            else [draw.choice(np.flatnonzero(racks == rack)) for rack in draw.permutation(3)[:2]]
            for _ in range(300)
        ]
    )
    brokers = Brokers.of(range(12), {b: "abc"[rack] for b, rack in enumerate(racks.tolist())})
    names = np.array([f"t{k // 20}" for k in range(300)], dtype=object)
    return build_problem(build_cluster("drawn", brokers, names, np.arange(300) % 20, lists), Request())


@pytest.mark.parametrize(
    ("crowded", "network"), [(False, NetworkName.LEADERS), (True, NetworkName.JOINT)], ids=str
)
def test_what_the_elections_close_is_not_asked_again(crowded: bool, network: NetworkName) -> None:
    """With their price each leader stays, or goes where one is missing; the bound is one of all plans."""
    problem = drawn(crowded=crowded)
    placement = place(problem, BEFORE)
    assert placement.face is not None and placement.by_row
    reached = {level.goal: level.value for level in placement.levels} | {"leaders": 0}
    kept = frozenset(level.goal for level in placement.levels)
    fewest = best_of_face(placement.face, "elections", reached, kept, Start(placement.lists, 0))
    assert fewest is not None and fewest.lists is not None
    level = fewest.level
    if network == NetworkName.LEADERS:
        level = leader_bounds(problem, reached | {"elections": 0})[0][-1]
    lists, _ = ordered(problem, fewest.lists)
    assert value_of(problem, lists, "elections") == level.value
    reached |= {"elections": level.value}

    asked = question(placement.face, "topic-leaders", reached, kept, lists)
    assert level.network == network
    if network == NetworkName.JOINT:  # the judge closes the same
        left = without_closed(asked, reached, (level,))
        assert narrow_question(asked, reached, (level,)) is None
    else:
        narrowed = narrow_question(asked, reached, (level,))
        assert narrowed is not None and without_closed(asked, reached, (level,)) is asked
        left = narrowed.question
    assert len(left.who.row) < 0.75 * len(asked.who.row)
    alone, among_all = (
        best_of_face(placement.face, "topic-leaders", reached, kept, Start(lists, 0, levels))
        for levels in ((level,), ())
    )
    assert alone is not None and among_all is not None and alone.lists is not None
    assert alone.level.value == among_all.level.value
    best, _ = ordered(problem, alone.lists)
    assert value_of(problem, best, "topic-leaders") == alone.level.value
    assert {goal: value_of(problem, best, goal) for goal in reached} == reached


def test_prices_that_prove_less_close_nothing() -> None:
    problem = drawn(crowded=True)
    placement = place(problem, BEFORE)
    assert placement.face is not None
    reached = {level.goal: level.value for level in placement.levels} | {"leaders": 0}
    kept = frozenset(level.goal for level in placement.levels)
    levels = leader_bounds(problem, reached | {"elections": 0})[0]
    lists, _ = ordered(problem, placement.lists)
    reached |= {"elections": value_of(problem, lists, "elections")}
    assert levels[-1].value < reached["elections"]
    asked = question(placement.face, "topic-leaders", reached, kept, lists)
    assert narrow_question(asked, reached, tuple(levels)) is None


def test_a_level_holds_beside_those_whose_faces_it_keeps_to() -> None:
    """Where the plan has more elections than it supposes, or they are proved otherwise, it says nothing."""
    none = np.zeros(0, dtype=np.int64)
    first, same = (ProvedLevel("elections", 7, NetworkName.JOINT, none) for _ in range(2))
    then = ProvedLevel("topic-leaders", 5, NetworkName.JOINT, none, beside=(first,))
    last = Proof("topic-leaders", 6, 4, ProofKind.FLOW_DUAL)
    told = ((7, 7, first, 5), (7, 7, same, 4), (8, 8, first, 5), (7, 8, first, 4))
    for supposed, elections, level, bound in told:
        proofs = [Proof("elections", elections, 7, ProofKind.LINEAR_PROGRAM, level=level), last]
        solution = Solution(np.zeros((0, 1), dtype=np.int32), proofs)
        assert solution.with_level(then, {"elections": supposed}).proof("topic-leaders").bound == bound


def test_prices_of_bytes_are_rounded_down_one_by_one() -> None:
    """Whether 64 bits hold what they come to or not."""
    amounts = np.array([0, 1, 7, -5, 2**33 + 1])
    for times in (0, 1, 3, -3, 2**20 + 1, 2**45 + 1):
        for parts in (1, 4, 2**17):
            expected = [times * amount // parts for amount in amounts.tolist()]
            if max(map(abs, expected)) < 2**63:
                assert so_often(times, amounts, parts).tolist() == expected


def with_a_new_broker() -> Cluster:
    """Twelve brokers that hold everything, and one that holds nothing."""
    draw = np.random.default_rng(5)
    lists = np.array([draw.permutation(12)[:3] for _ in range(300)])
    names = [f"t{k // 20}" for k in range(300)]
    return build_cluster("grown", Brokers.of(range(13)), names, np.arange(300) % 20, lists)


@pytest.mark.slow
def test_more_is_kept_where_prices_would_be_needed_too_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then the same is proved with columns that cost a little more: the whole question is not asked."""
    cluster, request, params = with_a_new_broker(), Request(max_moves=6), Params(small_cells=0)
    expected = make_plan(cluster, request, params)
    lifted, tried = Narrowed.lifted, Counter[int]()

    def too_often(self: Narrowed, found: Multipliers) -> Multipliers | None:
        tried[self.margin] += 1
        return None if self.margin == MARGINS[0] else lifted(self, found)

    monkeypatch.setattr(Narrowed, "lifted", too_often)
    assert make_plan(cluster, request, params).certificate == expected.certificate
    assert tried[MARGINS[0]] == tried[MARGINS[1]] > 0


@pytest.mark.slow
def test_counts_that_a_goal_pulls_into_bands_stay_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six moves give the new broker no share of leaders: what others have too many of costs its square."""
    cluster = with_a_new_broker()
    problem, narrowed = build_problem(cluster, Request(max_moves=6)), []

    def spied(
        asked: Question, reached: Mapping[str, int], levels: Sequence[ProvedLevel], margin: int
    ) -> Narrowed | None:
        found = narrow_question(asked, reached, levels, margin)
        if found is not None and reached.get("leaders"):
            narrowed.append(found.question.counts)
        return found

    monkeypatch.setattr(solve, "narrow_question", spied)
    plan = make_plan(cluster, Request(max_moves=6), Params(small_cells=0))
    has = counts_of_leaders(problem, np.asarray(plan.target))
    assert narrowed
    for counts in narrowed:  # the plan is among those that are left
        assert ((counts.lower <= has) & (has <= counts.upper)).all()
