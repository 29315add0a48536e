"""The plan by flows alone: placement, orders on it, and what is thereby proved of each goal."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.planning.bounds import FREE_GOALS
from equipoise.planning.budget import pinned_to, within_budgets
from equipoise.planning.failover.placing import with_failover_bound, with_heirs
from equipoise.planning.goals import evaluate
from equipoise.planning.joint.question import JOINT_GOALS
from equipoise.planning.joint.solve import Start, best_of_face
from equipoise.planning.leaving import fewest_given_up
from equipoise.planning.networks.network import Int64
from equipoise.planning.networks.place import (
    PLACEMENT_GOALS,
    Face,
    Placement,
    ProvedLevel,
    place,
    settled_for_leaders,
)
from equipoise.planning.pinning import placed_with
from equipoise.planning.problem import Problem
from equipoise.planning.solution import (
    PLACEMENT_NETWORKS,
    Solution,
    at_least,
    better,
    goals_before,
    has_one_placement,
    ordered,
    proofs_of,
)

TRIES = 2
"""To suit the placement to the leaders, where they are held back, since one was better."""


def by_flows(problem: Problem, held: Int64 | None = None) -> Solution:
    """Placement first, orders on it; with the bound of each goal over placements and orders together.

    ``held``: replicas of each broker afterwards, where those are decided already.
    """
    placement = within_changes(problem, place(problem, problem.goals, held), held)
    best = among_placements(problem, placement, held)
    if held is not None or "failover" not in problem.goals or not within_budgets(problem, best.lists):
        return best
    return with_failover_bound(problem, with_heirs(problem, placement, best))


def among_placements(problem: Problem, placement: Placement, held: Int64 | None) -> Solution:
    """The best order of a placement, or of others as good at the goals of placement."""
    best, orders = ordered(problem, placement)
    if held is not None:  # the face is that of some plans: its bounds are not those of all
        return in_rounds(problem, placement, best, orders)
    if not within_budgets(problem, best.lists):  # nobody will have it
        return best
    faces = Faces(problem, placement)
    best = jointly(problem, faces, with_leavers(problem, faces, best))
    if leaders_closed(best) or any(proof.kind == "linear-program" for proof in best.proofs):
        return best
    found = in_rounds(problem, placement, best, orders)
    return best if found is best else with_leavers(problem, faces, found)


class Faces:
    """The placements that are best at the first of the placement goals, and at them alone; each made once."""

    def __init__(self, problem: Problem, placement: Placement) -> None:
        self.problem, self.placement = problem, placement
        self.made = {tuple(level.goal for level in placement.levels): placement}

    def kept(self, reached: dict[str, int]) -> tuple[str, ...]:
        """The goals among ``reached`` that such placements keep: up to the first that missed its bound."""
        levels = (level for level in self.placement.levels if level.goal in reached)
        good = takewhile(lambda level: level.value == reached[level.goal], levels)
        return tuple(level.goal for level in good)

    def of(self, goals: tuple[str, ...]) -> Face | None:
        """None where there is one placement alone, or where partitions are taken together in another way."""
        if goals not in self.made:
            self.made[goals] = place(self.problem, goals)
        made = self.made[goals]
        return made.face if same_groups(made.groups, self.placement.groups) else None


def placement_closed(solution: Solution) -> bool:
    """True where nothing is open of where replicas stand."""
    return all(proof.closes for proof in solution.proofs if proof.goal in PLACEMENT_GOALS)


def leaders_closed(solution: Solution) -> bool:
    """True where nothing is open of the goals that can be had of other placements."""
    return all(proof.closes for proof in solution.proofs if proof.goal in FREE_GOALS)


def in_rounds(problem: Problem, placement: Placement, best: Solution, orders: list[ProvedLevel]) -> Solution:
    """The best of some equally good placements, each suited to the leaders of the one before."""
    tries = 0
    while placement.face and placement.by_row and orders and not leaders_closed(best) and tries < TRIES:
        suited = replace(placement, lists=settled_for_leaders(placement.face, leader_prices(problem, orders)))
        tried, orders = ordered(problem, suited)
        found = better(problem, tried, best)
        tries = tries + 1 if found is best else 0
        best = found
    return best


def jointly(problem: Problem, faces: Faces, best: Solution) -> Solution:
    """The solution, or a better one, each goal that is open decided over placements and orders at once.

    Up to the first for which that is too large, or that is none of `JOINT_GOALS`. Where there is but one
    placement, flows have decided everything.
    """
    if not faces.placement.by_row or (has_one_placement(problem, best.lists) and placement_closed(best)):
        return best
    found = [(proof.level, best.reached) for proof in best.proofs if proof.level and proof.claims]
    for goal in takewhile(JOINT_GOALS.__contains__, problem.goals):
        proof = next(proof for proof in best.proofs if proof.goal == goal)
        if proof.closes:
            continue
        reached = {name: best.reached[name] for name in goals_before(problem.goals, goal)}
        kept = faces.kept(reached)
        face = faces.of(kept)
        start = Start(best.lists, proof.bound if proof.claims else 0)
        joint = best_of_face(face, goal, reached, frozenset(kept), start) if face else None
        if joint is not None:
            lists = joint.lists
            found.append((joint.level, reached))
        elif goal in PLACEMENT_GOALS:
            lists = placed_with(problem, best.lists, 1)
        else:
            break
        if lists is not None:
            best = better(problem, ordered(problem, replace(faces.placement, lists=lists))[0], best)
        best = with_levels(problem, best, found)
        if joint is None:
            break
    return best


def with_levels(
    problem: Problem, solution: Solution, found: list[tuple[ProvedLevel, dict[str, int]]]
) -> Solution:
    """The solution with the bounds ``found``, where it is as good at the goals before as they suppose."""
    for level, reached in found:
        before = goals_before(problem.goals, level.goal)
        if all(solution.reached[name] <= reached[name] for name in before):
            solution = replace(solution, proofs=[at_least(proof, level) for proof in solution.proofs])
    return solution


def with_leavers(problem: Problem, faces: Faces, best: Solution) -> Solution:
    """The solution with the elections bounded by the leaders that have to leave, and those too many."""
    reached = before_open_elections(problem, best)
    face = faces.of(faces.kept(reached)) if reached is not None else None
    if reached is None or face is None:
        return best
    level = fewest_given_up(face, reached)
    if faces.placement.by_row:  # said aloud, since no other level may tell
        level = replace(level, network="leaving-partitions")
    return replace(best, proofs=[at_least(proof, level) for proof in best.proofs])


def same_groups(one: dict[str, Int64], other: dict[str, Int64]) -> bool:
    """True where both took the same partitions together: a certificate can tell one such choice."""
    return one.keys() == other.keys() and all(np.array_equal(one[name], other[name]) for name in one)


def before_open_elections(problem: Problem, solution: Solution) -> dict[str, int] | None:
    """The goals before the elections with their values; None unless the elections are the first open."""
    proofs = {proof.goal: proof for proof in solution.proofs}
    earlier = goals_before(problem.goals, "elections")
    if "elections" not in proofs or proofs["elections"].closes:
        return None
    if set(earlier) - {*PLACEMENT_GOALS, *FREE_GOALS} or not all(proofs[goal].closes for goal in earlier):
        return None
    return {goal: proofs[goal].value for goal in earlier}


def leader_prices(problem: Problem, orders: list[ProvedLevel]) -> Int64:
    """What leading at each broker costs the last leader level that brokers decide, ``(n_brokers,)``."""
    level = next((level for level in reversed(orders) if level.goal in ("elections", "leaders")), orders[0])
    first = 1 + problem.n_racks
    return level.potential[first : first + problem.cluster.n_brokers]


def within_changes(problem: Problem, placement: Placement, held: Int64 | None) -> Placement:
    """The placement with ``--max-changes-per-partition`` kept: in racks, flows only keep it rack by rack."""
    pinned = pinned_to(problem, placement.lists)
    while pinned is not None:
        placement = replace(placement, lists=place(pinned, problem.goals, held).lists)
        pinned = pinned_to(pinned, placement.lists)
    return placement


def proved_anew(problem: Problem, solution: Solution, lists: IntArray) -> Solution:
    """The solution with other lists that are no worse: what was known up to the first goal that differs, and
    of those after it what holds of any plan."""
    reached = {goal: evaluate(problem, lists, goal) for goal in problem.goals}
    solved = {
        proof.goal: proof.level
        for proof in solution.proofs
        if proof.level and proof.claims and proof.level.network in PLACEMENT_NETWORKS
    }
    anew = proofs_of(problem, lists, reached, solved)
    same = takewhile(lambda proof: proof.value == reached[proof.goal], solution.proofs)
    known = {proof.goal: proof for proof in same if proof.claims}
    proofs = [known.get(proof.goal, proof) for proof in anew]
    found = replace(solution, lists=lists, proofs=proofs)
    return with_failover_bound(problem, found) if "failover" in reached else found
