"""The order of each replica list: who leads, who follows first, given where replicas stand."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import leaders_per_broker
from equipoise.planning.bands import band, whole_weights
from equipoise.planning.networks.flow import Int64
from equipoise.planning.networks.place import ProvedLevel
from equipoise.planning.networks.roles import Roles, choose
from equipoise.planning.problem import Problem

LEADER_GOALS = {"leaders": "nodes", "rack-leaders": "groups", "elections": "changes", "topic-leaders": "cells"}
ANYTHING = np.int64(2**40)


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
    levels = list(chosen.levels)
    follow = tuple(goal for goal in goals if goal in ("failover", "positions"))
    for goal in follow:
        reorder = (("reorders", "changes"),) if "reorders" in goals and goal == follow[-1] else ()
        for place in positions_of(goal, lists):
            roles = follower_roles(problem, lists, place) if goal == "failover" else position_roles(problem, lists, place)
            chosen = choose(roles.roles, ((goal, "nodes"), *(reorder or (("reorders", "changes"),))))
            to_front(lists, roles.rows, chosen.column + place, place)
            levels = add_levels(levels, chosen.levels, keep_cost=bool(reorder))
    return lists, levels


def positions_of(goal: str, lists: IntArray) -> range:
    return range(1, 2) if goal == "failover" else range(1, lists.shape[1] - 1)


def add_levels(levels: list[ProvedLevel], new: tuple[ProvedLevel, ...], *, keep_cost: bool) -> list[ProvedLevel]:
    return levels + [level for level in new if keep_cost or level.goal != "reorders"]


def to_front(lists: IntArray, rows: Int64, column: Int64, front: int) -> None:
    """Move the replica at ``column`` to position ``front``, in place; those between keep their order."""
    rows, column = rows[column > front], column[column > front]
    for k in np.unique(column):
        some = rows[column == k]
        picked = lists[some, k].copy()
        lists[some, front + 1 : k + 1] = lists[some, front:k]
        lists[some, front] = picked


def same_set(problem: Problem, lists: IntArray) -> npt.NDArray[np.bool_]:
    """``(n_partitions,)``: the list has the brokers it had."""
    before = problem.cluster.replicas
    width = max(before.shape[1], lists.shape[1])

    def ordered(table: IntArray) -> IntArray:
        wide = np.full((len(table), width), -1, dtype=np.int32)
        wide[:, : table.shape[1]] = table
        return np.sort(wide, axis=1)

    return (ordered(before) == ordered(lists)).all(axis=1)


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
    led = np.flatnonzero(problem.leads)
    weight = np.zeros(n, dtype=np.int64)
    weight[led] = whole_weights(problem.cluster.brokers.weight[led])
    total = int(base[led].sum()) + len(rows)
    low, high = band(total, weight)
    high[weight == 0] = ANYTHING
    low[weight == 0] = 0
    rack_weight = np.bincount(problem.rack_idx, weights=weight, minlength=problem.n_racks).astype(np.int64)
    group_low, group_high = band(total, rack_weight)
    group_high[rack_weight == 0] = ANYTHING
    fixed_rows = np.flatnonzero(fixed)
    cell = problem.cluster.topic_idx[fixed_rows].astype(np.int64) * n + problem.cluster.replicas[fixed_rows, 0]
    keys, counts = np.unique(cell, return_counts=True)
    return Roles(
        option=option,
        default=default,
        family=problem.cluster.topic_idx[rows].astype(np.int64),
        base=base,
        base_cell=dict(zip(keys.tolist(), counts.tolist(), strict=True)),
        low=low,
        high=high,
        group=problem.rack_idx.astype(np.int64),
        group_low=group_low,
        group_high=group_high,
        cell_weight=weight,
        forced=int(((default < 0) & (before >= 0)).sum()),
        reorders=same_set(problem, lists)[rows],
    )


class RowRoles:
    """Roles and the rows that their items are."""

    def __init__(self, roles: Roles, rows: Int64) -> None:
        self.roles, self.rows = roles, rows


def shared_roles(problem: Problem, lists: IntArray, rows: Int64, option: Int64, base: Int64, low: Int64, high: Int64) -> RowRoles:
    """Roles on one group of nodes without cells, where the default is what stands first."""
    untouched = (problem.cluster.replicas[rows, 0] == lists[rows, 0]) & same_set(problem, lists)[rows]
    n = len(base)
    return RowRoles(
        Roles(
            option=option,
            default=np.where(untouched | (option[:, 0] >= 0), 0, -1),
            family=np.zeros(len(rows), dtype=np.int64),
            base=base,
            base_cell={},
            low=low,
            high=high,
            group=np.zeros(n, dtype=np.int64),
            group_low=np.zeros(1, dtype=np.int64),
            group_high=np.full(1, ANYTHING),
            cell_weight=np.zeros(n, dtype=np.int64),
            forced=0,
            reorders=untouched,
        ),
        rows,
    )


def follower_roles(problem: Problem, lists: IntArray, place: int) -> RowRoles:
    """First followers as pairs (leader, follower): node ``leader * n_brokers + follower``.

    Appier, "Kafka reassignment", section on the first follower; each leader's partitions are a
    problem of their own, all solved in one network.
    """
    n = problem.cluster.n_brokers
    rows = np.flatnonzero(problem.movable & ((lists >= 0).sum(axis=1) > place))
    leader = lists[rows, 0].astype(np.int64)
    option = np.where(lists[rows, place:] >= 0, leader[:, None] * n + lists[rows, place:], -1)
    led = leaders_per_broker(lists, n)
    lonely = np.bincount(lists[(lists >= 0).sum(axis=1) == 1, 0], minlength=n)
    fixed = lists[~problem.movable]
    fixed = fixed[(fixed >= 0).sum(axis=1) > place]
    gained = np.bincount(fixed[:, 0].astype(np.int64) * n + fixed[:, place] if fixed.shape[1] > place else [], minlength=n * n)
    base = gained.astype(np.int64) + np.tile(led, n)
    weight = np.zeros(n, dtype=np.int64)
    leads = np.flatnonzero(problem.leads)
    weight[leads] = whole_weights(problem.cluster.brokers.weight[leads])
    low, high = np.zeros((n, n), dtype=np.int64), np.full((n, n), ANYTHING)
    for lost in leads:
        others = weight.copy()
        others[lost] = 0
        if others.any():
            low[lost], high[lost] = band(int(led.sum() - lonely[lost]), others)
            low[lost, others == 0], high[lost, lost] = 0, ANYTHING
    return shared_roles(problem, lists, rows, option, base, low.ravel(), high.ravel())


def position_roles(problem: Problem, lists: IntArray, place: int) -> RowRoles:
    """Who stands at one position, brokers as nodes."""
    n = problem.cluster.n_brokers
    rows = np.flatnonzero(problem.movable & ((lists >= 0).sum(axis=1) > place))
    option = lists[rows, place:].astype(np.int64)
    fixed = lists[~problem.movable, place]
    base = np.bincount(fixed[fixed >= 0], minlength=n).astype(np.int64)
    weight = np.where(problem.eligible, 1, 0).astype(np.int64)
    held = np.flatnonzero(problem.eligible)
    weight[held] = whole_weights(problem.cluster.brokers.weight[held])
    low, high = band(int(base[held].sum()) + len(rows), weight)
    high[weight == 0] = ANYTHING
    return shared_roles(problem, lists, rows, option, base, low, high)
