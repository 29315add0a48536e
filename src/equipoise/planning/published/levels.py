"""What any assignment reaches at each goal, in the units of the exact planner's proofs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Level, measures
from equipoise.cluster.brokers import IntArray
from equipoise.planning.bands import band, whole_weights
from equipoise.planning.problem import Problem, rack_excess

Int64 = npt.NDArray[np.int64]


def measured_levels(problem: Problem, target: IntArray) -> tuple[Level, ...]:
    """The goals of the problem as the target meets them; no bound is claimed, so it stands at 0."""
    return tuple(
        Level(goal, value, 0, "none", "measured, not proved")
        for goal in problem.goals
        if (value := goal_value(problem, goal, target)) is not None
    )


def goal_value(problem: Problem, goal: str, target: IntArray) -> int | None:
    """The value of a goal, lower being better; None for a goal that is not measured here."""
    return MEASURES[goal](problem, target) if goal in MEASURES else None


def racks(problem: Problem, target: IntArray) -> int:
    """Replicas above the limit of their rack."""
    return int(rack_excess(problem, target)[problem.movable].sum())


def replicas(problem: Problem, target: IntArray) -> int:
    """Squares of what each eligible broker is outside its band, summed."""
    held = measures.replicas_per_broker(target, problem.cluster.n_brokers)[problem.eligible]
    return outside(held, int(held.sum()), eligible_weight(problem), problem.request.tolerance or (0.0, 0.0))


def moves(problem: Problem, target: IntArray) -> int:
    """Data moves; the replicas of partitions that are created are none."""
    known = problem.cluster.rf > 0
    return measures.data_moves(problem.cluster.replicas[known], target[known])


def topics(problem: Problem, target: IntArray) -> int:
    """As `replicas`, for each topic by itself."""
    return by_topic(problem, target, problem.eligible, eligible_weight(problem))


def leaders(problem: Problem, target: IntArray) -> int:
    """As `replicas`, for preferred leaders over the brokers that may lead."""
    led = measures.leaders_per_broker(target, problem.cluster.n_brokers)[problem.leads]
    return outside(led, int(led.sum()), leading_weight(problem))


def elections(problem: Problem, target: IntArray) -> int:
    """Partitions whose preferred leader differs."""
    return int(measures.leadership_changed(problem.cluster.replicas, target)[problem.movable].sum())


def topic_leaders(problem: Problem, target: IntArray) -> int:
    """As `leaders`, for each topic by itself."""
    return by_topic(problem, target[:, :1], problem.leads, leading_weight(problem))


def reorders(problem: Problem, target: IntArray) -> int:
    """Lists in a new order that hold the same brokers."""
    before = problem.cluster.replicas
    changed = measures.changed_rows(before, target)
    new, gone = measures.arrivals(before, target)[changed], measures.arrivals(target, before)[changed]
    return len(changed) - int((new.any(axis=1) | gone.any(axis=1)).sum())


MEASURES: Mapping[str, Callable[[Problem, IntArray], int]] = {
    "racks": racks,
    "replicas": replicas,
    "moves": moves,
    "topics": topics,
    "leaders": leaders,
    "elections": elections,
    "topic-leaders": topic_leaders,
    "reorders": reorders,
}


def by_topic(problem: Problem, lists: IntArray, chosen: npt.NDArray[np.bool_], weight: Int64) -> int:
    """Squares outside the bands of (topic, broker), over topics that may change and the chosen brokers."""
    n_brokers, n_topics = problem.cluster.n_brokers, len(problem.cluster.topics)
    held = (lists >= 0) & problem.movable[:, None]
    cell = problem.cluster.topic_idx[:, None].astype(np.int64) * n_brokers + lists
    table = np.bincount(cell[held], minlength=n_topics * n_brokers).reshape(n_topics, n_brokers)
    return outside(table[:, chosen], table.sum(axis=1)[:, None], weight)


def outside(
    held: Int64, total: npt.ArrayLike, weight: Int64, tolerance: tuple[float, float] = (0.0, 0.0)
) -> int:
    """Sum of squared distances from the band of each share of ``total``."""
    low, high = band(total, weight, tolerance)
    return int((np.maximum(np.maximum(low - held, held - high), 0) ** 2).sum())


def eligible_weight(problem: Problem) -> Int64:
    return whole_weights(problem.cluster.brokers.weight[problem.eligible])  # type: ignore[index]


def leading_weight(problem: Problem) -> Int64:
    return whole_weights(problem.cluster.brokers.weight[problem.leads])  # type: ignore[index]
