"""The order of each replica list: who leads, who follows first, given where replicas stand."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import leaders_per_broker
from equipoise.cluster.proofs import NetworkName
from equipoise.planning.basis.certificate import ProvedLevel
from equipoise.planning.flow.network import Int64
from equipoise.planning.goals import FOLLOWER, LEADER, ORDER, value_of
from equipoise.planning.goals.interface import Counted, FollowerGoal
from equipoise.planning.goals.reorders import Reorders
from equipoise.planning.networks.role_networks import Roles
from equipoise.planning.networks.roles import choose
from equipoise.planning.networks.topic_rounding import is_called_for
from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.shares import ANYTHING, open_band, same_set, weights


def order(problem: Problem, lists: IntArray, goals: tuple[str, ...]) -> tuple[IntArray, list[ProvedLevel]]:
    """Order the lists by the order goals among ``goals``; returns the lists and the proofs."""
    lead = leader_roles(problem, lists, goals)
    followed = any(goal in FOLLOWER for goal in goals)  # then followers decide which lists are reordered
    asked = tuple(
        (goal, ORDER[goal].counted)
        for goal in goals
        if goal in LEADER or (goal in ORDER and not followed)
    )
    chosen = choose(lead, asked)
    best, levels = with_in_front(problem, lists, chosen.column, goals)
    if followed and Reorders.name in goals and not is_called_for(lead, asked):
        # Yet a list with another leader is reordered whoever follows. Of leaders that are as good those
        # with the fewest such lists mostly serve better; now and then their followers cannot be as good.
        fewer = choose(lead, (*asked, (Reorders.name, Reorders.counted))).column
        ways = (best, levels), with_in_front(problem, lists, fewer, goals)
        ordered = [goal for goal in goals if goal in ORDER or goal in FOLLOWER]  # the rest has one value
        best, levels = min(ways, key=lambda way: [value_of(problem, way[0], goal) for goal in ordered])
    return best, [*chosen.levels, *levels]


def with_in_front(
    problem: Problem, lists: IntArray, column: Int64, goals: tuple[str, ...]
) -> tuple[IntArray, list[ProvedLevel]]:
    """The lists with the replicas at ``column``, ``(n_movable,)``, in front, and their followers in order."""
    lists = lists.copy()
    to_front(lists, np.flatnonzero(problem.movable), column, 0)
    return lists, order_followers(problem, lists, goals)


def order_followers(problem: Problem, lists: IntArray, goals: tuple[str, ...]) -> list[ProvedLevel]:
    """Order the lists behind their leaders, in place, by the goals of followers among ``goals``."""
    levels: list[ProvedLevel] = []
    for goal in (FOLLOWER[goal] for goal in goals if goal in FOLLOWER):
        # of pairs there is a node for each that brokers can make, however few partitions there are
        if goal.of_pairs and problem.cluster.n_brokers**2 > problem.params.follower_pairs:
            continue
        for place in goal.positions(problem):
            levels += follow(problem, lists, goal, place)
    return levels


def follow(problem: Problem, lists: IntArray, goal: FollowerGoal, place: int) -> list[ProvedLevel]:
    """Choose who stands at one position, in place; fewest reorders among equally good choices."""
    items = follower_roles(problem, lists, goal, place)
    levels = ((goal.name, Counted.NODES), (Reorders.name, Reorders.counted), ("changes", Counted.CHANGES))
    # The last level keeps who stands there where nothing else
    # tells, also in lists of which a change is no reorder.
    chosen = choose(items.roles, levels)
    to_front(lists, items.rows, chosen.column + place, place)
    # positions are decided one by one, which proves nothing of them together
    proved = [level for level in chosen.levels if level.goal == goal.name and goal.of_pairs]
    return [of_pairs_alone(level, problem) for level in proved]


def of_pairs_alone(level: ProvedLevel, problem: Problem) -> ProvedLevel:
    """The level with its prices of pairs alone, which prove as much: ``(n_brokers ** 2,)``."""
    n_pairs, group, first = problem.cluster.n_brokers**2, 1, 2
    # All pairs are of one group here, and only differences of prices
    # count: measured from the group they are prices of pairs.
    price = level.potential[first : first + n_pairs] - level.potential[group]
    return replace(level, network=NetworkName.FIRST_FOLLOWERS, potential=price)


def to_front(lists: IntArray, rows: Int64, column: Int64, front: int) -> None:
    """Move the replica at ``column`` to position ``front``, in place; those between keep their order."""
    rows, column = rows[column > front], column[column > front]
    for k in np.unique(column):
        some = rows[column == k]
        # The others move back by one and keep their order: who
        # follows first next to them stays as near as it can.
        picked = lists[some, k].copy()
        lists[some, front + 1 : k + 1] = lists[some, front:k]
        lists[some, front] = picked


def leader_roles(problem: Problem, lists: IntArray, goals: tuple[str, ...]) -> Roles:
    """Each movable partition led by one of its replicas; the default is its leader of today."""
    rows = np.flatnonzero(problem.movable)
    option = lists[rows].astype(np.int64)
    # Who may not lead is no option, so a leader of today that may not lead on is no default either.
    option[~problem.leads[np.maximum(option, 0)]] = -1
    before = problem.cluster.replicas[rows, 0]
    is_default = (option == before[:, None]) & (option >= 0)
    default = np.where(is_default.any(axis=1), is_default.argmax(axis=1), -1)
    n = problem.cluster.n_brokers
    fixed = ~problem.movable
    base = leaders_per_broker(problem.cluster.replicas[fixed], n)
    weight = weights(problem, problem.leads)
    total = int(base[problem.leads].sum()) + len(rows)
    low, high = open_band(total, weight, problem.request.sides("leaders"))
    rack_weight = np.bincount(problem.rack_idx, weights=weight, minlength=problem.n_racks).astype(np.int64)
    # Racks share by what their brokers weigh; a rack of which nobody leads has no share and no band.
    group_low, group_high = open_band(total, rack_weight)
    fixed_rows = np.flatnonzero(fixed)
    cell = (
        problem.cluster.topic_idx[fixed_rows].astype(np.int64) * n + problem.cluster.replicas[fixed_rows, 0]
    )
    keys, counts = np.unique(cell, return_counts=True)
    leading, led = costs_of_leading(problem, rows, option, goals)
    return Roles(
        option=option,
        default=default,
        family=problem.cluster.topic_idx[rows].astype(np.int64),
        base=base,
        base_cell=(keys, counts),
        low=low,
        high=high,
        group=problem.rack_idx.astype(np.int64),
        group_low=group_low,
        group_high=group_high,
        cell_weight=weight,
        forced=int(((default < 0) & (before >= 0)).sum()),
        reorders=same_set(problem.cluster.replicas, lists)[rows],
        params=problem.params,
        leading=leading,
        led=led,
    )


def costs_of_leading(
    problem: Problem, rows: Int64, option: Int64, goals: tuple[str, ...]
) -> tuple[Int64 | None, int]:
    """What each option costs the goal among ``goals`` that asks it, and what partitions cost that stay."""
    asks = [LEADER[goal] for goal in goals if goal in LEADER and ORDER[goal].counted is Counted.LEADING]
    if not asks:
        return None, 0
    (goal,) = asks
    cost = goal.leading(problem, np.repeat(rows, option.shape[1]), option.ravel())
    fixed = np.flatnonzero(~problem.movable)
    led = goal.leading(problem, fixed, problem.cluster.replicas[fixed, 0])
    assert cost is not None and led is not None, "it says what it costs"
    return cost.reshape(option.shape), int(led.sum())


@dataclass(frozen=True, eq=False)
class FollowerRoles:
    """Roles, and the rows that their items are."""

    roles: Roles
    rows: Int64


def follower_items(problem: Problem, lists: IntArray, place: int) -> tuple[Int64, Int64]:
    """Rows with a replica at a position, and who could stand there: those from it on, ``(n, n_later)``."""
    rows = np.flatnonzero(problem.movable & ((lists >= 0).sum(axis=1) > place))
    return rows, lists[rows, place:].astype(np.int64)


def follower_of(
    problem: Problem, lists: IntArray, rows: Int64, option: Int64, base: Int64, bands: tuple[Int64, Int64]
) -> FollowerRoles:
    """Roles without cells or groups; the default is who stands there, and changing it is a reorder."""
    n = len(base)
    kept = (problem.cluster.replicas[rows, 0] == lists[rows, 0]) & same_set(problem.cluster.replicas, lists)[
        rows
    ]
    roles = Roles(
        option=option,
        default=np.zeros(len(rows), dtype=np.int64),
        family=np.zeros(len(rows), dtype=np.int64),
        base=base,
        base_cell=(np.zeros(0, dtype=np.int64),) * 2,
        low=bands[0],
        high=bands[1],
        group=np.zeros(n, dtype=np.int64),
        group_low=np.zeros(1, dtype=np.int64),
        group_high=np.full(1, ANYTHING),
        cell_weight=np.zeros(n, dtype=np.int64),
        forced=0,
        reorders=kept,
        params=problem.params,
    )
    return FollowerRoles(roles, rows)


def follower_roles(problem: Problem, lists: IntArray, goal: FollowerGoal, place: int) -> FollowerRoles:
    """Who stands at one position, as brokers, or as pairs (leader, follower).

    A pair is the node ``leader * n_brokers + follower``. Each leader's partitions are a problem of their own;
    all are solved in one network.
    """
    rows, option = follower_items(problem, lists, place)
    if goal.of_pairs:
        leader = lists[rows, :1].astype(np.int64)
        option = np.where(option >= 0, leader * problem.cluster.n_brokers + option, -1)
    base, bands = goal.base(problem, lists, place), goal.bands(problem, lists, place)
    return follower_of(problem, lists, rows, option, base, bands)
