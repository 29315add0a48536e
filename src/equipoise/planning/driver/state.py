"""What the driver hands from method to method: the best plan so far, and all that is known about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import takewhile

from equipoise.cluster.brokers import IntArray
from equipoise.planning.basis.certificate import Proof, ProvedLevel
from equipoise.planning.goals import PLACEMENT, value_of
from equipoise.planning.networks.faces import OptimalFace
from equipoise.planning.networks.place import Placement
from equipoise.planning.problem.problem import Problem
from equipoise.planning.rules import within_budgets
from equipoise.planning.solution.solution import Solution, has_one_placement, proofs_of


class Faces:
    """The placements that are best at the first of the placement goals, and at them alone; each made once."""

    def __init__(self, placement: Placement) -> None:
        self.placement = placement
        self.made = dict[tuple[str, ...], OptimalFace | None]()

    def kept(self, reached: Mapping[str, int]) -> tuple[str, ...]:
        """The goals among ``reached`` that such placements keep: up to the first that missed its bound."""
        levels = (level for level in self.placement.levels if level.goal in reached)
        # Placements that are best at later goals are none of the plan's any more once one was missed.
        good = takewhile(lambda level: level.value == reached[level.goal], levels)
        return tuple(level.goal for level in good)

    def of(self, goals: tuple[str, ...]) -> OptimalFace | None:
        """That of some `kept` goals; None where there is one placement alone."""
        if goals not in self.made:
            self.made[goals] = self.placement.face_of(goals)
        return self.made[goals]


@dataclass(frozen=True, eq=False)
class State:
    """The best plan so far, and what holds of all plans."""

    problem: Problem
    solution: Solution
    faces: Faces
    within_budgets: bool = False
    """True where a budget binds, so that flows alone do not keep it."""
    found: tuple[tuple[ProvedLevel, Mapping[str, int]], ...] = ()
    """Bounds beside those of the placement, with the values of the goals before that each supposes."""
    decided: frozenset[str] = field(default_factory=frozenset)
    """Goals that a program over placements and leaders has come to, closed or not."""
    by_topics: bool = False
    """True once some topics were looked at alone: more of that serves goals before them by chance alone."""

    @property
    def placement(self) -> Placement:
        return self.faces.placement

    def proof(self, goal: str) -> Proof:
        return self.solution.proof(goal)

    def proofs_before(self, goal: str) -> list[Proof]:
        """What is known of the goals in front of one."""
        return self.solution.proofs[: self.problem.goals.index(goal)]

    @property
    def has_one_placement(self) -> bool:
        """True where nothing is left to choose about where replicas stand."""
        closed = all(proof.closes for proof in self.solution.proofs if proof.goal in PLACEMENT)
        return closed and has_one_placement(self.problem, self.solution.lists)

    def with_lists(
        self, lists: IntArray, orders: tuple[ProvedLevel, ...] = (), *, ties: bool = False
    ) -> State:
        """The state with other lists, if they keep the budgets and are better, or with ``ties`` as good.

        ``orders``: levels of the order on them. What was known stays up to the first goal that differs; of
        those after it stays what holds of any plan.
        """
        if not within_budgets(self.problem, lists):
            return self
        values = []
        for goal, reached in self.solution.reached.items():
            values.append(value_of(self.problem, lists, goal))
            if values[-1] > reached and values[:-1] == self.solution.values[: len(values) - 1]:
                return self
        if values == self.solution.values and not ties:
            return self
        return self.proved_anew(lists, dict(zip(self.solution.reached, values, strict=True)), orders)

    def proved_anew(
        self, lists: IntArray, reached: dict[str, int], orders: tuple[ProvedLevel, ...]
    ) -> State:
        """The state with these lists, which reach these values."""
        solved = {level.goal: level for level in (*self.placement.levels, *orders)}
        same = takewhile(lambda proof: proof.value == reached[proof.goal], self.solution.proofs)
        # Bounds suppose the values of goals before. Up to the
        # first that differs nothing they suppose has changed.
        known = {proof.goal: proof for proof in same if proof.claims}
        anew = proofs_of(self.problem, lists, reached, solved)
        proofs = [known.get(proof.goal, proof) for proof in anew]
        solution = replace(self.solution, lists=lists, proofs=proofs)
        # A bound found for values that are reached again, or undercut, counts again (`Solution.with_level`).
        for level, supposed in self.found:
            solution = solution.with_level(level, supposed)
        return replace(self, solution=solution)

    def with_level(self, level: ProvedLevel, supposed: Mapping[str, int] | None = None) -> State:
        """The state with a bound; ``supposed``: values of goals before with which it holds, None: these."""
        supposed = self.solution.before(level.goal) if supposed is None else supposed
        solution = self.solution.with_level(level, supposed)
        return replace(self, solution=solution, found=(*self.found, (level, supposed)))

    def with_proof(self, proof: Proof) -> State:
        """The state with another proof of a goal."""
        proofs = [proof if old.goal == proof.goal else old for old in self.solution.proofs]
        return replace(self, solution=replace(self.solution, proofs=proofs))
