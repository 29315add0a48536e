"""From a problem to lists that are level in weight, with a proof of each goal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import lengths
from equipoise.errors import ImpossibleRequest, UnusableInput
from equipoise.planning.basis.certificate import ProvedLevel
from equipoise.planning.goals import LEADER, PLACEMENT, levels
from equipoise.planning.goals.bytes import Bytes
from equipoise.planning.goals.leaders import Leaders
from equipoise.planning.goals.moves import Moves
from equipoise.planning.goals.racks import Racks
from equipoise.planning.goals.replicas import Replicas
from equipoise.planning.loads.in_turn import nearest, values
from equipoise.planning.loads.leading import Leading, first_leaders, led_by
from equipoise.planning.loads.placing import Placing
from equipoise.planning.loads.program import decided, is_small
from equipoise.planning.loads.proofs import again, by_cases, closed_bounds, priced, prove
from equipoise.planning.loads.search import descend
from equipoise.planning.loads.standing import Standing
from equipoise.planning.loads.thrift import leaders_back
from equipoise.planning.loads.ways import CASES, DECIDED, SEARCH
from equipoise.planning.loads.weights import (
    COUNTED,
    FILL,
    Int64,
    Load,
    copy_cost,
    fills,
    load_of,
    loads_of,
    weighed_value,
)
from equipoise.planning.networks.leadable import with_leaders
from equipoise.planning.networks.move_budget import pinned_to
from equipoise.planning.networks.orders import order, order_followers
from equipoise.planning.networks.place import Placement, place
from equipoise.planning.problem.params import Effort
from equipoise.planning.problem.problem import OF_LEADERS, Problem
from equipoise.planning.programs.small import cells
from equipoise.planning.request.laying import build_problem
from equipoise.planning.request.second_run import asked_again
from equipoise.planning.rules import refuse_over_budget, within_budgets
from equipoise.planning.rules.max_fill import percents
from equipoise.planning.rules.rack_rule import rack_excess
from equipoise.planning.solution.as_is import as_it_is
from equipoise.planning.solution.solution import Solution
from equipoise.planning.solution.watch import Watch

LEADER_LEVELS = tuple(goal for goal in LEADER if levels(goal))


def weighed_goals(problem: Problem) -> tuple[str, ...]:
    """The goals with loads in place of ``replicas``, and bytes before moves.

    Where a load is levelled that leaders bear, other levels of leaders are goals only if asked for by name;
    so are the counts of each topic.
    """
    request = problem.request
    mix = [COUNTED.get(load, load) for load in request.mix]
    found = list(fills(problem))
    asked = request.goals or ()
    counted = tuple(name for name, goal in PLACEMENT.items() if goal.of_topics)
    if not OF_LEADERS.isdisjoint(request.mix):
        counted += LEADER_LEVELS
    elif not OF_LEADERS.isdisjoint(percents(problem)):  # `leaders` is levelled within those
        counted += tuple(goal for goal in LEADER_LEVELS if goal != Leaders.name)
    for goal in problem.goals:
        if goal == Racks.name:  # they come before how full a broker is
            found.insert(0, goal)
        elif goal == Replicas.name:
            found += mix
        elif goal == Moves.name and copy_cost(problem) is not None:
            found += [Bytes.name, Moves.name]
        elif goal not in counted or goal in asked:
            found.append(goal)
    # Where replicas stay, leaders alone can level anything: their loads come first.
    if problem.stays:
        first = [FILL + load for load in percents(problem) if load in OF_LEADERS]
        found = first + [load for load in request.mix if load in OF_LEADERS] + found
    return tuple(dict.fromkeys(found))


def level_loads(problem: Problem, watch: Watch) -> Solution:
    """Lists level in the loads of ``--balance``, and the proof of each goal.

    With ``--effort quick`` by search alone, its gaps stated.

    Raises `UnusableInput` where sizes or rates are unknown, `ImpossibleRequest` where the budgets are
    below what the rules need.
    """
    goals, loads, bytes_of = weighed_goals(problem), loads_of(problem), copy_cost(problem)
    watch.began(SEARCH.name, "", None, None)
    start = forced(problem, goals)
    lists, orders = planned_again(problem, goals, *best_of(problem, goals, loads, bytes_of, start.lists))
    solution = Solution(lists, prove(problem, goals, lists, start, orders), start.groups)
    watch.ended(solution)
    if solution.is_proved or not is_small(problem) or not problem.params.effort.reaches(Effort.NORMAL):
        return solution
    return by_program(problem, goals, solution, start, watch)


def planned_again(
    problem: Problem, goals: tuple[str, ...], lists: IntArray, orders: list[ProvedLevel]
) -> tuple[IntArray, list[ProvedLevel]]:
    """The lists, or better ones that planning on them finds, so that a second run has nothing to do."""

    def values(some: IntArray) -> list[int]:
        return [weighed_value(problem, some, goal) for goal in goals]

    # A search ends at what it cannot better from where it began. From its own end, as tomorrow's run would
    # begin, it may find more: then it is better found today.
    for _ in range(problem.params.load_runs):
        try:
            done = build_problem(replace(problem.cluster, replicas=lists), asked_again(problem))
            done = replace(done, params=problem.params, within_racks=problem.within_racks)
            found, _ = best_of(done, goals, loads_of(done), copy_cost(done), forced(done, goals).lists)
        except (UnusableInput, ImpossibleRequest):  # what can be asked only once
            break
        if not np.array_equal(lengths(found), lengths(lists)) or not within_budgets(problem, found):
            break
        found, its_orders = ordering(loads_of(problem))(problem, goals, found)  # proofs are of this problem
        if values(found) >= values(lists):
            break
        lists, orders = found, its_orders
    return lists, orders


def by_program(
    problem: Problem, goals: tuple[str, ...], found: Solution, start: Placement, watch: Watch
) -> Solution:
    """What the search left open, decided as far as the program comes."""
    watch.began(DECIDED.name, "", None, found)
    best = decided(problem, goals, found.proofs, found.lists, as_it_is(problem))
    values = {goal: weighed_value(problem, best.lists, goal) for goal in goals}
    prices, bounds = priced(problem, values), closed_bounds(problem, values, start)
    proofs = [again(proof, values[proof.goal], bounds, prices.get(proof.goal)) for proof in found.proofs]
    found = replace(found, lists=best.lists, proofs=proofs)
    watch.ended(found)
    watch.began(CASES.name, "", None, found)
    found = replace(found, proofs=by_cases(problem, proofs, values, best.bounds))
    watch.ended(found)
    return found


def best_of(
    problem: Problem, goals: tuple[str, ...], loads: tuple[Load, ...], bytes_of: Int64 | None, start: IntArray
) -> tuple[IntArray, list[ProvedLevel]]:
    """The better of two searches: prices on the bands, and hand-overs.

    Those are tried where one load is levelled: then they often cost half the elections, or fewer bytes, and
    take little time; and on small clusters where prices leave something. What leaves the loads as far off as
    the rules alone do is not to cost anything.
    """
    able = tuple(load for load in loads if load.of_leaders or not problem.stays)
    # Where the first of a list may not lead, what leaders bear would be counted on the wrong broker.
    start = led_by(problem, start, first_leaders(problem, start))
    lists = nearest(problem, able, bytes_of, start)
    ordered = ordering(loads)
    found = [ordered(problem, goals, lists)]
    if (spared := with_leaders_back(problem, loads, bytes_of, lists)) is not None:
        found.append(ordered(problem, goals, spared))
    params = problem.params
    most = params.hand_over_cells if len(able) == 1 else params.mix_hand_over_cells
    if cells(problem) <= most and (len(able) == 1 or any(values(able, lists))):
        found.append(in_order(problem, loads, goals, placed(problem, loads, bytes_of, start)))
    if min(values(able, lists) for lists, _ in found) >= values(able, start):
        found.append(ordered(problem, goals, start))
    return min(found, key=lambda one: [weighed_value(problem, one[0], goal) for goal in goals])


def with_leaders_back(
    problem: Problem, loads: tuple[Load, ...], bytes_of: Int64 | None, lists: IntArray
) -> IntArray | None:
    """The lists with leaders back that left, where no load asks who leads; None if there are none to come."""
    if problem.stays or any(load.of_leaders for load in loads):
        return None
    cost = np.ones(len(lists), dtype=np.int64) if bytes_of is None else bytes_of
    standing = Standing(problem, loads, cost, lists, first_leaders(problem, lists))
    return standing.ordered() if leaders_back(standing) else None


def ordering(loads: tuple[Load, ...]) -> Callable[..., tuple[IntArray, list[ProvedLevel]]]:
    """How lists are put in order: where a load follows the lead, who leads is decided already."""
    led = [load for load in loads if load.of_leaders]
    if led and all(load.name.startswith(FILL) for load in led):
        return within_fills
    return with_followers if led else order_of


def order_of(
    problem: Problem, goals: tuple[str, ...], lists: IntArray
) -> tuple[IntArray, list[ProvedLevel]]:
    """The lists with leaders and followers in order."""
    return order(problem, lists, goals)


def with_followers(
    problem: Problem, goals: tuple[str, ...], lists: IntArray
) -> tuple[IntArray, list[ProvedLevel]]:
    """The lists with their leaders as they are, and followers in order."""
    return lists, order_followers(problem, lists, goals)


def within_fills(
    problem: Problem, goals: tuple[str, ...], lists: IntArray
) -> tuple[IntArray, list[ProvedLevel]]:
    """The lists with leaders as level in count as what they bear of ``--max-fill`` lets them be."""
    led = tuple(load for load in loads_of(problem) if load.of_leaders)
    board = Leading(problem, (*led, load_of(problem, "leaders")), lists)
    descend(board)
    return with_followers(problem, goals, board.ordered())


# where replicas stand


def forced(problem: Problem, goals: tuple[str, ...]) -> Placement:
    """What the rules alone ask for, in fewest moves; racks are left unmended where the budgets forbid it."""
    if problem.stays or not has_to_change(problem):
        return Placement(problem.current, (), {})
    first = (Racks.name,) if Racks.name in goals else ()
    mended = least_moves(problem, (*first, Moves.name))
    if within_budgets(problem, mended.lists):
        return mended
    needed = least_moves(problem, (Moves.name,))
    refuse_over_budget(problem, needed.lists)
    return replace(mended, lists=needed.lists)


def least_moves(problem: Problem, goals: tuple[str, ...]) -> Placement:
    """The fewest moves, within ``--max-changes-per-partition``."""
    found, pinned = place(problem, goals), problem
    # The flow knows the budget of single partitions rack by rack alone:
    # those that went beyond it are pinned, and the others asked anew.
    while (again := pinned_to(pinned, found.lists)) is not None:
        pinned = again
        found = replace(found, lists=place(pinned, goals).lists)
    return replace(found, lists=with_leaders(problem, found.lists))


def has_to_change(problem: Problem) -> bool:
    """True where a rule asks for a change of where replicas stand."""
    current, rows = problem.current, problem.movable
    held = current >= 0
    barred = held & ~problem.eligible[np.maximum(current, 0)]
    homeless = ~(held & problem.leads[np.maximum(current, 0)]).any(axis=1)
    wrong_size = held.sum(axis=1) != problem.rf
    crowded = rack_excess(problem, current).any(axis=1)
    return bool(((barred.any(axis=1) | homeless | wrong_size | crowded) & rows).any())


def placed(problem: Problem, loads: tuple[Load, ...], bytes_of: Int64 | None, start: IntArray) -> IntArray:
    """Replicas level in the loads that every replica bears."""
    everywhere = tuple(load for load in loads if not load.of_leaders)
    if problem.stays or not everywhere:
        return start
    board = Placing(problem, everywhere, bytes_of, start)
    descend(board)
    return np.ascontiguousarray(board.lists)


# who leads


def in_order(
    problem: Problem, loads: tuple[Load, ...], goals: tuple[str, ...], lists: IntArray
) -> tuple[IntArray, list[ProvedLevel]]:
    """Leaders level in count, or in what they send where ``network-out`` is levelled; then followers."""
    led = tuple(load for load in loads if load.of_leaders)
    if not led:
        return order(problem, lists, goals)
    board = Leading(problem, led, lists)
    descend(board)
    return ordering(loads)(problem, goals, board.ordered())


# proofs
