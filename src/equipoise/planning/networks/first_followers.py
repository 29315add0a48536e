"""Other brokers as first followers, so that what any one broker leads is spread over the survivors.

Two flows. In the first each partition falls to a broker: to a follower that it has, or at the cost of a
move to another one; pairs (leader, first follower) have the band of `failover`, brokers as much room as
`replicas` leaves them. In the second each partition with a new first follower gives up one of its followers,
so that brokers end with the replicas that they should have. Who leads stays as it is.

That first followers are a flow, given the leaders, is due to Appier, "Kafka reassignment"; here it takes
placement along.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import (
    arrivals_by_row,
    data_moves,
    failover_leaders,
    leaders_per_broker,
    replicas_per_broker,
    replicas_per_rack,
)
from equipoise.planning.basis.distinct import distinct, distinct_rows
from equipoise.planning.flow.convex import least_flow, narrow, solve
from equipoise.planning.flow.network import Int64, Network, Objective
from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.shares import ANYTHING, failover_bands, replica_band
from equipoise.planning.rules import rack_span
from equipoise.planning.rules.interface import MANY
from equipoise.planning.rules.max_changes_per_partition import most_arrivals
from equipoise.planning.rules.max_moves import MAX_MOVES

BoolArray = npt.NDArray[np.bool_]


def spread_first_followers(problem: Problem, lists: IntArray, *, level: bool) -> IntArray:
    """The lists with the first followers that are best for ``failover``, with few moves.

    ``lists`` keep the rules and so do the new ones, ``--max-moves`` among them; ``level``: brokers hold no
    more than `replicas` allows. Raises `Infeasible`.
    """
    choices = follower_choices(problem, lists)
    if not len(choices.rows):
        return lists
    first_follower = choose_first_followers(problem, choices, level=level)
    return with_chosen(choices, first_follower, given_up(problem, choices, first_follower))


@dataclass(frozen=True, eq=False)
class FollowerChoices:
    """Partitions that may change and have a first follower."""

    lists: IntArray
    """``(n_partitions, max_rf)``: all of them."""
    rows: Int64
    """``(n_rows,)``: those with a first follower."""
    leader: Int64
    """``(n_rows,)``."""
    follower: Int64
    """``(n_rows, max_rf - 1)``, -1 padded."""
    free: BoolArray
    """Same shape: followers that may be given up."""
    spare: BoolArray
    """Same shape: of these, data moves of the plan as it is, which giving them up would save."""
    room: BoolArray
    """``(n_rows, n_racks)``: one more replica of the partition may stand in the rack."""
    receives: BoolArray
    """``(n_rows, n_racks)``: a new first follower may stand in the rack, for one of the followers."""


def follower_choices(problem: Problem, lists: IntArray) -> FollowerChoices:
    """The partitions of a problem whose first follower can be another one."""
    has = lists[:, 1] >= 0 if lists.shape[1] > 1 else np.zeros(len(lists), dtype=bool)
    rows = np.flatnonzero(problem.movable & has)
    leader, follower = lists[rows, 0].astype(np.int64), lists[rows, 1:].astype(np.int64)
    rack = np.where(follower >= 0, problem.rack_idx[np.maximum(follower, 0)], -1)
    before = problem.cluster.replicas[rows]
    free, spare = follower >= 0, np.ones(follower.shape, dtype=bool)
    for k in range(problem.current.shape[1]):
        # -2 is no broker and no padding, so a place without a pinned replica matches nothing.
        held = np.where(problem.pinned[rows, k], problem.current[rows, k], -2)
        free &= follower != held[:, None]
    for broker in before.T:
        spare &= follower != broker[:, None]
    count = replicas_per_rack(lists[rows], problem.rack_idx, problem.n_racks).astype(np.int64)
    # One more comes for one that goes, from any rack: the list does not grow, nor does its excess.
    most = np.minimum(rack_span(problem, rows, count, growth=0).most, problem.limit[rows][:, None])
    room: BoolArray = count < most
    receives: BoolArray = room & free.any(axis=1, keepdims=True)
    for k in range(free.shape[1]):
        some = np.flatnonzero(free[:, k])
        # Where a follower of the rack may be given up, another
        # one may take its place however full the rack is.
        receives[some, rack[some, k]] = True
    if (most_come := most_arrivals(problem, rows)) is not None:
        receives &= (arrivals_by_row(before, lists[rows]) < most_come)[:, None]
    return FollowerChoices(lists, rows, leader, follower, free, free & spare, room, receives)


def choose_first_followers(problem: Problem, choices: FollowerChoices, *, level: bool) -> Int64:
    """The broker that each partition falls to, ``(n_rows,)``; raises `Infeasible`.

    Nodes: 0 the sink; brokers; pairs (leader, first follower); hubs, where partitions of one leader that may
    have a new first follower in the same racks are alike; units, partitions with the same followers as well.
    """
    n = problem.cluster.n_brokers
    created = problem.cluster.rf[choices.rows] == 0
    # A partition that is created copies nothing, and one with a move to undo can copy one replica instead of
    # another: neither pays for a new first follower.
    free_of_charge = created | choices.spare.any(axis=1)
    kind, hub_of = distinct_rows(np.column_stack([choices.leader, free_of_charge, choices.receives]))
    unit, unit_of = distinct_rows(np.column_stack([hub_of, np.sort(choices.follower, axis=1)]))
    size = np.bincount(unit_of, minlength=len(unit))

    # from a hub to the pairs of its leader: who may receive, in the racks that are open to it
    # A hub does not know who of its partitions follows already where it leads to. Such a partition may be
    # counted as moved, which costs more and never less.
    racks: BoolArray = kind[:, 2:] > 0
    open_ = racks[:, problem.rack_idx] & problem.receives[None, :]
    open_[np.arange(len(kind)), kind[:, 0]] = False
    hub, target = np.nonzero(open_)
    which, column = np.nonzero(unit[:, 1:] >= 0)
    has_hub = np.asarray(open_.any(axis=1))[unit[:, 0]]
    keys, pair = distinct(
        np.concatenate([kind[hub, 0] * n + target, kind[unit[which, 0], 0] * n + unit[which, 1 + column]]),
        n * n,
    )
    led = np.bincount(choices.leader, minlength=n)
    through = np.bincount(hub_of, minlength=len(kind))
    first_pair, first_hub = 1 + n, 1 + n + len(keys)
    first_unit = first_hub + len(kind)
    enters = np.flatnonzero(has_hub)
    low, high = room_of(problem, choices, level=level)
    parts = (  # tail, head, lower, upper
        (1 + np.arange(n), np.zeros(n, dtype=np.int64), low, high),
        # All first followers of a leader are as many as it leads, so this bound holds none back.
        (first_pair + np.arange(len(keys)), 1 + keys % n, 0 * keys, led[keys // n]),
        (first_hub + hub, first_pair + pair[: len(hub)], 0 * hub, through[hub]),
        (first_unit + which, first_pair + pair[len(hub) :], 0 * which, size[which]),
        (first_unit + enters, first_hub + unit[enters, 0], 0 * enters, size[enters]),
    )
    ends = np.cumsum([len(part[0]) for part in parts])
    supply = np.zeros(first_unit + len(unit), dtype=np.int64)
    supply[0], supply[first_unit:] = -len(choices.rows), size
    tail, head, lower, upper = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    ways = tail.astype(np.int32), head.astype(np.int32)
    network = Network(supply, *ways, lower, upper, problem.params)

    pairs = np.arange(ends[0], ends[1])
    held = led_and_fixed(problem, choices).ravel()[keys]
    band_low, band_high = (edge.ravel()[keys] - held for edge in bands_of(problem, choices))
    fall = Objective.of_bands(len(tail), pairs.astype(np.int32), band_low, band_high)
    moves = np.zeros(len(tail), dtype=np.int64)
    moves[ends[3] :] = 1 - kind[unit[enters, 0], 1]
    flow = best_within(network, fall, moves, moves_left(problem, choices))

    # disaggregate: units to their rows, hubs to the rows that are left to them
    first_follower = np.full(len(choices.rows), -1, dtype=np.int64)
    direct, newly = flow[ends[2] : ends[3]], flow[ends[3] :]
    offered = np.concatenate([np.repeat(which, direct), np.repeat(enters, newly)])
    broker = np.concatenate(
        [np.repeat(unit[which, 1 + column], direct), np.full(int(newly.sum()), -1, dtype=np.int64)]
    )
    # Partitions of a unit are alike, so any of them may take any of the unit's flow; sorted by unit on both
    # sides they match place by place. The same holds of the partitions of a hub below.
    first_follower[np.argsort(unit_of, kind="stable")] = broker[np.argsort(offered, kind="stable")]
    moved = np.flatnonzero(first_follower < 0)
    taken = flow[ends[1] : ends[2]]
    first_follower[moved[np.argsort(hub_of[moved], kind="stable")]] = np.repeat(target, taken)
    return first_follower


def moves_left(problem: Problem, choices: FollowerChoices) -> int:
    """Data moves that ``--max-moves`` leaves for new first followers."""
    limit = MAX_MOVES.allowed(problem.request)
    return MANY if limit is None else limit - data_moves(problem.cluster.replicas, choices.lists)


def best_within(network: Network, fall: Objective, moves: Int64, allowed: int) -> Int64:
    """The flow that is best for first followers, and then has the fewest moves.

    Where those are more than ``allowed`` each has a price, the least that brings them down to it.
    """

    # Nothing is left to pay with, and no price is as sure as a closed arc.
    if allowed <= 0:
        network = replace(network, upper=np.where(moves > 0, 0, network.upper))
    flow = np.zeros(len(moves), dtype=np.int64)

    def priced(price: int) -> Int64:
        both = replace(fall, linear=price * moves)
        best = solve(network, both, flow)
        # At one price flows with more and with fewer moves may be equally good: of these the fewest count.
        return least_flow(narrow(network, both, best.potential), Objective.of_linear(moves), best.flow)

    def fits(flow: Int64) -> bool:
        return int((flow * moves).sum()) <= allowed

    flow = priced(0)
    if fits(flow):
        return flow
    low, high = 0, 1
    while not fits(flow := priced(high)) and high < MANY:
        low, high = high, 2 * high
    # Moves fall as the price rises (it is the multiplier of the budget), so halving finds where they fit.
    while high - low > 1:
        middle = (low + high) // 2
        tried = priced(middle)
        low, high, flow = (low, middle, tried) if fits(tried) else (middle, high, flow)
    return flow


def led_and_fixed(problem: Problem, choices: FollowerChoices) -> Int64:
    """``(n_brokers, n_brokers)``: what survivors (columns) lead, and inherit of what may not change."""
    n, lists = problem.cluster.n_brokers, choices.lists
    fixed, may_change = lists[~problem.movable], lists[problem.movable]
    return failover_leaders(fixed, n) + leaders_per_broker(may_change, n)[None, :]


def bands_of(problem: Problem, choices: FollowerChoices) -> tuple[Int64, Int64]:
    led = leaders_per_broker(choices.lists, problem.cluster.n_brokers)
    return failover_bands(problem, int(led[problem.leads].sum()))


def room_of(problem: Problem, choices: FollowerChoices, *, level: bool) -> tuple[Int64, Int64]:
    """Fewest and most first followers of each broker, ``(n_brokers,)``, that `replicas` leaves open."""
    n, n_rows = problem.cluster.n_brokers, len(choices.rows)
    least, most = np.zeros(n, dtype=np.int64), np.full(n, n_rows, dtype=np.int64)
    if not level:
        return least, most
    count = replicas_per_broker(choices.lists, n)
    low, high = replica_band(problem, choices.lists)
    # what is not a first follower: leaders, and all that may not change
    others = replicas_per_broker(choices.lists[~problem.movable], n)
    others += leaders_per_broker(choices.lists[problem.movable], n)
    later = int((choices.follower[:, 1:] >= 0).any(axis=1).sum())  # a broker holds each of them once at most
    # The lists are as level as `replicas` lets them be: who
    # is outside the band may stay there, and go no farther.
    least = np.maximum(np.minimum(count, low) - others - later, 0)
    return least, np.minimum(np.maximum(count, np.minimum(high, ANYTHING)) - others, n_rows)


def given_up(problem: Problem, choices: FollowerChoices, first_follower: Int64) -> Int64:
    """Column in ``follower`` of what each partition gives up, -1 where its first follower follows already.

    Brokers are to end in their band; among equal choices data moves of the plan as it is are undone.
    Nodes: 0 the sink; brokers; partitions with a new first follower. Raises `Infeasible`.
    """
    n = problem.cluster.n_brokers
    column = np.full(len(first_follower), -1, dtype=np.int64)
    moved = np.flatnonzero((choices.follower != first_follower[:, None]).all(axis=1))
    if not len(moved):
        return column
    rack, follower = problem.rack_idx[first_follower[moved]], choices.follower[moved]
    here = problem.rack_idx[np.maximum(follower, 0)] == rack[:, None]
    may = choices.free[moved] & (here | choices.room[moved, rack][:, None])
    item, option = np.nonzero(may)
    count = replicas_per_broker(choices.lists, n) + np.bincount(first_follower[moved], minlength=n)
    low, high = replica_band(problem, choices.lists)
    supply = np.zeros(1 + n + len(moved), dtype=np.int64)
    supply[0], supply[1 + n :] = -len(moved), 1
    tail = np.concatenate([1 + np.arange(n), 1 + n + item])
    head = np.concatenate([np.zeros(n, dtype=np.int64), 1 + follower[item, option]])
    upper = np.concatenate([np.full(n, len(moved)), np.ones(len(item), dtype=np.int64)])
    ways = tail.astype(np.int32), head.astype(np.int32)
    network = Network(supply, *ways, 0 * upper, upper, problem.params)
    # A broker that gives up x ends with count - x: that is in
    # [low, high] where x is in [count - high, count - low].
    even = Objective.of_bands(len(tail), np.arange(n, dtype=np.int32), count - high, count - low)
    best = solve(network, even)
    saved = np.zeros(len(tail), dtype=np.int64)
    saved[n:] = -choices.spare[moved[item], option].astype(np.int64)
    flow = least_flow(narrow(network, even, best.potential), Objective.of_linear(saved), best.flow)
    gone = flow[n:] > 0
    column[moved[item[gone]]] = option[gone]
    return column


def with_chosen(choices: FollowerChoices, first_follower: Int64, column: Int64) -> IntArray:
    """The lists with each first follower second, those between in their order."""
    lists = choices.lists.copy()
    new = np.flatnonzero(column >= 0)
    lists[choices.rows[new], 1 + column[new]] = first_follower[new]
    for k in range(2, lists.shape[1]):
        # A first follower that followed farther behind comes
        # to the front; a new one stands somewhere by now, too.
        some = choices.rows[lists[choices.rows, k] == first_follower]
        picked = lists[some, k].copy()
        lists[some, 2 : k + 1] = lists[some, 1:k]
        lists[some, 1] = picked
    return lists
