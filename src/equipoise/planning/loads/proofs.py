"""The proof of each goal where loads are levelled: closed forms, prices, and cases of the program."""

from __future__ import annotations

from dataclasses import replace
from math import isqrt
from typing import TYPE_CHECKING

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.proofs import NetworkName, ProofKind
from equipoise.planning.basis.certificate import Proof, ProvedLevel
from equipoise.planning.goals.bytes import Bytes
from equipoise.planning.goals.elections import Elections
from equipoise.planning.goals.moves import Moves
from equipoise.planning.goals.racks import Racks
from equipoise.planning.loads.bounds import Bounds
from equipoise.planning.loads.prices import Priced, Pricing, stored
from equipoise.planning.loads.program import LoadModel
from equipoise.planning.loads.weights import FILL, Int64, Load, copy_cost, loads_of, weighed_value
from equipoise.planning.networks.place import Placement
from equipoise.planning.problem.problem import Problem
from equipoise.planning.programs.small import cells, trees
from equipoise.planning.solution.solution import ORDER_NETWORKS, proofs_of

if TYPE_CHECKING:
    from equipoise.planning.programs.branching import Tree

WEIGHED = ("disk", "network-in", "leaders-in", "replication-out", "network-out", "cpu", Bytes.name)
"""Goals whose bounds are closed forms of what weighs."""
ALIKE = 1 - 1e-9
"""Of two bounds this near to each other that is taken which anyone can compute again."""


def prove(
    problem: Problem,
    goals: tuple[str, ...],
    lists: IntArray,
    start: Placement,
    orders: list[ProvedLevel],
) -> list[Proof]:
    """A proof of each goal: closed forms for what weighs, the flows' own for what counts.

    ``start`` is what the rules alone force, partition by partition: no plan moves less.
    """
    values = {goal: weighed_value(problem, lists, goal) for goal in goals}
    bounds, prices = closed_bounds(problem, values, start), priced(problem, values)
    counted = {goal: value for goal, value in values.items() if goal not in WEIGHED}
    racks = [level for level in start.levels if level.goal == Racks.name]
    solved = {level.goal: level for level in (*racks, *orders)}
    counting = replace(problem, goals=tuple(counted))
    known = {proof.goal: proof for proof in proofs_of(counting, lists, counted, solved)}
    return [
        by_prices(goal, value, prices[goal])
        # Prices anyone adds up in a few lines; a closed form has to be derived again.
        if goal in prices and prices[goal].integer_bound >= min(value, bounds[goal]) * ALIKE
        else Proof(goal, value, min(value, bounds[goal]), ProofKind.CLOSED_FORM)
        if goal in bounds
        else known[goal]
        for goal, value in values.items()
    ]


def closed_bounds(problem: Problem, values: dict[str, int], start: Placement) -> dict[str, int]:
    """`weighed_bounds`, of bytes and moves no less than what the rules alone force."""
    bounds = weighed_bounds(problem, values)
    for cost in (cost for cost in (Bytes.name, Moves.name) if cost in bounds):
        bounds[cost] = max(bounds[cost], weighed_value(problem, start.lists, cost))
    return bounds


def weighed_bounds(problem: Problem, values: dict[str, int]) -> dict[str, int]:
    """Closed bounds of loads, and of bytes and moves for levels such as those reached."""
    loads, closed = loads_of(problem), Bounds(problem)
    bounds = {load.goal: closed.level(load) for load in loads if load.goal in values}
    left = {load.goal: outside(load, values[load.goal]) for load in loads if load.goal in values}
    reached = [load for load in loads if not load.of_leaders and load.goal in values]
    for goal, cost in move_costs(problem).items():
        if goal in values and not problem.stays:
            least = (closed.cost(load, cost, left[load.goal]) for load in reached)
            bounds[goal] = max(least, default=0)
    led = [load for load in loads if load.of_leaders and load.goal in values]
    if led and Elections.name in values:
        each = np.ones_like(problem.rf, dtype=np.int64)
        bounds[Elections.name] = max(closed.cost(load, each, left[load.goal]) for load in led)
    return bounds


def outside(load: Load, value: int) -> int:
    """The most that may lie outside a load's bands where its goal has a value, of counts one of squares."""
    # Of n distances whose squares have the sum v, the sum is at most the
    # root of n v (Cauchy and Schwarz); of whole ones it is at most v, too.
    return min(value, isqrt(value * len(load.low))) if load.counts else value


def priced(problem: Problem, values: dict[str, int]) -> dict[str, Priced]:
    """Bounds on bytes and moves by prices, for levels such as those reached."""
    found: dict[str, Priced] = {}
    if problem.stays or cells(problem) > problem.params.price_cells:
        return found
    loads = tuple(load for load in loads_of(problem) if not (load.of_leaders or load.name.startswith(FILL)))
    left = {load.goal: outside(load, values[load.goal]) for load in loads if load.goal in values}
    for goal, cost in move_costs(problem).items():
        before = tuple(values)[: tuple(values).index(goal)] if goal in values else ()
        # The bound takes off what may lie outside the bands: only goals before this one say how much that is.
        if loads and all(load.goal in before for load in loads):
            found[goal] = Pricing(problem, loads, cost, left).best()
    return found


def move_costs(problem: Problem) -> dict[str, Int64]:
    """What a data move of each partition costs, by goal: bytes where sizes are known, and moves."""
    bytes_of, one = copy_cost(problem), np.ones_like(problem.rf, dtype=np.int64)
    return ({} if bytes_of is None else {Bytes.name: bytes_of}) | {Moves.name: one}


def by_prices(goal: str, value: int, found: Priced) -> Proof:
    """The proof of a cost that prices are."""
    bound = min(value, found.integer_bound)
    level = ProvedLevel(goal, bound, NetworkName.LOADS, stored(found.prices))
    return Proof(goal, value, bound, level.kind, level=level)


def again(proof: Proof, value: int, bounds: dict[str, int], prices: Priced | None) -> Proof:
    """What is known of a goal without the program's word; ``prices`` are for levels such as it reached."""
    if prices is not None and prices.integer_bound >= value > 0:
        return by_prices(proof.goal, value, prices)
    # Prices of orders belong to where replicas stood after the search, and prices of loads to what it left
    # outside. Both may be other ones in the program's lists.
    of_places = proof.level is not None and proof.level.network in ORDER_NETWORKS  # of those of the search
    of_search = of_places or (proof.level is not None and proof.level.network == NetworkName.LOADS)
    if proof.closes and proof.value == value and not of_search:
        return proof
    if bounds.get(proof.goal):
        return Proof(proof.goal, value, min(value, bounds[proof.goal]), ProofKind.CLOSED_FORM)
    return Proof.certain(proof.goal, value)


def by_cases(
    problem: Problem, proofs: list[Proof], values: dict[str, int], claimed: dict[str, int]
) -> list[Proof]:
    """The proofs, with a tree of prices where the program claims more than is known."""
    wanted = {
        proof.goal: least
        for proof in proofs
        if proof.bound < (least := min(proof.value, claimed.get(proof.goal, 0)))
    }
    params = replace(problem.params, tree_work=problem.params.load_tree_work)
    limited, goals = replace(problem, params=params), tuple(proof.goal for proof in proofs)
    found = trees(LoadModel(limited, goals), values, wanted) if wanted else {}
    return [with_tree(proof, found.get(proof.goal), wanted.get(proof.goal, 0)) for proof in proofs]


def with_tree(proof: Proof, tree: Tree | None, claimed: int) -> Proof:
    """The proof, or a tree that proves more; with a word where a solver ``claimed`` more than that."""
    if tree is not None and tree.bound > proof.bound:
        level = ProvedLevel(proof.goal, tree.bound, NetworkName.PROGRAM, tree.prices, tree.branches)
        proof = Proof(proof.goal, proof.value, tree.bound, level.kind, level=level)
    if claimed <= proof.bound:
        return proof
    return replace(proof, note=f"a search that cannot be checked says {claimed}")
