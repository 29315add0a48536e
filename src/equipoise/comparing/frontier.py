"""How level a cluster gets for each budget of data moved: the same planner, one budget after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from equipoise.cluster import Cluster, Level, Plan, measures
from equipoise.errors import ImpossibleRequest, UnusableInput
from equipoise.planning.driver.solve import make_plan
from equipoise.planning.goals import weighs
from equipoise.planning.goals.bytes import Bytes
from equipoise.planning.goals.moves import Moves
from equipoise.planning.goals.replicas import Replicas
from equipoise.planning.loads import weighed_goals
from equipoise.planning.loads.weights import COUNTED, load_of
from equipoise.planning.problem.problem import OF_LEADERS, Problem
from equipoise.planning.problem.request import Request
from equipoise.planning.request.laying import build_problem

BUDGETS = (0.0, 5.0, 10.0, 25.0, 50.0, 75.0, 100.0)
"""Percent of what the plan without a budget moves."""


@dataclass(frozen=True)
class Point:
    """What one budget buys."""

    percent: float
    """Of what the plan without a budget moves."""
    budget: int
    """Data moves, or bytes where loads are balanced."""
    data_moves: int | None = None
    bytes_moved: int | None = None
    """None where sizes are not known (and, as everything below, where no plan keeps to the budget)."""
    least: int | None = None
    """What the emptiest eligible broker holds afterwards: replicas, or that load."""
    most: int | None = None
    value: int | None = None
    """The level: 0 where every broker is in its band."""
    lower_bound: int | None = None
    apart: int | None = None
    """``most`` less ``least`` where replicas are levelled and all brokers weigh the same, else None."""
    levels: Mapping[str, tuple[int | None, int | None]] = field(default_factory=dict)
    """Value and bound of every load of the mix, by goal."""
    reason: str = ""
    """Why no plan keeps to the budget."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Frontier:
    """The points of one cluster, smallest budget first."""

    goal: str
    """The level they show: ``replicas``, or the first load of ``--balance`` that replicas bear."""
    unit: str
    """What is budgeted: "moves" or "bytes"."""
    points: tuple[Point, ...]
    warnings: tuple[str, ...] = ()

    @property
    def knee(self) -> Point | None:
        """The point up to which what is moved levels most above the average; beyond it, it levels less.

        It is farthest below the line from the first point to the last (V. Satopää et al., "Finding a
        'Kneedle' in a Haystack", 2011); None where no point is below it.
        """
        moved = "bytes_moved" if self.unit == "bytes" else "data_moves"
        shown = [(getattr(each, moved), each.value, each) for each in self.points if not each.reason]
        known = [(x, y, each) for x, y, each in shown if x is not None and y is not None]
        if not known or known[-1][0] <= known[0][0]:
            return None
        (x0, y0, _), (x1, y1, _) = known[0], known[-1]
        below = [((x - x0) * (y1 - y0) + (y0 - y) * (x1 - x0), each) for x, y, each in known]
        most, found = max(below, key=lambda pair: pair[0])
        return found if most > 0 else None

    def to_json(self) -> dict[str, Any]:
        """What a page of it is made from."""
        points = [point.to_json() for point in self.points]
        knee = self.knee and self.knee.percent
        return {"goal": self.goal, "unit": self.unit, "points": points, "knee": knee}


def frontier(
    cluster: Cluster,
    request: Request,
    percents: Sequence[float] = BUDGETS,
    *,
    unit: str | None = None,
    full: Plan | None = None,
    found: Callable[[Frontier], None] = lambda points: None,
) -> Frontier:
    """The points for budgets in percent of what the unlimited plan moves.

    ``unit`` is what is budgeted, "moves" or "bytes"; None: bytes where loads are balanced. ``full`` is the
    plan without a budget, where there is one already. ``found`` hears each point as soon as it is found, as
    a frontier of that one. Raises `UnusableInput` where the request
    levels nothing, or names a budget itself, and for bytes where sizes are not known.
    """
    problem = build_problem(cluster, request)
    refuse_unusable(problem)
    weighed = weighs(problem)
    mix = [COUNTED.get(load, load) for load in problem.request.mix]  # of everything: what that is
    goal = next(load for load in mix if load not in OF_LEADERS)
    in_bytes = weighed and Bytes.name in weighed_goals(problem) if unit is None else unit == "bytes"
    request = replace(request, goals=shown(problem.goals))
    full = full or make_plan(cluster, request)
    most = moved_bytes(full) if in_bytes else measures.data_moves(full.cluster.replicas, full.target)
    if most is None:
        raise UnusableInput(
            "sizes of what moves are not known", source="--unit",
            advice="Budget moves, or add the output of kafka-log-dirs --describe",
        )  # fmt: skip
    goal_and_unit = goal, "bytes" if in_bytes else "moves"
    points = []
    # Where nothing moves without a budget every budget gives the same, so one says it all.
    for percent in sorted(set(percents)) if most else (100.0,):
        budget = round(most * percent / 100)
        capped = replace(request, max_bytes=budget) if in_bytes else replace(request, max_moves=budget)
        try:
            plan = full if budget == most else make_plan(cluster, capped)
        except ImpossibleRequest as refusal:
            none = dict.fromkeys(mix, (None, None))
            points.append(Point(percent, budget, levels=none, reason="; ".join(refusal.reasons)))
        else:
            points.append(point(problem, plan, mix, goal, percent, budget))
        found(Frontier(*goal_and_unit, (points[-1],), problem.warnings))
    return Frontier(*goal_and_unit, tuple(points), problem.warnings)


def shown(goals: tuple[str, ...]) -> tuple[str, ...]:
    """The goals that decide the figures of a point: for later ones there is nothing to show."""
    last = max(goals.index(goal) for goal in (Replicas.name, Moves.name, Bytes.name) if goal in goals)
    return goals[: last + 1]


def refuse_unusable(problem: Problem) -> None:
    """Raise for a request that has no frontier."""
    request = problem.request
    if request.max_moves is not None or request.max_bytes is not None:
        raise UnusableInput(
            "tries budgets of its own", source="frontier", advice="Choose them with --budgets"
        )
    levels = Replicas.name in problem.goals and request.strategy == "flow"
    if not levels or OF_LEADERS.issuperset(request.mix):
        raise UnusableInput(
            "needs a level that data moves bring about",
            source="frontier",
            advice="Balance counts, disk or network-in, with the flow strategy and the default goals",
        )


def point(
    problem: Problem, plan: Plan, mix: Sequence[str], goal: str, percent: float, budget: int
) -> Point:
    """A plan's figures."""
    levels = {level.goal: value_and_bound(level) for level in plan.certificate if level.goal in mix}
    held = (
        measures.replicas_per_broker(plan.target, problem.cluster.n_brokers)
        if goal == Replicas.name
        else load_of(problem, goal).held(plan.target)
    )[problem.eligible]
    moves = measures.data_moves(plan.cluster.replicas, plan.target)
    alike = goal == Replicas.name and not np.ptp(plan.cluster.brokers.weight[problem.eligible]) > 0
    return Point(
        percent,
        budget,
        data_moves=moves,
        bytes_moved=moved_bytes(plan),
        least=int(held.min()),
        most=int(held.max()),
        value=levels[goal][0],
        lower_bound=levels[goal][1],
        apart=int(np.ptp(held)) if alike else None,
        levels={load: levels[load] for load in mix},
    )


def value_and_bound(level: Level) -> tuple[int | None, int | None]:
    """Value and bound of a level."""
    value, bound = level.value, level.lower_bound
    return None if value is None else int(value), None if bound is None else int(bound)


def moved_bytes(plan: Plan) -> int | None:
    """Bytes that a plan copies; None where a size that matters is not known, and where none is at all."""
    sizes = plan.cluster.size_bytes
    copies = measures.arrivals_by_row(plan.cluster.replicas, plan.target)
    total = float((np.ceil(sizes) * copies)[copies > 0].sum())
    return None if np.isnan(total) or np.isnan(sizes).all() else int(total)
