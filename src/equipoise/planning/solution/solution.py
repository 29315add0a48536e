"""A plan and what is proved of it, goal by goal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.proofs import NetworkName, ProofKind
from equipoise.planning.basis.certificate import Proof, ProvedLevel
from equipoise.planning.bounds.leaders import leader_bounds
from equipoise.planning.flow.network import Int64
from equipoise.planning.goals import FOLLOWER, LEADER, PLACEMENT, goals_before, value_of
from equipoise.planning.goals.reorders import Reorders
from equipoise.planning.problem.problem import Problem
from equipoise.planning.rules import within_budgets

ORDER_NETWORKS = (NetworkName.BROKERS, NetworkName.ITEMS, NetworkName.BROKERS_AND_ITEMS)
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

    @property
    def is_proved(self) -> bool:
        return all(proof.closes for proof in self.proofs)

    def proof(self, goal: str) -> Proof:
        """What is known of a goal."""
        return next(proof for proof in self.proofs if proof.goal == goal)

    def before(self, goal: str) -> dict[str, int]:
        """The goals in front of one with their values, all where it is not among them."""
        return dict(takewhile(lambda pair: pair[0] != goal, self.reached.items()))

    def with_level(self, level: ProvedLevel, reached: Mapping[str, int]) -> Solution:
        """The solution with a bound, where it is as good at the goals before as that supposes."""
        # A bound holds of all plans that are as good as it supposes,
        # so of better ones as well, and of worse ones not.
        if any(value > reached[goal] for goal, value in self.before(level.goal).items()):
            return self
        if not self.states(level.beside):
            return self
        solution = replace(self, proofs=[at_least(proof, level) for proof in self.proofs])
        # What was proved on the face of a level that is stated no more is not proved any more.
        return replace(
            solution,
            proofs=[
                proof
                if proof.level is None or solution.states(proof.level.beside)
                else Proof.certain(proof.goal, proof.value)
                for proof in solution.proofs
            ],
        )

    def states(self, levels: Sequence[ProvedLevel]) -> bool:
        """True where these are the levels by which their goals are proved."""
        stated = {proof.goal: proof.level for proof in self.proofs if proof.claims}
        return all(stated.get(level.goal) is level for level in levels)


def better(problem: Problem, tried: Solution, best: Solution) -> Solution:
    """What was tried, if it keeps the budgets and is better."""
    return tried if within_budgets(problem, tried.lists) and tried.values < best.values else best


def proved_by(
    problem: Problem, lists: IntArray, levels: tuple[ProvedLevel, ...], groups: dict[str, Int64]
) -> Solution:
    """The solution with these lists, proved by the levels of a placement and of an order on it."""
    reached = {goal: value_of(problem, lists, goal) for goal in problem.goals}
    solved = {level.goal: level for level in levels}
    return Solution(lists, proofs_of(problem, lists, reached, solved), groups)


def proofs_of(
    problem: Problem, lists: IntArray, reached: dict[str, int], solved: Mapping[str, ProvedLevel]
) -> list[Proof]:
    """The best bound known for each goal ``reached``."""
    bounds = placement_bounds(reached, solved)
    if has_one_placement(problem, lists):
        # Nothing after `reorders` is claimed: on its face bounds are of plans with as few reorders.
        first = goals_before(problem.goals, Reorders.name)
        bounds |= {goal: solved[goal] for goal in first if goal in solved and goal in LEADER}
    else:
        bounds |= {level.goal: level for level in leader_bounds(problem, reached)[0]}
    proofs = []
    for goal, value in reached.items():
        if goal in bounds:
            level = bounds[goal]
            proofs.append(Proof(goal, value, min(value, level.value), level.kind, level=level))
        elif value == 0:
            proofs.append(Proof.certain(goal, 0))
        else:
            proofs.append(best_order(goal, value, solved))
    return proofs


def best_order(goal: str, value: int, solved: Mapping[str, ProvedLevel]) -> Proof:
    """What is known of a goal for where the replicas stand, or nothing."""
    level = solved.get(goal)
    networks = (*ORDER_NETWORKS, NetworkName.FIRST_FOLLOWERS)
    if level is None or level.value != value or level.network not in networks:
        return Proof.certain(goal, value)
    if goal in FOLLOWER:
        note = "least for these places and leaders; of others nothing is claimed"
        return Proof(goal, value, value, ProofKind.GIVEN_PLACEMENT, note, level)
    # Prices of an order are of the face that the levels before it left, so a judge needs those, too.
    earlier = tuple(takewhile(lambda other: other.goal != goal, solved.values()))
    given = tuple(other for other in earlier if other.network in ORDER_NETWORKS)
    note = "least for where the replicas stand; of other placements nothing is claimed"
    return Proof(goal, value, value, ProofKind.GIVEN_PLACEMENT, note, level, given)


def placement_bounds(
    reached: Mapping[str, int], solved: Mapping[str, ProvedLevel]
) -> dict[str, ProvedLevel]:
    """The levels of the placement that are bounds: each supposes that those before it were reached."""
    bounds = {}
    for goal in (goal for goal in reached if goal in PLACEMENT and goal in solved):
        # The first that was missed still has a bound; what comes
        # after it was solved on a face that the plan is not on.
        bounds[goal] = solved[goal]
        if reached[goal] != solved[goal].value:
            break
    return bounds


def at_least(proof: Proof, level: ProvedLevel) -> Proof:
    """The proof, where it is of the level's goal and the level proves more."""
    if proof.goal != level.goal or level.value <= 0 or (proof.claims and proof.bound >= level.value):
        return proof
    return Proof(proof.goal, proof.value, min(proof.value, level.value), level.kind, level=level)


def has_one_placement(problem: Problem, lists: IntArray) -> bool:
    """True where the goals before the leaders leave nothing to choose about where replicas stand."""
    if problem.stays:
        return True
    before = takewhile(PLACEMENT.__contains__, problem.goals)
    return any(PLACEMENT[goal].keeps_places(problem, lists) for goal in before)
