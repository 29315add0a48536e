"""The order of each replica list: who leads, who follows first, given where replicas stand."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import leaders_per_broker
from equipoise.planning.goals import ANYTHING, failover_bands, open_band, same_set, weights
from equipoise.planning.networks.network import Int64
from equipoise.planning.networks.place import ProvedLevel
from equipoise.planning.networks.role_networks import Roles
from equipoise.planning.networks.roles import choose
from equipoise.planning.problem import Problem

LEADER_GOALS = {
    "leaders": "nodes",
    "rack-leaders": "groups",
    "elections": "changes",
    "topic-leaders": "cells",
}
FOLLOWER_GOALS = ("failover", "positions")


def order(problem: Problem, lists: IntArray, goals: tuple[str, ...]) -> tuple[IntArray, list[ProvedLevel]]:
    """Order the lists by the order goals among ``goals``; returns the lists and the proofs."""
    lists = lists.copy()
    lead = leader_roles(problem, lists)
    kinds = dict(LEADER_GOALS)
    if "reorders" in goals and not {"failover", "positions"} & set(goals):
        kinds["reorders"] = "reorders"
    chosen = choose(lead, tuple((goal, kinds[goal]) for goal in goals if goal in kinds))
    rows = np.flatnonzero(problem.movable)
    to_front(lists, rows, chosen.column, 0)
    return lists, [*chosen.levels, *order_followers(problem, lists, goals)]


def order_followers(problem: Problem, lists: IntArray, goals: tuple[str, ...]) -> list[ProvedLevel]:
    """Order the lists behind their leaders, in place, by the goals of followers among ``goals``."""
    levels: list[ProvedLevel] = []
    for goal in (goal for goal in goals if goal in FOLLOWER_GOALS):
        for place in follower_positions(goal, problem):
            levels += follow(problem, lists, goal, place)
    return levels


def follower_positions(goal: str, problem: Problem) -> range:
    """The positions that a goal decides: the first follower, or one after the other."""
    return range(
        1, min(2, int(problem.rf.max(initial=1))) if goal == "failover" else int(problem.rf.max(initial=1))
    )


def follow(problem: Problem, lists: IntArray, goal: str, place: int) -> list[ProvedLevel]:
    """Choose who stands at one position, in place; fewest reorders among equally good choices."""
    items = (
        follower_roles(problem, lists, place) if goal == "failover" else position_roles(problem, lists, place)
    )
    chosen = choose(items.roles, ((goal, "nodes"), ("reorders", "reorders"), ("changes", "changes")))
    to_front(lists, items.rows, chosen.column + place, place)
    # positions are decided one by one, which proves nothing of them together
    return [of_heirs(level, problem) for level in chosen.levels if level.goal == "failover"]


def of_heirs(level: ProvedLevel, problem: Problem) -> ProvedLevel:
    """The level with its prices of pairs alone, which prove as much: ``(n_brokers ** 2,)``."""
    n_pairs, group, first = problem.cluster.n_brokers**2, 1, 2
    price = level.potential[first : first + n_pairs] - level.potential[group]
    return replace(level, network="heirs", potential=price)


def to_front(lists: IntArray, rows: Int64, column: Int64, front: int) -> None:
    """Move the replica at ``column`` to position ``front``, in place; those between keep their order."""
    rows, column = rows[column > front], column[column > front]
    for k in np.unique(column):
        some = rows[column == k]
        picked = lists[some, k].copy()
        lists[some, front + 1 : k + 1] = lists[some, front:k]
        lists[some, front] = picked


def leader_roles(problem: Problem, lists: IntArray) -> Roles:
    """Each movable partition led by one of its replicas; the default is its leader of today."""
    rows = np.flatnonzero(problem.movable)
    option = lists[rows].astype(np.int64)
    option[~problem.leads[np.maximum(option, 0)]] = -1
    before = problem.cluster.replicas[rows, 0]
    is_default = (option == before[:, None]) & (option >= 0)
    default = np.where(is_default.any(axis=1), is_default.argmax(axis=1), -1)
    n = problem.cluster.n_brokers
    fixed = ~problem.movable
    base = leaders_per_broker(problem.cluster.replicas[fixed], n)
    weight = weights(problem, problem.leads)
    total = int(base[problem.leads].sum()) + len(rows)
    low, high = open_band(total, weight)
    rack_weight = np.bincount(problem.rack_idx, weights=weight, minlength=problem.n_racks).astype(np.int64)
    group_low, group_high = open_band(total, rack_weight)
    fixed_rows = np.flatnonzero(fixed)
    cell = (
        problem.cluster.topic_idx[fixed_rows].astype(np.int64) * n + problem.cluster.replicas[fixed_rows, 0]
    )
    keys, counts = np.unique(cell, return_counts=True)
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
    )


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
    )
    return FollowerRoles(roles, rows)


def follower_roles(problem: Problem, lists: IntArray, place: int) -> FollowerRoles:
    """First followers as pairs (leader, follower): node ``leader * n_brokers + follower``.

    Appier, "Kafka reassignment", section on the first follower. Each leader's partitions are a
    problem of their own; all are solved in one network.
    """
    n = problem.cluster.n_brokers
    rows, later = follower_items(problem, lists, place)
    option = np.where(later >= 0, lists[rows, :1].astype(np.int64) * n + later, -1)
    fixed = lists[~problem.movable & ((lists >= 0).sum(axis=1) > place)]
    pair = fixed[:, 0].astype(np.int64) * n + fixed[:, place] if len(fixed) else np.zeros(0, dtype=np.int64)
    led = leaders_per_broker(lists, n)
    base = np.bincount(pair, minlength=n * n).astype(np.int64) + np.tile(led, n)
    low, high = failover_bands(problem, int(led[problem.leads].sum()))
    return follower_of(problem, lists, rows, option, base, (low.ravel(), high.ravel()))


def position_roles(problem: Problem, lists: IntArray, place: int) -> FollowerRoles:
    """Who stands at one position, brokers as nodes."""
    rows, option = follower_items(problem, lists, place)
    fixed = lists[~problem.movable, place] if place < lists.shape[1] else lists[:0, 0]
    base = np.bincount(fixed[fixed >= 0], minlength=problem.cluster.n_brokers).astype(np.int64)
    bands = open_band(int(base[problem.eligible].sum()) + len(rows), weights(problem, problem.eligible))
    return follower_of(problem, lists, rows, option, base, bands)
