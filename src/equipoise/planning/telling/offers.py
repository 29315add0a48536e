"""What a little more would buy, and what is free: sentences beside a plan, computed from its lists at once.

None is a promise of a plan that nobody has made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Plan, measures
from equipoise.cluster.brokers import IntArray
from equipoise.planning.flow.network import Infeasible
from equipoise.planning.goals import goals_before, value_of, weighs
from equipoise.planning.goals.bytes import Bytes
from equipoise.planning.goals.failover import Failover
from equipoise.planning.goals.moves import Moves
from equipoise.planning.goals.replicas import Replicas
from equipoise.planning.goals.topics import Topics
from equipoise.planning.loads.bounds import Bounds
from equipoise.planning.loads.weights import Load, copy_cost, load_of, loads_of
from equipoise.planning.networks.place import place
from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.shares import table, topic_bands
from equipoise.planning.request.laying import everything
from equipoise.wording import plural, size

UNEVEN = 0.1
"""Brokers this far off their share are worth a sentence: the tolerance of ``--balance all``."""
WEIGHED = "--balance all weighs them, too"
NAMES = {
    "disk": "disks",
    "network-in": "inbound networks",
    "network-out": "outbound networks",
    "cpu": "CPUs for what they lead",
}
"""Loads that weigh, as a sentence has them."""


def offers(problem: Problem, plan: Plan) -> tuple[str, ...]:
    """The sentences; none for a plan that only does what rules force, or of a part of a cluster."""
    request = problem.request
    if request.required_only or request.partial or plan.strategy != "flow" or not problem.movable.any():
        return ()
    told = (uneven, topics, without_topics, followers)
    return tuple(sentence for offer in told for sentence in offer(problem, plan))


def uneven(problem: Problem, plan: Plan) -> Iterator[str]:
    """How far off loads stay that nobody asked to level, and what it takes at least to level all."""
    if Replicas.name not in problem.goals or problem.stays:
        return
    all_of_them = balanced(problem)
    loads = {name: load_of(all_of_them, name) for name in all_of_them.request.mix if name in NAMES}
    off = {name: apart(load, plan) for name, load in loads.items() if name not in problem.request.mix}
    most = {name: far for name, far in off.items() if far is not None and far > UNEVEN}
    if not most:
        return
    told = ", ".join(
        f"{NAMES[name]} {'' if at else 'stay up to '}{100 * far:.0f} %{'' if at else ' off their share'}"
        for at, (name, far) in enumerate(most.items())
    )
    level = any(found.goal == Replicas.name and found.value == 0 for found in plan.certificate)
    yield f"{'replicas are level, ' if level else ''}{told}: {price(all_of_them)}"


def balanced(problem: Problem) -> Problem:
    """The same problem for ``--balance all``."""
    request = problem.request
    mix = everything(problem.cluster, request.consumption)
    return replace(problem, request=replace(request, balance=mix, tolerance=None))


def apart(load: Load, plan: Plan) -> float | None:
    """How far off its share the broker is that is farthest, of that; None where shares say nothing."""
    bears = load.share > 0
    share = load.share[bears]
    if len(share) < 2 or not (share >= 1).all():
        return None
    return float(np.abs(load.held(plan.target)[bears] / share - 1).max())


def price(problem: Problem) -> str:
    """What would level them, and copies at least where that is known; that it can be done nobody says."""
    loads, cost, bounds = loads_of(problem), copy_cost(problem), Bounds(problem)
    if cost is None or any(map(bounds.level, loads)):
        return WEIGHED
    least = max(bounds.cost(load, cost, 0) for load in loads if not load.of_leaders)
    return f"--balance all, which is all within 10 %, copies at least {size(least)}" if least else WEIGHED


def topics(problem: Problem, plan: Plan) -> Iterator[str]:
    """How many more moves at least would level every topic, where topics came after moves."""
    goals, cells = problem.goals, len(problem.cluster.topics) * problem.cluster.n_brokers
    if Topics.name not in goals or Moves.name not in goals_before(goals, Topics.name):
        return
    if cells > problem.params.offer_cells or not problem.movable.all():
        return
    row, position = np.nonzero(plan.target >= 0)
    count = table(problem, row, plan.target[row, position])
    low, high = topic_bands(problem, count, problem.eligible)
    held = count.sum(axis=0)
    if (held > high.sum(axis=0)).any() or (held < low.sum(axis=0)).any():
        return  # broker totals, which are asked for first, leave no room for topics that are all level
    over, under = np.maximum(count - high, 0).sum(axis=1), np.maximum(low - count, 0).sum(axis=1)
    moves = int(np.maximum(over, under).sum())
    if moves:
        uneven = plural(int(np.count_nonzero(over + under)), "topic is", "topics are")
        told = plural(moves, "move")
        yield f"{uneven} not level: that takes at least {told} more, with topics before moves in --goals"


def without_topics(problem: Problem, plan: Plan) -> Iterator[str]:
    """What `topics` costs where it stands before what is copied."""
    goals = problem.goals
    before = Bytes.name in goals and Topics.name in goals_before(goals, Bytes.name)
    if not before or weighs(problem) or len(plan.target) > problem.params.offer_rows:
        return
    others = tuple(goal for goal in goals if goal != Topics.name)
    try:
        least = value_of(problem, place(problem, others).lists, Bytes.name)
    except Infeasible:
        return
    more = value_of(problem, plan.target, Bytes.name) - least
    if more > 0:
        yield f"without topics in --goals, or with it behind bytes, {size(more)} less are copied"


def followers(problem: Problem, plan: Plan) -> Iterator[str]:
    """What another order of followers would bring, which copies nothing and elects nobody."""
    n, many = problem.cluster.n_brokers, len(plan.target) > problem.params.offer_rows
    if many or Failover.name in problem.goals or plan.target.shape[1] < 3:
        return
    now = measures.worst_leaders_after_one_failure(plan.target, n)
    then = measures.worst_leaders_after_one_failure(spread(plan.target, problem.movable, n), n)
    if then < now:
        yield (
            "another order of followers copies nothing, elects nobody and takes the worst survivor of a "
            f"failure from {now:,} leaders to {then:,}: add failover,reorders to --goals"
        )


def spread(lists: IntArray, movable: npt.NDArray[np.bool_], n_brokers: int) -> IntArray:
    """The lists with first followers where the loss of a leader's broker brings least, one after the other.

    Two rounds: in the second each partition chooses again, knowing what the others have chosen.
    """
    led = measures.leaders_per_broker(lists, n_brokers).tolist()
    result = lists.copy()
    pairs = np.zeros((n_brokers, n_brokers), dtype=np.int64)
    followed = lists[:, 1] >= 0
    np.add.at(pairs, (lists[followed, 0], lists[followed, 1]), 1)
    gained = pairs.tolist()
    rows = np.flatnonzero(movable & (lists[:, 2] >= 0)).tolist()
    for _ in range(2):
        for row, (leader, now, *others) in zip(rows, result[rows].tolist(), strict=True):
            mine = gained[leader]
            mine[now] -= 1
            choices = enumerate((now, *others))
            _, at = min((led[other] + mine[other], k) for k, other in choices if other >= 0)
            chosen = (now, *others)[at]
            mine[chosen] += 1
            if at:
                result[row, 1], result[row, 1 + at] = chosen, now
    return result
