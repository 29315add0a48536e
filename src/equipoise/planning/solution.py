"""A plan by flows and what is proved of it, goal by goal."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import takewhile

import numpy as np

from equipoise.cluster import measures
from equipoise.cluster.brokers import IntArray
from equipoise.planning.bounds import leader_bounds
from equipoise.planning.budget import within_budgets
from equipoise.planning.certificate import Proof
from equipoise.planning.goals import evaluate
from equipoise.planning.networks.leadable import with_leaders
from equipoise.planning.networks.network import Int64
from equipoise.planning.networks.orders import LEADER_GOALS, order
from equipoise.planning.networks.place import PLACEMENT_GOALS, Placement, ProvedLevel
from equipoise.planning.problem import Problem

PLACEMENT_NETWORKS = ("merged", "topics", "partitions", "mixed")
"""Whose levels are bounds of any plan that is as good at the levels before."""
ORDER_NETWORKS = ("brokers", "items", "brokers+items")
"""Of leaders on one placement."""


@dataclass(frozen=True, eq=False)
class Solution:
    """Replica lists ``(n_partitions, max_rf)``, and what is known of each goal in order."""

    lists: IntArray
    proofs: list[Proof]
    groups: dict[str, Int64] = field(default_factory=dict)
    """See `place.Placement.groups`."""

    @property
    def values(self) -> list[int]:
        """Reached by each goal, in the order that decides which of two solutions is better."""
        return [proof.value for proof in self.proofs]

    @property
    def reached(self) -> dict[str, int]:
        """The goals with their values, in order."""
        return {proof.goal: proof.value for proof in self.proofs}

    def moves(self, problem: Problem) -> int:
        """Data moves."""
        return measures.data_moves(problem.cluster.replicas, self.lists)

    @property
    def is_proved(self) -> bool:
        return all(proof.closes for proof in self.proofs)


def better(problem: Problem, tried: Solution, best: Solution) -> Solution:
    """What was tried, if it keeps the budgets and is better."""
    return tried if within_budgets(problem, tried.lists) and tried.values < best.values else best


def ordered(problem: Problem, placement: Placement) -> tuple[Solution, list[ProvedLevel]]:
    """The placement with its lists put in order, and the levels of the orders."""
    lists, orders = order(problem, with_leaders(problem, placement.lists), problem.goals)
    return of_lists(problem, placement, lists, orders), orders


def of_lists(problem: Problem, placement: Placement, lists: IntArray, orders: list[ProvedLevel]) -> Solution:
    """The solution with these lists, proved by the levels of the placement and of the ``orders``."""
    solved = {level.goal: level for level in (*placement.levels, *orders)}
    reached = {goal: evaluate(problem, lists, goal) for goal in problem.goals}
    return Solution(lists, proofs_of(problem, lists, reached, solved), placement.groups)


def proofs_of(
    problem: Problem, lists: IntArray, reached: dict[str, int], solved: dict[str, ProvedLevel]
) -> list[Proof]:
    """The best bound known for each goal ``reached``."""
    if has_one_placement(problem, lists):
        # Nothing after `reorders` is claimed: on its face bounds are of plans with as few reorders.
        first = goals_before(problem.goals, "reorders")
        bounds = placement_bounds(reached, solved)
        bounds |= {goal: solved[goal] for goal in first if goal in solved and goal in LEADER_GOALS}
    else:
        bounds = placement_bounds(reached, solved)
        bounds |= {level.goal: level for level in leader_bounds(problem, reached)[0]}
    proofs = []
    for goal, value in reached.items():
        if goal in bounds:
            proofs.append(Proof(goal, value, min(value, bounds[goal].value), "flow-dual", level=bounds[goal]))
        elif value == 0:
            proofs.append(Proof(goal, 0, 0, "closed-form"))  # nothing counts below 0
        else:
            proofs.append(best_order(goal, value, solved))
    return proofs


def best_order(goal: str, value: int, solved: dict[str, ProvedLevel]) -> Proof:
    """What is known of a goal for where the replicas stand, or nothing."""
    level = solved.get(goal)
    if level is None or level.value != value or level.network not in (*ORDER_NETWORKS, "heirs"):
        return Proof(goal, value, 0, "none")
    if level.network == "heirs":
        note = "least for these places and leaders; of others nothing is claimed"
        return Proof(goal, value, value, "given-placement", note, level)
    earlier = tuple(takewhile(lambda other: other.goal != goal, solved.values()))
    given = tuple(other for other in earlier if other.network in ORDER_NETWORKS)
    note = "least for where the replicas stand; of other placements nothing is claimed"
    return Proof(goal, value, value, "given-placement", note, level, given)


def placement_bounds(reached: dict[str, int], solved: dict[str, ProvedLevel]) -> dict[str, ProvedLevel]:
    """The levels of the placement that are bounds: each supposes that those before it were reached."""
    bounds = {}
    for goal in (goal for goal in reached if goal in PLACEMENT_GOALS and goal in solved):
        bounds[goal] = solved[goal]
        if reached[goal] != solved[goal].value:
            break
    return bounds


def at_least(proof: Proof, level: ProvedLevel) -> Proof:
    """The proof, where it is of the level's goal and the level proves more."""
    if proof.goal != level.goal or level.value <= 0 or (proof.claims and proof.bound >= level.value):
        return proof
    kind = "linear-program" if level.network.startswith("joint") else "flow-dual"
    return Proof(proof.goal, proof.value, min(proof.value, level.value), kind, level=level)


def goals_before(goals: tuple[str, ...], goal: str) -> tuple[str, ...]:
    """The goals in front of one, all where it is not among them."""
    return goals[: goals.index(goal)] if goal in goals else goals


def has_one_placement(problem: Problem, lists: IntArray) -> bool:
    """True where the goals before the leaders leave nothing to choose about where replicas stand."""
    if problem.request.leaders_only:
        return True
    goals = problem.goals
    before = goals[: next((k for k, goal in enumerate(goals) if goal not in PLACEMENT_GOALS), len(goals))]
    moves = measures.data_moves(problem.cluster.replicas, lists)
    return "moves" in before and moves == 0 and np.array_equal(problem.rf, problem.cluster.rf)
