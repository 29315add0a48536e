"""From counts to partitions: which replica leaves a broker, and which partition takes its place.

A placement network with units of many partitions says how many replicas of a unit leave and
reach each broker. Any choice of partitions that fits is as good as the counts say. Almost every
unit is disaggregated by taking the first that fits; the others go, exactly, through a flow over their
partitions with the counts held fixed. What that cannot place is reported, to be expanded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.planning.basis.distinct import places, ranks
from equipoise.planning.flow.network import Int64
from equipoise.planning.networks.disaggregated_exactly import disaggregate_exactly, per_unit
from equipoise.planning.networks.placement import PlacementNetwork
from equipoise.planning.networks.placement_data import PlacementData
from equipoise.planning.networks.sizes import weights
from equipoise.planning.rules.max_changes_per_partition import MAX_CHANGES

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Moved:
    """Which replicas leave and which arrive, over the columns of a `PlacementData`."""

    leaving: BoolArray
    """``(n_slots,)``."""
    row: Int64
    """Of each arrival: index into ``PlacementData.rows``."""
    broker: Int64
    """Of each arrival: index into ``PlacementData.brokers``."""


def disaggregate(
    net: PlacementNetwork, flow: Int64, *, leaders_apart: bool = False
) -> tuple[Moved, Int64]:
    """The moves of a flow, and the units whose counts no choice of partitions can meet.

    ``leaders_apart``: as many leaders leave as the flow says, though a partition then gives up two replicas.
    """
    data = net.data
    n_eligible, n_units = len(data.brokers), len(net.family_of)
    leave = per_unit(net.leave, flow, n_units, n_eligible)
    arrive = per_unit(net.arrive, flow, n_units, n_eligible)
    leaving = data.slot_broker < 0
    single = np.bincount(net.unit_of, minlength=n_units) <= 1
    # Where replicas stay in their racks and lists keep their length, what leaves a rack of a unit is as many
    # as what arrives there, and any pairing without a clash will do. What crosses racks or grows ties several
    # racks of a partition together, which the first that fits would often get wrong.
    crosses = np.zeros(n_units, dtype=bool)
    for arcs in (net.excess, net.out, net.into):
        crosses[arcs.unit[flow[arcs.index] > 0]] = True
    grows = data.problem.rf[data.rows] != np.bincount(data.slot_row, minlength=len(data.rows))
    changes = np.bincount(net.unit_of, weights=grows, minlength=n_units) > 0
    exact = (crosses | changes) & ~single
    greedy = ~exact & ~single

    unit_of_slot = net.unit_of[data.slot_row]
    alone = single[unit_of_slot] & (data.slot_broker >= 0)
    leaving[alone] = leave[unit_of_slot[alone], data.slot_broker[alone]] > 0
    rows_single = np.flatnonzero(single[net.unit_of])
    unit, broker = np.nonzero(arrive[net.unit_of[rows_single]])
    pieces = [(rows_single[unit], broker)]

    wanted = leaving_groups(net, flow, leaders_apart=leaders_apart)
    wanted.need[~greedy[wanted.unit]] = 0
    left = choose_leaving(data, wanted, leaving, MAX_CHANGES.allowed(data.problem.request))
    exact[wanted.unit[left > 0]] = True
    ours = greedy & ~exact
    row, broker, unpaired = pair(net, leaving & ours[unit_of_slot], np.where(ours[:, None], arrive, 0))
    exact |= unpaired
    keep = ~exact[net.unit_of[row]]
    pieces.append((row[keep], broker[keep]))

    failed = np.zeros(0, dtype=np.int64)
    if exact.any():
        leaving[exact[unit_of_slot]] = False
        failed = disaggregate_exactly(net, flow, np.flatnonzero(exact), leaving, pieces)
    return moved(leaving, pieces), failed


def moved(leaving: BoolArray, arrivals: Sequence[tuple[Int64, Int64]]) -> Moved:
    """The moves of some arrivals, in pieces of their rows and brokers."""
    row, broker = (np.concatenate(column) for column in zip(*arrivals, strict=True))
    # `lists_after` counts the arrivals of a row, which have
    # to stand side by side; ties go by the lowest broker.
    order = np.lexsort((broker, row))
    return Moved(leaving, row[order], broker[order])


@dataclass(frozen=True, eq=False)
class Groups:
    """Replicas of a unit on a broker of which some leave, whichever; of one size or role where it counts."""

    of_slot: Int64
    """``(n_slots,)``: the group of each, -1 of none."""
    unit: Int64
    """``(n_groups,)``, as ``need``: how many leave."""
    need: Int64


def leaving_groups(net: PlacementNetwork, flow: Int64, *, leaders_apart: bool) -> Groups:
    """The groups that a network's arcs tell apart, and what leaves of them."""
    data, n_eligible, n_units = net.data, len(net.data.brokers), len(net.family_of)
    of_slot = net.unit_of[data.slot_row] * n_eligible + data.slot_broker
    of_arc = net.leave.unit * n_eligible + net.leave.broker
    size = n_units * n_eligible
    if leaders_apart:
        of_slot, of_arc = of_slot * 2 + (data.slot_position == 0), of_arc * 2 + net.leave_leaders
        size *= 2
    if net.certain_bytes is not None:
        # Once arcs are cut by size the flow says how many of each size leave, and any other choice of as many
        # would copy other bytes.
        sizes, rank = np.unique(weights(data, net.unit_of).row, return_inverse=True)
        of_slot = of_slot * len(sizes) + rank[data.slot_row]
        of_arc = of_arc * len(sizes) + np.searchsorted(sizes, net.leave_bytes)
        size *= len(sizes)
    keys, group = np.unique(of_arc, return_inverse=True)
    free = (data.slot_broker >= 0) & ~data.slot_pinned
    at = np.full(len(of_slot), -1, dtype=np.int64)
    at[free] = places(keys, of_slot[free], size)
    need = np.bincount(group, flow[net.leave.index], len(keys)).astype(np.int64)
    unit = keys // max(1, size // max(1, n_units))
    return Groups(at, unit, need)


def choose_leaving(data: PlacementData, wanted: Groups, leaving: BoolArray, limit: int | None) -> Int64:
    """Mark as many replicas of each group as leaving as it needs; returns what is left, ``(n_groups,)``.

    Followers go first, since the leadership of a partition stays where it is when one of them
    moves; among them those of partitions whose leader had better be elsewhere; and a partition
    gives up one replica before any gives up two.
    """
    left, key = wanted.need.copy(), wanted.of_slot
    usable = key >= 0
    usable[usable] = left[key[usable]] > 0
    candidate = np.flatnonzero(usable)
    # Spread the choice over the partitions: brokers of a unit start at different places in it.
    spread = (data.slot_row[candidate] * 7919 + data.slot_broker[candidate] * 104_729) % 1_000_003
    followers = np.bincount(key[candidate], data.slot_position[candidate] > 0, len(left))
    chance = left[key[candidate]] / np.maximum(followers[key[candidate]], 1)
    wish = leaders_to_give(data, candidate, chance)[data.slot_row[candidate]]
    # The order goes by group before all, and keeps to it
    # below: `ranks` counts equals that stand side by side.
    order = np.lexsort((spread, -wish, data.slot_position[candidate] == 0, key[candidate]))
    candidate = candidate[order]
    taken = np.bincount(data.slot_row[leaving], minlength=len(data.rows))
    most = max(int(data.problem.rf.max(initial=1)), int(data.problem.cluster.rf.max(initial=1)))
    for allowed in range(1, 1 + min(limit or most, most)):
        while True:
            open_ = (
                (taken[data.slot_row[candidate]] < allowed)
                & (left[key[candidate]] > 0)
                & ~leaving[candidate]
            )
            some = candidate[open_]
            if not len(some):
                break
            picked = some[ranks(key[some]) < left[key[some]]]
            _, first = np.unique(data.slot_row[picked], return_index=True)
            # A partition may be picked on two brokers at once, which would be two replicas: the first counts,
            # and the other broker asks again.
            picked = picked[np.sort(first)]
            leaving[picked] = True
            taken[data.slot_row[picked]] += 1
            np.subtract.at(left, key[picked], 1)
    return left


def leaders_to_give(data: PlacementData, candidate: Int64, chance: npt.NDArray[np.float64]) -> Int64:
    """How much each row's leader had better be elsewhere, from 0 on, ``(n_rows,)``.

    A new broker gets leaders with the replicas that it gets, so those rows should move whose leader's broker
    leads more of the topic than a share: the first by as many as it has too many, the next by one less. The
    first are those of which a follower is likely to leave: ``chance`` is that of each ``candidate`` slot.
    """
    cluster, rows = data.problem.cluster, data.rows
    topic, leader = cluster.topic_idx[rows].astype(np.int64), data.problem.current[rows, 0]
    cell, there = topic * cluster.n_brokers + leader, leader >= 0
    share = -(-np.bincount(topic, minlength=len(cluster.topics)) // len(data.brokers))
    led = np.bincount(cell[there], minlength=len(cluster.topics) * cluster.n_brokers)
    crowded = np.flatnonzero(there & (led[cell] > share[topic]))
    follows = data.slot_position[candidate] > 0
    likely = np.bincount(data.slot_row[candidate[follows]], chance[follows], len(rows))
    order = crowded[np.lexsort((likely[crowded], cell[crowded]))]
    wish = np.zeros(len(rows), dtype=np.int64)
    # The likeliest are last in their cell and so have the greatest wish; those that the share leaves there
    # have 1, still before partitions of brokers that lead no more than a share.
    wish[order] = 1 + np.maximum(ranks(cell[order]) + 1 - share[topic[order]], 0)
    return wish


def pair(
    net: PlacementNetwork, leaving: BoolArray, arrive: npt.NDArray[np.int32]
) -> tuple[Int64, Int64, BoolArray]:
    """Give each leaving replica a broker of its rack; True for units where that was not possible."""
    data, n_racks = net.data, net.data.problem.n_racks
    slot = np.flatnonzero(leaving)
    unit, broker = np.nonzero(arrive)
    times = arrive[unit, broker]
    unit, broker = np.repeat(unit, times), np.repeat(broker, times)
    # Both sides go by unit and rack. Where each rack gets as many as it gives they then match place by place.
    goal = np.lexsort((broker, data.rack[broker], unit))
    unit, broker = unit[goal], broker[goal]
    row = data.slot_row[slot]
    start = np.lexsort((row, data.slot_rack[slot], net.unit_of[row]))
    row, rack = row[start], data.slot_rack[slot][start]
    group = net.unit_of[row] * n_racks + rack
    failed = np.zeros(len(net.family_of), dtype=bool)
    if len(row) != len(broker) or np.any(group != unit * n_racks + data.rack[broker]):
        failed[net.unit_of[row]] = True
        return row[:0], broker[:0], failed

    # A broker that the partition is just leaving counts, too: to arrive there would undo the move.
    held = data.problem.current[data.rows]
    place = data.brokers[broker]

    def clashes() -> BoolArray:
        twice = np.zeros(len(row), dtype=bool)
        key = row * len(data.brokers) + broker
        order = np.argsort(key, kind="stable")
        twice[order[1:]] = key[order][1:] == key[order][:-1]
        return twice | (held[row] == place[:, None]).any(axis=1)

    bad = np.flatnonzero(clashes())
    if len(bad):
        exchange(bad, row, broker, place, group, held)
        failed[net.unit_of[row[clashes()]]] = True
    return row, broker, failed


def exchange(
    bad: Int64,
    row: Int64,
    broker: Int64,
    place: Int64,
    group: Int64,
    held: npt.NDArray[np.int32],
) -> None:
    """Swap destinations within a group until the clashing pairs fit, in place; the first swap that fits."""
    start = np.searchsorted(group, group[bad], side="left")
    stop = np.searchsorted(group, group[bad], side="right")
    coming: dict[int, list[int]] = {}

    def fits(i: int, target: int) -> bool:
        at = row[i]
        return target not in held[at] and target not in coming.get(int(at), ())

    # A partition may get replicas in several racks, so what it gets elsewhere counts as well.
    affected = np.isin(row, row[np.isin(group, group[bad])])
    for i in np.flatnonzero(affected):
        coming.setdefault(int(row[i]), []).append(int(place[i]))
    for i, low, high in zip(bad.tolist(), start.tolist(), stop.tolist(), strict=True):
        mine = coming[int(row[i])]
        mine.remove(int(place[i]))
        if fits(i, int(place[i])):
            mine.append(int(place[i]))
            continue
        # Both lists have to fit after the swap, so no clash is made
        # by mending one. What finds no fellow is left to the flow.
        for step in range(1, high - low):
            j = low + (i - low + step) % (high - low)
            if (
                place[j] == place[i]
                or row[j] == row[i]
                or not fits(i, int(place[j]))
                or not fits(j, int(place[i]))
            ):
                continue
            other = coming[int(row[j])]
            other.remove(int(place[j]))
            place[i], place[j] = place[j], place[i]
            broker[i], broker[j] = broker[j], broker[i]
            other.append(int(place[j]))
            break
        mine.append(int(place[i]))


def lists_after(data: PlacementData, moves: Moved) -> npt.NDArray[np.int32]:
    """Replica lists after the moves, ``(n_partitions, max_rf)``: an arrival takes the place of what left."""
    problem = data.problem
    width = max(problem.current.shape[1], int(problem.rf.max(initial=1)))
    room = width + int(problem.rf.max(initial=1))
    lists = np.full((len(problem.current), room), -1, dtype=np.int32)
    lists[:, : problem.current.shape[1]] = problem.current
    gone = np.flatnonzero(moves.leaving)
    lists[data.rows[data.slot_row[gone]], data.slot_position[gone]] = -1

    holes = np.bincount(data.slot_row[gone], minlength=len(data.rows))
    at = np.full((len(data.rows), int(holes.max(initial=0)) + 1), -1, dtype=np.int64)
    at[data.slot_row[gone], ranks(data.slot_row[gone])] = data.slot_position[gone]
    nth = ranks(moves.row)
    held = (problem.current[data.rows] >= 0).sum(axis=1)
    # Arrivals beyond what left go behind the list: then it grows, and the others keep their places.
    in_hole = nth < holes[moves.row]
    position = np.where(
        in_hole,
        at[moves.row, np.minimum(nth, at.shape[1] - 1)],
        held[moves.row] + nth - holes[moves.row],
    )
    lists[data.rows[moves.row], position] = data.brokers[moves.broker]
    broken = np.flatnonzero(((lists[:, :-1] < 0) & (lists[:, 1:] >= 0)).any(axis=1))
    # A stable sort by "is empty" closes the holes of lists that shrink and keeps the order of the rest.
    closed = np.argsort(lists[broken] < 0, axis=1, kind="stable")
    lists[broken] = np.take_along_axis(lists[broken], closed, axis=1)
    return lists[:, : max(1, int((lists >= 0).sum(axis=1).max(initial=1)))]
