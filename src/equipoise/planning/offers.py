"""What a little more would buy, and what is free: sentences beside a plan, computed from its lists at once.

None is a promise of a plan that nobody has made.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Plan, measures
from equipoise.cluster.brokers import IntArray
from equipoise.planning.loads.weights import load_of
from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.shares import table, topic_bands
from equipoise.wording import plural

UNEVEN = 0.1
"""Disks this far off their share are worth a sentence: the tolerance of ``--balance all``."""


def offers(problem: Problem, plan: Plan) -> tuple[str, ...]:
    """The sentences; none for a plan that only does what rules force, or of a part of a cluster."""
    request = problem.request
    if request.required_only or request.partial or plan.strategy != "flow" or not problem.movable.any():
        return ()
    return (*disks(problem, plan), *topics(problem, plan), *followers(problem, plan))


def disks(problem: Problem, plan: Plan) -> Iterator[str]:
    """How far disks stay off where counts alone were levelled and all sizes are known."""
    cluster = problem.cluster
    counted = problem.request.mix == ("count",) and "replicas" in problem.goals
    if not counted or problem.request.leaders_only or np.isnan(cluster.size_bytes[cluster.rf > 0]).any():
        return
    load = load_of(problem, "disk")
    share = load.share[problem.eligible]
    if len(share) < 2 or not (share >= 1).all():
        return
    off = float(np.abs(load.held(plan.target)[problem.eligible] / share - 1).max())
    if off > UNEVEN:
        told = f"disks stay up to {100 * off:.0f} % off their share"
        if any(found.goal == "replicas" and found.value == 0 for found in plan.certificate):
            yield f"replicas are level, {told}: --balance all levels both"
        else:
            yield f"{told}: --balance all weighs them, too"


def topics(problem: Problem, plan: Plan) -> Iterator[str]:
    """How many more moves at least would level every topic, where topics came after moves."""
    goals, cells = problem.goals, len(problem.cluster.topics) * problem.cluster.n_brokers
    if "topics" not in goals or "moves" not in goals or goals.index("topics") < goals.index("moves"):
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


def followers(problem: Problem, plan: Plan) -> Iterator[str]:
    """What another order of followers would bring, which copies nothing and elects nobody."""
    n, many = problem.cluster.n_brokers, len(plan.target) > problem.params.offer_rows
    if many or "failover" in problem.goals or plan.target.shape[1] < 3:
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
