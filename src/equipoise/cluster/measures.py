"""Figures of an assignment, and of the difference between two.

Every function takes replica lists as ``(n_partitions, max_rf)`` int32 broker positions, -1 padded;
two lists may differ in width.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.cluster.brokers import Brokers, IntArray

CountArray = npt.NDArray[np.int64]
MOST_BYTES = 2.0**58
"""No cluster's partitions have more in all: sums of what is copied stay within 64 bits."""


def replicas_per_broker(replicas: IntArray, n_brokers: int) -> CountArray:
    """Replicas on each broker, ``(n_brokers,)`` int64."""
    return np.bincount(replicas[replicas >= 0], minlength=n_brokers).astype(np.int64)


def leaders_per_broker(replicas: IntArray, n_brokers: int) -> CountArray:
    """Preferred leaders on each broker, ``(n_brokers,)`` int64."""
    first = position(replicas, 0)
    return np.bincount(first[first >= 0], minlength=n_brokers).astype(np.int64)


def bytes_per_broker(
    replicas: IntArray, size_bytes: npt.NDArray[np.float64], n_brokers: int
) -> npt.NDArray[np.float64]:
    """Bytes on each broker, ``(n_brokers,)``; a partition of unknown size (NaN) counts 0."""
    if np.isnan(size_bytes).all():
        return np.zeros(n_brokers)
    held = replicas >= 0
    sizes = np.broadcast_to(np.nan_to_num(size_bytes)[:, None], replicas.shape)
    return np.bincount(replicas[held], weights=sizes[held], minlength=n_brokers).astype(np.float64)


def position(replicas: IntArray, k: int) -> IntArray:
    """The k-th replica of each partition, -1 where the list is shorter; ``(n_partitions,)``."""
    if k >= replicas.shape[1]:
        return np.full(len(replicas), -1, dtype=np.int32)
    return replicas[:, k]


def failover_leaders(replicas: IntArray, n_brokers: int) -> CountArray:
    """``(n_brokers, n_brokers)`` int64: leaders on broker s (column) once broker b (row) is lost.

    The first follower takes the lead of what the lost broker led; the diagonal is 0.
    """
    first, second = position(replicas, 0), position(replicas, 1)
    led = leaders_per_broker(replicas, n_brokers)
    followed = second >= 0
    gained = np.bincount(
        first[followed].astype(np.int64) * n_brokers + second[followed], minlength=n_brokers * n_brokers
    ).reshape(n_brokers, n_brokers)
    table = gained + led[None, :]
    np.fill_diagonal(table, 0)
    return table


def worst_leaders_after_one_failure(replicas: IntArray, n_brokers: int) -> int:
    """The most leaders that any survivor has after the loss of any one broker; 0 below 2 brokers."""
    if n_brokers < 2:
        return 0
    first, second = position(replicas, 0), position(replicas, 1)
    led = leaders_per_broker(replicas, n_brokers)
    pair = first.astype(np.int64) * n_brokers + second
    pairs, gained = np.unique(pair[(second >= 0) & (first != second)], return_counts=True)
    return int(max(led.max(), (gained + led[pairs % n_brokers]).max(initial=0)))


def replicas_per_rack(replicas: IntArray, rack_idx: IntArray, n_racks: int) -> IntArray:
    """``(n_partitions, n_racks)`` int32: replicas of each partition in each rack."""
    counts = np.zeros((len(replicas), n_racks), dtype=np.int32)
    flat, start = counts.ravel(), np.arange(len(replicas)) * n_racks
    for broker in replicas.T:
        held = np.flatnonzero(broker >= 0)
        # rows are distinct within one position, so plain indexing adds each once
        flat[start[held] + rack_idx[broker[held]]] += 1
    return counts


def most_in_one_rack(replicas: IntArray, rack_idx: IntArray) -> IntArray:
    """``(n_partitions,)`` int32: replicas of each partition in the rack that has most of them."""
    most = np.zeros(len(replicas), dtype=np.int32)
    racks = [np.where(broker >= 0, rack_idx[broker], -1) for broker in replicas.T]
    for rack in racks:
        together = np.add.reduce([rack == other for other in racks], dtype=np.int32)
        np.maximum(most, together, out=most, where=rack >= 0)
    return most


def widened(lists: IntArray, width: int) -> IntArray:
    """The lists with -1 columns added up to ``width``."""
    lack = width - lists.shape[1]
    return lists if lack == 0 else np.pad(lists, ((0, 0), (0, lack)), constant_values=-1)


def lengths(replicas: IntArray) -> IntArray:
    """``(n_partitions,)`` int32: replicas of each partition."""
    count = np.zeros(len(replicas), dtype=np.int32)
    for broker in replicas.T:
        count += broker >= 0
    return count


def rack_limits(
    rf: IntArray, rack_idx: IntArray, eligible: npt.NDArray[np.bool_], *, strict: bool = False
) -> IntArray:
    """The limit of a rack, ``(n_partitions,)`` int32, for partitions of ``rf`` replicas.

    ceil(rf / racks), of the racks that have an eligible broker; more only where a rack has fewer such brokers
    than that; 1 where ``strict``. ``rack_idx`` and ``eligible`` have shape ``(n_brokers,)``.
    """
    if strict:
        return np.ones_like(rf)
    sizes = np.bincount(rack_idx[eligible])
    limits = np.ones_like(rf)
    for factor in np.unique(rf[rf > 0]).tolist():
        limit = -(-factor // max(1, int((sizes > 0).sum())))
        if sizes.sum() < factor:  # no limit gives them room
            limit = factor
        while np.minimum(sizes, limit).sum() < min(factor, sizes.sum()):
            limit += 1
        limits[rf == factor] = limit
    return limits


def rack_excess(replicas: IntArray, rack_idx: IntArray, limit: IntArray) -> IntArray:
    """``(n_partitions,)``: replicas above the ``limit`` of each partition's racks, summed over racks."""
    crowded = np.flatnonzero(most_in_one_rack(replicas, rack_idx) > limit)
    counts = replicas_per_rack(replicas[crowded], rack_idx, int(rack_idx.max(initial=0)) + 1)
    excess = np.zeros(len(replicas), dtype=np.int32)
    excess[crowded] = np.maximum(counts - limit[crowded, None], 0).sum(axis=1)
    return excess


def rack_violations(
    replicas: IntArray,
    rack_idx: IntArray,
    eligible: npt.NDArray[np.bool_],
    *,
    strict: bool = False,
) -> int:
    """Partitions with more replicas in a rack than its limit (`rack_limits`)."""
    limit = rack_limits(lengths(replicas), rack_idx, eligible, strict=strict)
    return int((most_in_one_rack(replicas, rack_idx) > limit).sum())


def known_rack_violations(
    brokers: Brokers, replicas: IntArray, eligible: npt.NDArray[np.bool_], *, strict: bool = False
) -> int | None:
    """`rack_violations`, None where a replica stands on a broker of which no rack is known."""
    if not brokers.racked[replicas[replicas >= 0]].all():
        return None
    return rack_violations(replicas, brokers.rack_idx, eligible & brokers.racked, strict=strict)


def arrivals(before: IntArray, after: IntArray) -> npt.NDArray[np.bool_]:
    """Mask over ``after``: replicas on a broker that did not hold that partition (data moves).

    A partition without a list before is to be created: it has nothing to copy, so none of its are.
    """
    new = (after >= 0) & (position(before, 0) >= 0)[:, None]
    for k in range(before.shape[1]):
        new &= after != before[:, k : k + 1]
    return new


def arrivals_by_row(before: IntArray, after: IntArray) -> npt.NDArray[np.int64]:
    """Data moves of each partition, ``(n_partitions,)``."""
    return arrivals(before, after).sum(axis=1)


def whole_sizes(size_bytes: npt.NDArray[np.float64]) -> CountArray:
    """Sizes as whole bytes, ``(n_partitions,)`` int64; unknown (NaN) and absurd ones count 0."""
    sizes = np.nan_to_num(size_bytes)
    return np.rint(sizes if sizes.sum() <= MOST_BYTES else 0 * sizes).astype(np.int64)


def sizes_known(size_bytes: npt.NDArray[np.float64]) -> bool:
    """True where the size of some partition is known, and all together are not absurd."""
    return not np.isnan(size_bytes).all() and bool(np.nansum(size_bytes) <= MOST_BYTES)


def bytes_moved(before: IntArray, after: IntArray, size_bytes: npt.NDArray[np.float64]) -> int:
    """Bytes that data moves copy; a size that is not known counts 0."""
    copies = arrivals_by_row(before, after)
    some = np.flatnonzero(copies)
    return sum((copies[some] * whole_sizes(size_bytes[some])).tolist())


def data_moves(before: IntArray, after: IntArray) -> int:
    """Replicas that are on a broker which did not hold that partition before."""
    return int(arrivals(before, after).sum())


def leadership_changed(before: IntArray, after: IntArray) -> npt.NDArray[np.bool_]:
    """``(n_partitions,)``: the preferred leader differs; where there was no list before, it does not."""
    old = position(before, 0)
    return (old >= 0) & (old != position(after, 0))


def changed_rows(before: IntArray, after: IntArray) -> npt.NDArray[np.int64]:
    """Rows whose list differs in any way, ascending."""
    width = max(before.shape[1], after.shape[1])
    differs = [position(before, k) != position(after, k) for k in range(width)]
    return np.flatnonzero(np.logical_or.reduce(differs))
