"""Judging: any tool's reassignment, a plan folder, or a plan that was just made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from equipoise.cluster import Cluster, Plan
from equipoise.errors import UnusableInput
from equipoise.library.options import Options, wanted
from equipoise.planning.problem.request import Request

if TYPE_CHECKING:
    from equipoise.judge import Verdict


def check(
    subject: str | Path | Plan,
    cluster: Cluster | None = None,
    request: Request | None = None,
    *,
    optimum: bool = True,
    **options: Unpack[Options],
) -> Verdict:
    """The verdict on a file with Kafka's JSON of any tool, on a plan folder, or on a plan.

    A file is judged against the ``cluster`` that it is meant for; a plan and a folder have theirs, and are
    proved again by the options they were made with. With ``optimum`` the same state is planned too, to see
    how far from the best plan it is. Raises `UnusableInput` for what cannot be judged.
    """
    asked = wanted(request, options)
    if isinstance(subject, Plan):
        refuse_more(cluster, asked, "a plan")
        return judged_plan(subject, optimum=optimum)
    if cluster is not None:
        return judged_file(subject, cluster, asked, optimum=optimum)
    folder = Path(subject)
    if not folder.is_dir():
        advice = "Give it with --current"
        raise UnusableInput("it is judged against a state", source=str(subject), advice=advice)
    refuse_more(cluster, asked, str(subject))
    return judged_directory(folder, optimum=optimum)


def refuse_more(cluster: Cluster | None, asked: Request, source: str) -> None:
    """Raise for a state or options beside a plan, which has its own."""
    if cluster is not None:
        raise UnusableInput("is judged against the state it was made from", source=source)
    if asked != Request():
        raise UnusableInput("a plan directory is judged by the options it was made with", source=source)


def judged_file(subject: str | Path, state: Cluster, request: Request, *, optimum: bool) -> Verdict:
    """The verdict on a reassignment file, or on that of a plan folder, laid over a cluster."""
    from equipoise.comparing.beside import beside_optimum
    from equipoise.files.following import judged
    from equipoise.files.proposals import read_proposal
    from equipoise.planning.request.laying import build_problem

    inside = Path(subject) / "reassignment.json"
    proposal = read_proposal(inside if inside.is_file() else subject)
    _, verdict = judged(build_problem(state, request), proposal)
    return beside_optimum(verdict, state, request) if optimum else verdict


def judged_directory(folder: Path, *, optimum: bool) -> Verdict:
    """The verdict on a plan folder, with its certificate, and on whether its files agree."""
    from equipoise.files.plan_audit import audit
    from equipoise.files.plan_directory import read_plan

    plan = read_plan(folder)
    return with_distance(audit(plan, folder), plan, optimum=optimum)


def judged_plan(plan: Plan, *, optimum: bool) -> Verdict:
    """The same of a plan that stands in no folder."""
    from equipoise.files.plan_audit import proved_again

    return with_distance(proved_again(plan), plan, optimum=optimum)


def with_distance(verdict: Verdict, plan: Plan, *, optimum: bool) -> Verdict:
    """The verdict with the plan's warnings and, for ``optimum``, with how far it is from the best plan."""
    from equipoise.files.plan_request import request_in
    from equipoise.files.plan_summary import planned_from
    from equipoise.judge import COMPARED, distance

    verdict = replace(verdict, notes=(*plan.warnings, *verdict.notes))
    if not optimum or not verdict.passed:
        return verdict
    proved = {level.goal: level.bound for level in verdict.certificate if level.bound is not None}
    for level in (level for level in plan.certificate if level.proof == "given-placement"):
        proved.pop(level.goal, None)  # that is of where the replicas stand
        if level.global_bound is not None:
            proved[level.goal] = int(level.global_bound)
    usual = not any(plan.request.get(option) for option in ("goals", "required_only", "leaders_only"))
    goals = COMPARED if usual else [level.goal for level in plan.certificate]
    if proved.keys() >= {goal for goal in goals if verdict.goals[goal] is not None}:
        # nothing can be better than what was just proved again
        return replace(verdict, from_optimum=distance(verdict.goals, proved, goals))
    from equipoise.comparing.beside import beside_optimum

    return beside_optimum(verdict, planned_from(plan.cluster), request_in(plan.request))
