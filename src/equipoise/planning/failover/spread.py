"""Other brokers as first followers, so that what any one broker leads is spread over the survivors.

Two flows. In the first each partition falls to a broker: to a follower that it has, or at the cost of a
move to another one; pairs (leader, heir) have the band of `failover`, brokers as much room as `replicas`
leaves them. In the second each partition with a new heir gives up one of its followers, so that brokers
end with the replicas that they should have. Who leads stays as it is.

That first followers are a flow, given the leaders, is due to Appier, "Kafka reassignment"; here it takes
placement along.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import (
    arrivals,
    data_moves,
    failover_leaders,
    leaders_per_broker,
    replicas_per_broker,
    replicas_per_rack,
)
from equipoise.planning.goals import ANYTHING, failover_bands, replica_band
from equipoise.planning.networks.flow import least_flow, narrow, solve
from equipoise.planning.networks.network import Int64, Network, Objective
from equipoise.planning.problem import Problem
from equipoise.planning.rows import distinct, distinct_rows

BoolArray = npt.NDArray[np.bool_]
MANY = 2**31


def spread_heirs(problem: Problem, lists: IntArray, *, level: bool) -> IntArray:
    """The lists with the first followers that are best for ``failover``, with few moves.

    ``lists`` keep the rules and so do the new ones, ``--max-moves`` among them; ``level``: brokers hold no
    more than `replicas` allows. Raises `Infeasible`.
    """
    heirs = heirs_of(problem, lists)
    if not len(heirs.rows):
        return lists
    heir = chosen_heirs(problem, heirs, level=level)
    return with_heirs(heirs, heir, given_up(problem, heirs, heir))


@dataclass(frozen=True, eq=False)
class Heirs:
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
    """``(n_rows, n_racks)``: a new heir may stand in the rack, for one of the followers."""


def heirs_of(problem: Problem, lists: IntArray) -> Heirs:
    """The partitions of a problem whose first follower can be another one."""
    has = lists[:, 1] >= 0 if lists.shape[1] > 1 else np.zeros(len(lists), dtype=bool)
    rows = np.flatnonzero(problem.movable & has)
    leader, follower = lists[rows, 0].astype(np.int64), lists[rows, 1:].astype(np.int64)
    rack = np.where(follower >= 0, problem.rack_idx[np.maximum(follower, 0)], -1)
    before = problem.cluster.replicas[rows]
    free, spare = follower >= 0, np.ones(follower.shape, dtype=bool)
    for k in range(problem.current.shape[1]):
        held = np.where(problem.pinned[rows, k], problem.current[rows, k], -2)
        free &= follower != held[:, None]
    for broker in before.T:
        spare &= follower != broker[:, None]
    count = replicas_per_rack(lists[rows], problem.rack_idx, problem.n_racks)
    room: BoolArray = (count < problem.limit[rows, None]) & (not problem.request.stay_in_rack)
    receives: BoolArray = room & free.any(axis=1, keepdims=True)
    for k in range(free.shape[1]):
        some = np.flatnonzero(free[:, k])
        receives[some, rack[some, k]] = True
    if (limit := problem.request.max_changes_per_partition) is not None:
        receives &= (arrivals(before, lists[rows]).sum(axis=1) < limit)[:, None]
    return Heirs(lists, rows, leader, follower, free, free & spare, room, receives)


def chosen_heirs(problem: Problem, heirs: Heirs, *, level: bool) -> Int64:
    """The broker that each partition falls to, ``(n_rows,)``; raises `Infeasible`.

    Nodes: 0 the sink; brokers; pairs (leader, heir); hubs, where partitions of one leader that may have a
    new heir in the same racks are alike; units, which are partitions with the same followers as well.
    """
    n = problem.cluster.n_brokers
    created = problem.cluster.rf[heirs.rows] == 0
    free_of_charge = created | heirs.spare.any(axis=1)
    kind, hub_of = distinct_rows(np.column_stack([heirs.leader, free_of_charge, heirs.receives]))
    unit, unit_of = distinct_rows(np.column_stack([hub_of, np.sort(heirs.follower, axis=1)]))
    size = np.bincount(unit_of, minlength=len(unit))

    # from a hub to the pairs of its leader: who may receive, in the racks that are open to it
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
    led = np.bincount(heirs.leader, minlength=n)
    through = np.bincount(hub_of, minlength=len(kind))
    first_pair, first_hub = 1 + n, 1 + n + len(keys)
    first_unit = first_hub + len(kind)
    enters = np.flatnonzero(has_hub)
    low, high = room_of(problem, heirs, level=level)
    parts = (  # tail, head, lower, upper
        (1 + np.arange(n), np.zeros(n, dtype=np.int64), low, high),
        (first_pair + np.arange(len(keys)), 1 + keys % n, 0 * keys, led[keys // n]),
        (first_hub + hub, first_pair + pair[: len(hub)], 0 * hub, through[hub]),
        (first_unit + which, first_pair + pair[len(hub) :], 0 * which, size[which]),
        (first_unit + enters, first_hub + unit[enters, 0], 0 * enters, size[enters]),
    )
    ends = np.cumsum([len(part[0]) for part in parts])
    supply = np.zeros(first_unit + len(unit), dtype=np.int64)
    supply[0], supply[first_unit:] = -len(heirs.rows), size
    tail, head, lower, upper = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    network = Network(supply, tail.astype(np.int32), head.astype(np.int32), lower, upper)

    pairs = np.arange(ends[0], ends[1])
    held = led_and_fixed(problem, heirs).ravel()[keys]
    band_low, band_high = (edge.ravel()[keys] - held for edge in bands_of(problem, heirs))
    fall = Objective.of_bands(len(tail), pairs.astype(np.int32), band_low, band_high)
    moves = np.zeros(len(tail), dtype=np.int64)
    moves[ends[3] :] = 1 - kind[unit[enters, 0], 1]
    flow = best_within(network, fall, moves, moves_left(problem, heirs))

    # hand out: units to their rows, hubs to the rows that are left to them
    heir = np.full(len(heirs.rows), -1, dtype=np.int64)
    direct, newly = flow[ends[2] : ends[3]], flow[ends[3] :]
    offered = np.concatenate([np.repeat(which, direct), np.repeat(enters, newly)])
    broker = np.concatenate(
        [np.repeat(unit[which, 1 + column], direct), np.full(int(newly.sum()), -1, dtype=np.int64)]
    )
    heir[np.argsort(unit_of, kind="stable")] = broker[np.argsort(offered, kind="stable")]
    moved = np.flatnonzero(heir < 0)
    taken = flow[ends[1] : ends[2]]
    heir[moved[np.argsort(hub_of[moved], kind="stable")]] = np.repeat(target, taken)
    return heir


def moves_left(problem: Problem, heirs: Heirs) -> int:
    """Data moves that ``--max-moves`` leaves for new heirs."""
    limit = problem.request.max_moves
    return MANY if limit is None else limit - data_moves(problem.cluster.replicas, heirs.lists)


def best_within(network: Network, fall: Objective, moves: Int64, allowed: int) -> Int64:
    """The flow that is best for heirs, and then has the fewest moves.

    Where those are more than ``allowed`` each has a price, the least that brings them down to it.
    """

    if allowed <= 0:
        network = replace(network, upper=np.where(moves > 0, 0, network.upper))
    flow = np.zeros(len(moves), dtype=np.int64)

    def priced(price: int) -> Int64:
        both = replace(fall, linear=price * moves)
        best = solve(network, both, flow)
        return least_flow(narrow(network, both, best.potential), Objective.of_linear(moves), best.flow)

    flow = priced(0)
    low, high = 0, 1
    while int((flow * moves).sum()) > allowed and high < MANY:
        low, high = high, 2 * high
        flow = priced(high)
    while high - low > 1 and low > 0:
        middle = (low + high) // 2
        tried = priced(middle)
        fits = int((tried * moves).sum()) <= allowed
        low, high, flow = (low, middle, tried) if fits else (middle, high, flow)
    return flow


def led_and_fixed(problem: Problem, heirs: Heirs) -> Int64:
    """``(n_brokers, n_brokers)``: what survivors (columns) lead, and inherit of what may not change."""
    n, lists = problem.cluster.n_brokers, heirs.lists
    fixed, may_change = lists[~problem.movable], lists[problem.movable]
    return failover_leaders(fixed, n) + leaders_per_broker(may_change, n)[None, :]


def bands_of(problem: Problem, heirs: Heirs) -> tuple[Int64, Int64]:
    led = leaders_per_broker(heirs.lists, problem.cluster.n_brokers)
    return failover_bands(problem, int(led[problem.leads].sum()))


def room_of(problem: Problem, heirs: Heirs, *, level: bool) -> tuple[Int64, Int64]:
    """Fewest and most first followers of each broker, ``(n_brokers,)``, that `replicas` leaves open."""
    n, n_rows = problem.cluster.n_brokers, len(heirs.rows)
    least, most = np.zeros(n, dtype=np.int64), np.full(n, n_rows, dtype=np.int64)
    if not level:
        return least, most
    count = replicas_per_broker(heirs.lists, n)
    low, high = replica_band(problem, heirs.lists)
    # what is not a first follower: leaders, and all that may not change
    others = replicas_per_broker(heirs.lists[~problem.movable], n)
    others += leaders_per_broker(heirs.lists[problem.movable], n)
    later = int((heirs.follower[:, 1:] >= 0).any(axis=1).sum())  # a broker holds each of them once at most
    least = np.maximum(np.minimum(count, low) - others - later, 0)
    return least, np.minimum(np.maximum(count, np.minimum(high, ANYTHING)) - others, n_rows)


def given_up(problem: Problem, heirs: Heirs, heir: Int64) -> Int64:
    """Column in ``follower`` of what each partition gives up, -1 where its heir follows already.

    Brokers are to end in their band; among equal choices data moves of the plan as it is are undone.
    Nodes: 0 the sink; brokers; partitions with a new heir. Raises `Infeasible`.
    """
    n = problem.cluster.n_brokers
    column = np.full(len(heir), -1, dtype=np.int64)
    moved = np.flatnonzero((heirs.follower != heir[:, None]).all(axis=1))
    if not len(moved):
        return column
    rack, follower = problem.rack_idx[heir[moved]], heirs.follower[moved]
    here = problem.rack_idx[np.maximum(follower, 0)] == rack[:, None]
    may = heirs.free[moved] & (here | heirs.room[moved, rack][:, None])
    item, option = np.nonzero(may)
    count = replicas_per_broker(heirs.lists, n) + np.bincount(heir[moved], minlength=n)
    low, high = replica_band(problem, heirs.lists)
    supply = np.zeros(1 + n + len(moved), dtype=np.int64)
    supply[0], supply[1 + n :] = -len(moved), 1
    tail = np.concatenate([1 + np.arange(n), 1 + n + item])
    head = np.concatenate([np.zeros(n, dtype=np.int64), 1 + follower[item, option]])
    upper = np.concatenate([np.full(n, len(moved)), np.ones(len(item), dtype=np.int64)])
    network = Network(supply, tail.astype(np.int32), head.astype(np.int32), 0 * upper, upper)
    even = Objective.of_bands(len(tail), np.arange(n, dtype=np.int32), count - high, count - low)
    best = solve(network, even)
    saved = np.zeros(len(tail), dtype=np.int64)
    saved[n:] = -heirs.spare[moved[item], option].astype(np.int64)
    flow = least_flow(narrow(network, even, best.potential), Objective.of_linear(saved), best.flow)
    gone = flow[n:] > 0
    column[moved[item[gone]]] = option[gone]
    return column


def with_heirs(heirs: Heirs, heir: Int64, column: Int64) -> IntArray:
    """The lists with each heir second, those between in their order."""
    lists = heirs.lists.copy()
    new = np.flatnonzero(column >= 0)
    lists[heirs.rows[new], 1 + column[new]] = heir[new]
    for k in range(2, lists.shape[1]):
        some = heirs.rows[lists[heirs.rows, k] == heir]
        picked = lists[some, k].copy()
        lists[some, 2 : k + 1] = lists[some, 1:k]
        lists[some, 1] = picked
    return lists
