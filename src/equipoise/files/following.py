"""``--follow``: another tool's reassignment, judged, as a plan that can be carried out like our own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from equipoise.cluster import Cluster, Plan
from equipoise.cluster.proofs import StrategyName
from equipoise.errors import UnusableInput
from equipoise.files.proposals import read_proposal
from equipoise.judge import Overlay, Proposal, Verdict, judge, lay_over, rules_of
from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.request import Request
from equipoise.planning.published.measured import measured_plan
from equipoise.planning.request.laying import build_problem
from equipoise.planning.rules.ways import is_given
from equipoise.wording import printable

FOLLOW = StrategyName.FOLLOW.value


def followed(state: Cluster, request: Request) -> tuple[Verdict, Plan | None]:
    """The verdict on the lists of the request's file, by its rules, and the plan that takes them.

    There is none where a rule is broken. Raises `UnusableInput` for a file that is no reassignment.
    """
    path = str(request.follow)
    problem = build_problem(state, request)
    over, verdict = judged(problem, read_proposal(path))
    if not verdict.passed:
        return verdict, None
    return verdict, measured_plan(problem, over.target, FOLLOW, f"so asks {printable(Path(path).name)}")


def request_to_follow(request: Request, path: str) -> Request:
    """The request with the file in it.

    Raises `UnusableInput` where it asks for something that only who plans can do.
    """
    for option in ("strategy", "required-only", "log-dirs", "drain-dir", "effort"):
        if is_given(request, option):
            raise UnusableInput(
                f"plans nothing, so nothing comes of --{option}", source="--follow",
                advice=f"Take --{option} away",
            )  # fmt: skip
    return replace(request, strategy=FOLLOW, follow=path)


def judged(problem: Problem, proposal: Proposal) -> tuple[Overlay, Verdict]:
    """What the lists of a proposal make of the cluster, and the verdict by the rules of the request."""
    over = lay_over(problem.cluster, proposal)
    rules = rules_of(over.cluster, problem.request.to_json(), over.known)
    verdict = judge(over.cluster, over.target, rules, known=over.known, also=over.refused)
    return over, replace(verdict, notes=problem.warnings)
