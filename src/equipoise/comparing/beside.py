"""A verdict beside the best plan for the same state, rules and goals."""

from __future__ import annotations

from dataclasses import replace

from equipoise.cluster import Cluster
from equipoise.errors import ImpossibleRequest
from equipoise.judge import COMPARED, Verdict, distance, judge, rules_of
from equipoise.planning import make_plan
from equipoise.planning.problem.request import Request


def beside_optimum(verdict: Verdict, state: Cluster, request: Request) -> Verdict:
    """The verdict with how far it is from the best plan for the same state, rules and goals."""
    try:
        best = make_plan(state, replace(request, strategy="flow", strategy_settings=()))
    except ImpossibleRequest as error:
        return replace(verdict, notes=(*verdict.notes, f"no plan meets all rules: {error}"))
    optimum = judge(best.cluster, best.target, rules_of(best.cluster, request.to_json()))
    usual = request.goals is None and not (request.required_only or request.leaders_only)
    goals = COMPARED if usual else [level.goal for level in best.certificate]
    return replace(verdict, from_optimum=distance(verdict.goals, optimum.goals, goals))
