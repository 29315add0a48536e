"""Every kind of proof on small random clusters: the judge comes to the bound that the planner came to.

Where the bound is the value, that is exact: a bound too low would not be accepted, and one that is too high
would be above what a plan has.
"""

from __future__ import annotations

import pytest
from tests.scenarios.strategies import case

from equipoise import judge
from equipoise.judge.certificate import RECOMPUTED, verify
from equipoise.planning import Params, make_plan

LIMITS = {
    "small": Params(),
    "large": Params(small_cells=0),
    "coarse": Params(small_cells=0, partition_arcs=0),
    "mixed": Params(small_cells=0, partition_arcs=0, row_arcs=0, expanded_arcs=10, face_arcs=0),
    "topics": Params(small_cells=0, partition_arcs=0, row_arcs=0, shrinking_arcs=0, face_arcs=0),
    "brokers": Params(
        small_cells=0, partition_arcs=0, row_arcs=0, shrinking_arcs=0, expanded_arcs=0, face_arcs=0,
        order_options=0, exact_leaders=0, open_leaders=0,
    ),
}  # fmt: skip
"""Plans as on small clusters, and as on ever larger ones: each has networks of its own."""
PROVED = """
one 10 coarse | joint: topic-leaders 2; leaving-partitions: elections 1
one 15 topics | mixed: bytes 12000000, moves 5, topics 1
one 17 mixed | items: topic-leaders 2; leaving: elections 4; merged: bytes 1000000, moves 4; topics: topics 3
several 1 mixed | items: leaders 1, topic-leaders 1; partitions: replicas 1, topics 1
several 4 small | leaders: elections 5; partitions: bytes 144000000, moves 17, replicas 68, topics 68
several 6 brokers | brokers+items: reorders 3
several 13 coarse | joint: elections 6, leaders 8, topic-leaders 8; merged: replicas 52
several 14 topics | mixed: bytes 108000000, moves 11, replicas 17, topics 9
replaced 1 small | program: cross-zone 5, failover 2, moves 7, racks 1
replaced 7 small | program: reorders 1
replaced 10 large | heirs: failover 1; topic-leaders: topic-leaders 8
replaced 17 brokers | topics: moves 5
replaced 17 small | failover: failover 1; program: positions 2
rules 7 brokers | merged: racks 5
rules 7 large | items: elections 2, reorders 2; partitions: racks 5
rules 10 small | joint: elections 7, moves 5, replicas 4, topics 3
rules 13 brokers | merged: replicas 1
budget 3 small | joint-budget: replicas 4, topics 7
budget 4 small | joint-budget: topic-leaders 3
budget 4 topics | leaders: elections 1, leaders 2; topic-leaders: topic-leaders 3; topics: topics 4
budget 5 small | joint-budget: replicas 1, topics 1
budget 5 topics | merged-budget: replicas 1
budget 17 small | joint-budget: bytes 14000000, moves 8, racks 2, topics 2
leaders 3 brokers | brokers: elections 1, leaders 5; brokers+items: topic-leaders 12
leaders 9 brokers | brokers: elections 1, leaders 2; brokers+items: topic-leaders 2
leaders 14 small | program: failover 20, positions 2
leaders 16 mixed | items: elections 3, leaders 1
leaders 17 brokers | brokers: leaders 45, rack-leaders 21; brokers+items: topic-leaders 45
leaders 17 small | items: rack-leaders 21
leaders 27 brokers | brokers+items: elections 1, leaders 2, topic-leaders 2
orders 1 small | program: elections 4, moves 3, reorders 1
orders 2 small | program: elections 2, moves 2
orders 3 small | program: failover 5
orders 2 mixed | topics: moves 1
orders 5 brokers | leaders: leaders 4
orders 8 brokers | brokers+items: elections 1
orders 15 small | failover: failover 4; program: elections 2
orders 18 large | heirs: failover 4
failover 5 mixed | heirs: failover 1
failover 6 large | failover: failover 8
alive 9 large | leaving-partitions: elections 5; partitions: bytes 29000000, moves 15
alive 13 brokers | brokers+items: reorders 3
"""
"""Theme and seed of a cluster, limits of its plan; and by network goals with values that are proved."""


@pytest.mark.parametrize("line", PROVED.strip().split("\n"))
@pytest.mark.slow
def test_the_judge_comes_to_the_same_bound(line: str) -> None:
    (theme, seed, limits), told = line.partition(" | ")[0].split(), line.partition(" | ")[2]
    drawn = case(theme, int(seed))
    plan = make_plan(drawn.cluster(), drawn.request, LIMITS[limits])
    rules = judge.rules_of(plan.cluster, plan.request)
    found = verify(judge.Case(plan.cluster, plan.target, rules, plan.eligible), plan.certificate, plan.proofs)
    proved = set()
    for k, (level, finding) in enumerate(zip(plan.certificate, found, strict=True)):
        assert (finding.problem, finding.value) == ("", level.value)
        if level.proof in RECOMPUTED:
            assert finding.bound == level.lower_bound
            proved |= {(str(plan.proofs[f"level{k}/network"]), f"{level.goal} {level.value}")}
    for network, goals in (part.split(": ") for part in told.split("; ")):
        assert {(network, goal) for goal in goals.split(", ")} <= proved
