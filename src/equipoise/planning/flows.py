"""The plan by flows alone: placement, orders on it, and what is thereby proved of each goal."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import takewhile

import numpy as np

from equipoise.cluster import measures
from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import replicas_per_rack
from equipoise.planning.bounds import FREE_GOALS, leader_bounds
from equipoise.planning.budget import (
    Balanced,
    best_counts,
    bytes_moved,
    needed_moves,
    pinned_to,
    within_budgets,
)
from equipoise.planning.certificate import Proof
from equipoise.planning.conflicts import refuse_bytes
from equipoise.planning.failover.bound import least_failover
from equipoise.planning.failover.spread import spread_heirs
from equipoise.planning.goals import evaluate
from equipoise.planning.joint.question import JOINT_GOALS
from equipoise.planning.joint.solve import MAX_COLUMNS, Start, best_of_face
from equipoise.planning.leaving import fewest_given_up
from equipoise.planning.networks.leadable import with_leaders
from equipoise.planning.networks.network import Infeasible, Int64
from equipoise.planning.networks.orders import LEADER_GOALS, order, order_followers, to_front
from equipoise.planning.networks.place import (
    PLACEMENT_GOALS,
    Face,
    Placement,
    ProvedLevel,
    arcs_of_partitions,
    place,
    settled_for_leaders,
)
from equipoise.planning.networks.placement import gather
from equipoise.planning.problem import Problem

STEPS_OF_BYTES = 32
"""How finely ``--max-bytes`` is used up: one in so many of the moves that a plan without it has."""
MAX_MOVES = 2**31
MAX_SPREAD = 1_000_000
"""Up to so many replicas first followers are chosen with their placement: arcs of the largest flow."""
PLACEMENT_NETWORKS = ("merged", "topics", "partitions", "mixed")
ORDER_NETWORKS = ("brokers", "items", "brokers+items")
"""Of leaders on one placement."""
TRIES = 2
"""To suit the placement to the leaders, where they are held back, since one was better."""


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


def better(problem: Problem, tried: Solution, best: Solution) -> Solution:
    """What was tried, if it keeps the budgets and is better."""
    return tried if within_budgets(problem, tried.lists) and tried.values < best.values else best


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


def placed_with(problem: Problem, lists: IntArray, first: int) -> IntArray:
    """The best placement with the ``first`` replicas of each of the lists, which keep the rules.

    A partition that would break its rack rule stays as in ``lists``: for the networks those it has been
    given stood in their racks before. Raises `Infeasible`.
    """
    placed = place(led_as(problem, lists, first), problem.goals).lists
    now, then, given = (
        replicas_per_rack(some, problem.rack_idx, problem.n_racks)
        for some in (problem.current, placed, lists)
    )
    crowded = (then > np.maximum(problem.limit[:, None], np.minimum(now, given))).any(axis=1)
    left = (then != given).any(axis=1) & problem.request.stay_in_rack
    return np.where((crowded | left)[:, None], lists[:, : placed.shape[1]], placed)


def led_as(problem: Problem, lists: IntArray, first: int) -> Problem:
    """The problem with the ``first`` replicas of every list pinned, as if they had stood there before."""
    current, pinned = problem.current.copy(), problem.pinned.copy()
    for position in range(min(first, lists.shape[1])):
        rows = np.flatnonzero(problem.movable & (lists[:, position] >= 0))
        broker, now = lists[rows, position], current[rows]
        there = now == broker[:, None]
        gone = (now[:, :, None] != lists[rows][:, None, :]).all(axis=2)  # an empty place is one, too
        at = np.where(there.any(axis=1)[:, None], there, gone)
        has = at.any(axis=1)
        rows, broker, place = rows[has], broker[has], at[has].argmax(axis=1)
        current[rows, place], pinned[rows, place] = broker, True
    return replace(problem, current=current, pinned=pinned)


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


def with_failover_bound(problem: Problem, best: Solution) -> Solution:
    """The solution with `failover` bounded over brokers alone.

    Where the placement is given, that counts only if the value meets it.
    """
    level = failover_level(problem, best)
    least = best.reached["failover"] if has_one_placement(problem, best.lists) else 1
    if level is None or level.value < least:
        return best
    return replace(best, proofs=[at_least(proof, level) for proof in best.proofs])


def failover_level(problem: Problem, best: Solution) -> ProvedLevel | None:
    """The bound of `failover` over brokers alone, None where nothing is left to prove."""
    if best.reached["failover"] == 0:  # nothing counts below 0
        return None
    before = goals_before(problem.goals, "failover")
    return least_failover(problem, best.lists, {goal: best.reached[goal] for goal in before})


def with_heirs(problem: Problem, placement: Placement, best: Solution) -> Solution:
    """The solution, or one with other first followers, where `failover` may move replicas."""
    before = goals_before(problem.goals, "failover")
    if "moves" in before or "moves" not in problem.goals:
        return best
    level = failover_level(problem, best)
    open_ = best.reached["failover"] > (level.value if level else 0)
    if open_ and int(problem.rf[problem.movable].sum()) <= MAX_SPREAD:
        best = spread_out(problem, placement, best)
    return best


def spread_out(problem: Problem, placement: Placement, best: Solution) -> Solution:
    """The solution, or a better one whose first followers are chosen with their placement."""
    before, lists = goals_before(problem.goals, "failover"), best.lists
    if "leaders" not in before:  # where nobody asked for level leaders they serve it best all the same
        lists = order(problem, lists, (*before, "leaders", *problem.goals[len(before) :]))[0]
    try:
        spread = spread_heirs(problem, lists, level="replicas" in before)
    except Infeasible:
        return best
    found = of_lists(problem, placement, spread, [])
    if found.reached["failover"] >= best.reached["failover"]:  # moves for nothing
        return best
    try:
        placed = in_front(placed_with(problem, spread, 2), spread[:, :2])
        found = better(problem, of_lists(problem, placement, placed, []), found)
    except Infeasible:
        pass
    return better(problem, led_by(problem, placement, found.lists), best)


def led_by(problem: Problem, placement: Placement, lists: IntArray) -> Solution:
    """The solution with these lists, their leaders as they are and the followers in order."""
    lists = lists.copy()
    return of_lists(problem, placement, lists, order_followers(problem, lists, problem.goals))


def in_front(lists: IntArray, first: IntArray) -> IntArray:
    """The lists with the brokers ``first``, ``(n_partitions, k)``, at their head; those that are there."""
    lists = lists.copy()
    for position, broker in enumerate(first.T):
        row, column = np.nonzero((lists == broker[:, None]) & (broker >= 0)[:, None])
        to_front(lists, row, column, position)
    return lists


def at_least(proof: Proof, level: ProvedLevel) -> Proof:
    """The proof, where it is of the level's goal and the level proves more."""
    if proof.goal != level.goal or level.value <= 0 or (proof.claims and proof.bound >= level.value):
        return proof
    kind = "linear-program" if level.network.startswith("joint") else "flow-dual"
    return Proof(proof.goal, proof.value, min(proof.value, level.value), kind, level=level)


def ordered(problem: Problem, placement: Placement) -> tuple[Solution, list[ProvedLevel]]:
    """The placement with its lists put in order, and the levels of the orders."""
    lists, orders = order(problem, with_leaders(problem, placement.lists), problem.goals)
    return of_lists(problem, placement, lists, orders), orders


def of_lists(
    problem: Problem, placement: Placement, lists: IntArray, orders: list[ProvedLevel]
) -> Solution:
    """The solution with these lists, proved by the levels of the placement and of the ``orders``."""
    solved = {level.goal: level for level in (*placement.levels, *orders)}
    reached = {goal: evaluate(problem, lists, goal) for goal in problem.goals}
    return Solution(lists, proofs_of(problem, lists, reached, solved), placement.groups)


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


def placement_bounds(reached: dict[str, int], solved: dict[str, ProvedLevel]) -> dict[str, ProvedLevel]:
    """The levels of the placement that are bounds: each supposes that those before it were reached."""
    bounds = {}
    for goal in (goal for goal in reached if goal in PLACEMENT_GOALS and goal in solved):
        bounds[goal] = solved[goal]
        if reached[goal] != solved[goal].value:
            break
    return bounds


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


def on_a_budget(problem: Problem) -> Solution:
    """Broker counts within the budget first, then everything else for those counts.

    Raises `Infeasible` where even what has to move breaks a budget.
    """
    solution = within_moves(problem) if problem.request.max_bytes is None else within_bytes(problem)
    if not within_budgets(problem, solution.lists):
        raise Infeasible
    return solution


def within_bytes(problem: Problem) -> Solution:
    """As many moves as ``--max-bytes`` was found to carry, by halving; nothing is claimed of other choices.

    Raises `ImpossibleRequest` where the moves that the rules need carry more.
    """
    request = problem.request

    def with_moves(allowed: int) -> Solution:
        fewer = replace(problem, request=replace(request, max_bytes=None, max_moves=allowed))
        return for_counts(fewer, best_counts(fewer))

    low = needed_moves(problem)
    best = with_moves(low)
    refuse_bytes(bytes_moved(problem, best.lists), int(request.max_bytes or 0))
    high = min(by_flows(problem).moves(problem), request.max_moves or MAX_MOVES)
    precision = max(1, (high - low) // STEPS_OF_BYTES)
    while high - low > precision:
        middle = (low + high) // 2
        tried = with_moves(middle)
        if within_budgets(problem, tried.lists):
            best, low = min(best, tried, key=lambda solution: solution.values), middle
        else:
            high = middle
    note = "of other choices within --max-bytes nothing is claimed"
    return replace(
        best, proofs=[Proof(p.goal, p.value, 0, "none", note) if p.value else p for p in best.proofs]
    )


def within_moves(problem: Problem) -> Solution:
    """The best within ``--max-moves``, where that binds."""
    if problem.request.max_moves is None:  # what has to move of one partition is more than it may
        raise Infeasible
    best = best_counts(problem)
    solution = for_counts(problem, best)
    if is_small_enough(problem):
        faces = Faces(problem, place(problem, problem.goals))
        anew = ordered(problem, replace(faces.placement, lists=solution.lists))[0]
        if anew.values <= solution.values:
            solution = jointly(problem, faces, with_levels(problem, anew, [(best.level, anew.reached)]))
    if any(proof.level is best.level for proof in solution.proofs) and not solution.groups:
        groups = {"units": np.arange(len(best.kind)), "merged_units": best.kind}
        solution = replace(solution, groups=groups)
    return solution


def is_small_enough(problem: Problem) -> bool:
    """True where a program of all placements may be small enough for `jointly`."""
    return arcs_of_partitions(gather(problem)) <= MAX_COLUMNS


def for_counts(problem: Problem, best: Balanced) -> Solution:
    """The plan with the broker counts ``best``; nothing is claimed of other counts but that they are best."""
    solution = by_flows(problem, best.held)
    if not within_budgets(problem, solution.lists):
        # the counts could not be handed out with so few moves: what has to move, and no more
        others = tuple(goal for goal in problem.goals if goal != "moves")
        least = by_flows(replace(problem, goals=("moves", *others)))
        solution = replace(
            least, proofs=[proof for goal in problem.goals for proof in least.proofs if proof.goal == goal]
        )
    proofs = []
    for proof in solution.proofs:
        if proof.goal == "replicas" and best.level.value > 0:
            bound = min(proof.value, best.level.value)
            proofs.append(Proof("replicas", proof.value, bound, "flow-dual", level=best.level))
        elif proof.level and proof.level.network != "leaders" and (proof.claims or proof.value == 0):
            kind = "none" if proof.value else "closed-form"
            proofs.append(Proof(proof.goal, proof.value, 0, kind, "for these broker counts"))
        else:
            proofs.append(proof)
    return replace(solution, proofs=proofs)
