"""Lists that somebody else made, as a plan: measured at every goal, with no proof claimed."""

from __future__ import annotations

from equipoise.cluster import Level, Plan, measures
from equipoise.cluster.brokers import IntArray
from equipoise.planning.goals import ALL_GOALS, is_known, value_of
from equipoise.planning.problem.problem import Problem


def measured_plan(problem: Problem, target: IntArray, strategy: str, sentence: str) -> Plan:
    """The plan of a strategy; ``sentence`` is the reason of every change.

    ``target``: ``(n_partitions, max_rf)`` int32 broker positions, -1 padded.
    """
    return Plan(
        cluster=problem.cluster,
        target=target,
        eligible=problem.eligible,
        strategy=strategy,
        certificate=tuple(
            Level(goal, value_of(problem, target, goal), 0, "none", "measured, not proved")
            if is_known(problem.cluster, goal)
            else Level.unknown(goal)
            for goal in problem.goals
            if goal in ALL_GOALS
        ),
        why={int(row): sentence for row in measures.changed_rows(problem.cluster.replicas, target)},
        request=problem.request.to_json(),
        warnings=problem.warnings,
    )
