"""The leaders of topics in any placement, on a cluster that no program over placements decides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from equipoise import judge
from equipoise.cluster import Brokers, Level, Plan, build_cluster
from equipoise.cluster.proofs import ProofKind
from equipoise.judge.certificate import Finding, verify
from equipoise.judge.leader_network import leader_relaxation
from equipoise.judge.topic_leaders import topic_leaders_bound
from equipoise.planning import Request, build_problem, make_plan
from equipoise.planning.basis.certificate import Proof
from equipoise.planning.bounds import topic_leaders
from equipoise.planning.bounds.topic_leaders import LeaderSums, SumPrices
from equipoise.planning.problem.params import Effort, Params

LAST = "topic-leaders"


@pytest.fixture(scope="module")
def grown() -> Plan:
    """Forty brokers with 20,000 partitions of 100 topics, grown over the years; four more are added.

    One topic may not change, and is not level.
    """
    draw = np.random.default_rng(3)
    skew = draw.uniform(0.7, 1.3, 40)
    lists = np.array([draw.choice(40, 3, replace=False, p=skew / skew.sum()) for _ in range(20_000)])
    names = np.array([f"t{k % 100}" for k in range(20_000)], dtype=object)
    cluster = build_cluster("grown", Brokers.of(range(40)), names, np.arange(20_000) // 100, lists)
    return make_plan(cluster, Request(add=tuple((b, None) for b in range(40, 44)), exclude_topics="t7"))


def case_of(plan: Plan) -> judge.Case:
    everyone = np.ones(plan.cluster.n_brokers, dtype=bool)
    return judge.Case(plan.cluster, plan.target, judge.rules_of(plan.cluster, plan.request), everyone)


def judged(plan: Plan, proofs: Mapping[str, np.ndarray] | None = None, last: Level | None = None) -> Finding:
    """What the judge finds of the last level."""
    levels = (*plan.certificate[:-1], last or plan.certificate[-1])
    return verify(case_of(plan), levels, plan.proofs if proofs is None else proofs)[-1]


@pytest.mark.slow
def test_the_gap_over_all_placements_is_told(grown: Plan) -> None:
    """Beside the proof that the order is best where replicas stand; to say one more is refused."""
    level = grown.certificate[-1]
    assert (level.goal, level.proof, level.gap) == (LAST, "given-placement", 0)
    assert level.global_bound is not None and level.distance is not None and 0 < level.distance < 0.15
    assert judged(grown).problem == ""
    assert "is proved, not" in judged(grown, last=replace(level, global_bound=level.global_bound + 1)).problem


@pytest.mark.slow
def test_turns_end_near_the_flow(grown: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    """Prices made best in turns, as on the largest clusters, prove nearly as much as those of the flow."""
    monkeypatch.setattr(topic_leaders, "solve", None)  # no flow
    before = [Proof(level.goal, int(level.value or 0), 0, ProofKind.NONE) for level in grown.certificate]
    problem = build_problem(grown.cluster, Request(exclude_topics="t7"))
    problem = replace(problem, params=Params(bound_flow_cells=0))
    found = topic_leaders.with_topic_leaders(problem, np.asarray(grown.target), before)
    flow = grown.certificate[-1].global_bound or 0
    assert 0.97 * flow < found[-1].bound <= flow


@pytest.mark.slow
def test_turns_are_not_stuck_where_a_topic_has_fewer_partitions_than_brokers() -> None:
    """2,000 partitions of 100 topics alike on 30 brokers.

    With a first price of eight for an election they proved three quarters of this.
    """
    draw = np.random.default_rng(1)
    skew = draw.uniform(0.9, 1.1, 30)
    lists = np.array([draw.choice(30, 3, replace=False, p=skew / skew.sum()) for _ in range(2_000)])
    names = np.array([f"t{k % 100:03d}" for k in range(2_000)], dtype=object)
    cluster = build_cluster("alike", Brokers.of(range(30)), names, np.arange(2_000) // 100, lists)
    quick = Params.of(Effort.QUICK)
    turns, flow = (
        make_plan(cluster, Request(), replace(quick, bound_flow_cells=cells)).certificate[-1].global_bound
        for cells in (0, quick.bound_flow_cells)
    )
    assert turns is not None and flow is not None
    assert 0.97 * flow < turns <= flow


@pytest.mark.slow
def test_the_gap_that_is_left_says_how_long_prices_are_sought(
    grown: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Far from the value a round that gains a little is the last; near it any gain leads on."""
    before = [Proof(level.goal, int(level.value or 0), 0, ProofKind.NONE) for level in grown.certificate]
    problem = build_problem(grown.cluster, Request(exclude_topics="t7"))
    sums = topic_leaders.sums_of(problem, np.asarray(grown.target), before)
    assert sums is not None
    better, rounds = LeaderSums.better, [0]

    def counted(self: LeaderSums, prices: SumPrices, reach: int) -> SumPrices:
        rounds[0] += 1
        return better(self, prices, reach)

    monkeypatch.setattr(LeaderSums, "better", counted)
    found = {}
    for value in (1, 10**6):
        rounds[0] = 0
        found[value] = topic_leaders.by_ascent(sums, value, priced=True).bound, rounds[0]
    near, far = found[1], found[10**6]
    assert far[1] < near[1]
    assert 0.97 * near[0] < far[0] <= near[0]


@pytest.mark.slow
def test_no_prices_prove_more_than_there_is(grown: Plan) -> None:
    """Any prices are a bound, if a worse one; so changed ones are found out."""
    key = f"level{len(grown.certificate) - 1}/anywhere"
    case, draw = case_of(grown), np.random.default_rng(0)
    leaders = leader_relaxation(case)
    for size in (1, 100, 10_000):
        changed = grown.proofs[key] + draw.integers(0, size + 1, len(grown.proofs[key]))
        bound = topic_leaders_bound(case, ["leaders", "elections"], (leaders, leaders.start), changed)
        assert bound <= (grown.certificate[-1].global_bound or 0)
        assert "is proved, not" in judged(grown, {**grown.proofs, key: changed}).problem


@pytest.mark.parametrize("election", [-1, 2**31, -(2**63)])
@pytest.mark.slow
def test_prices_out_of_range_are_refused(grown: Plan, election: int) -> None:
    key = f"level{len(grown.certificate) - 1}/anywhere"
    prices = np.concatenate([[election], grown.proofs[key][1:]])
    assert "cannot be used" in judged(grown, {**grown.proofs, key: prices}).problem
    without = {name: array for name, array in grown.proofs.items() if name != key}
    assert "cannot be used" in judged(grown, without).problem


@pytest.mark.slow
def test_elections_that_come_later_have_no_price(grown: Plan) -> None:
    """Their number is no condition then: prices that suppose one are refused."""
    case, prices = case_of(grown), grown.proofs[f"level{len(grown.certificate) - 1}/anywhere"]
    leaders = leader_relaxation(case)
    with pytest.raises(ValueError, match="elections that are not limited"):
        topic_leaders_bound(case, ["leaders"], (leaders, leaders.start), prices)
    free = np.concatenate([[0], prices[1:]])
    assert topic_leaders_bound(case, ["leaders"], (leaders, leaders.start), free) <= 0
