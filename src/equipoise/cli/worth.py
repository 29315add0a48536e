"""Whether the plan of a round of ``equipoise watch`` is worth while, so that nothing goes to and fro."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from equipoise.cli.worth_dirs import furthest_dirs, must_be_emptied

if TYPE_CHECKING:
    from equipoise.cluster import Cluster, Plan
    from equipoise.planning.loads.weights import Load
    from equipoise.planning.problem.problem import Problem
    from equipoise.planning.problem.request import Request

BEYOND = 10.0
"""Percent of its share beyond its tolerance that a load may drift where nothing else is said: a plan ends at
the edge of the tolerance, and what it brought there is not to be moved again by the next few records."""


@dataclass(frozen=True)
class Off:
    """The broker that is furthest off its share of one load."""

    load: str
    broker: int
    percent: float
    allowed: float
    """Percent."""

    def __str__(self) -> str:
        of = "replicas" if self.load == "count" else self.load
        return f"broker {self.broker} is {self.percent:.0f} % off its share of {of}"


def why_idle(plan: Plan, cluster: Cluster, request: Request, above: float | None) -> str:
    """Why a plan is not worth while, "" where it is: a rule asks for it, or a broker is too far off.

    ``above`` is the percent of its share that a broker may be off; None: :data:`BEYOND` the tolerance of each
    load, 0: all that would change is changed. Where no load of brokers is levelled it is, too.
    """
    from equipoise.judge import judge, rules_of

    if plan.is_empty:
        return "nothing to do"
    if above == 0:
        return ""
    now = plan.cluster
    if not judge(now, now.replicas, rules_of(now, plan.request)).passed:
        return ""
    if must_be_emptied(plan, request):
        return ""
    found = list(furthest_off(plan, cluster, request, above))
    if not found or any(off.percent > off.allowed for off in found):
        return ""
    worst = max(found, key=lambda off: off.percent - off.allowed)
    return f"left as it is: {worst}, {worst.allowed:g} % is allowed"


def furthest_off(plan: Plan, cluster: Cluster, request: Request, above: float | None = None) -> Iterator[Off]:
    """Of each load that the plan levels the broker that is furthest off its share, of those that have one."""
    from equipoise.planning.dirs.plan import TOLERANCE
    from equipoise.planning.loads.weights import COUNTED, load_of
    from equipoise.planning.request.laying import build_problem
    from equipoise.planning.request.loads_named import BALANCES

    problem = build_problem(cluster, request)
    load_of_goal = {COUNTED.get(load, load): load for load in BALANCES}
    for goal in (level.goal for level in plan.certificate if level.value is not None):
        if goal in load_of_goal:
            name = load_of_goal[goal]
            allowed = max(problem.request.sides(name)) + BEYOND if above is None else above
            yield from worst_of(load_of(problem, name), problem, allowed)
    if request.log_dirs is not None:
        named = request.dirs_tolerance
        allowed = (TOLERANCE if named is None else named) + BEYOND if above is None else above
        for path, broker, percent in furthest_dirs(plan.cluster):
            yield Off(f"log dir {path}", broker, percent, allowed)


def worst_of(load: Load, problem: Problem, allowed: float) -> Iterator[Off]:
    """The broker furthest off its share, if any has one; a count within one of it is as level as can be."""
    import numpy as np

    has = np.flatnonzero(load.share > 0)
    if not len(has):
        return
    off = np.abs(load.held(problem.current) - load.share)[has]
    percent = np.where(off > (1.0 if load.counts else 0.0), 100 * off / load.share[has], 0.0)
    at = int(percent.argmax())
    yield Off(load.name, int(problem.cluster.brokers.ids[has[at]]), float(percent[at]), allowed)
