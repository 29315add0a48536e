"""Replica lists from whatever a format has read, checked as every format must check them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from equipoise.cluster.brokers import IntArray
from equipoise.formats.faults import Faults, shown
from equipoise.formats.fragment import BoolArray, ReplicaLists

TOPIC_NAME = re.compile(r"[a-zA-Z0-9._-]{1,249}")
"""What Kafka accepts as a topic name."""
MOST_REPLICAS = 1000
"""A longer list is a broken file, and would make the padded table huge."""


class IdLists(NamedTuple):
    """Lists of ids that stand one after the other."""

    ids: npt.NDArray[Any]
    lengths: npt.NDArray[np.int64]

    @classmethod
    def of(cls, lists: Sequence[Sequence[int]]) -> IdLists:
        lengths = np.fromiter(map(len, lists), np.int64, len(lists))
        return cls(np.array([i for ids in lists for i in ids], dtype=np.int32), lengths)


def replica_lists(
    faults: Faults,
    topics: Sequence[str],
    topic_idx: IntArray,
    partition: npt.NDArray[Any],
    broker_ids: npt.NDArray[Any],
    lengths: npt.NDArray[Any],
    *,
    place_form: str,
    place: npt.NDArray[Any] | None = None,
    leader: npt.NDArray[Any] | None = None,
    isr: IdLists | None = None,
    dirs: tuple[str, ...] = (),
    dir_idx: IntArray | None = None,
    as_written: bool = False,
) -> ReplicaLists:
    """Lists from ids that stand one after the other, ``lengths`` of them for each partition.

    Reports an impossible topic name, a list that is empty, too long or has a broker twice, and a
    partition that is given twice (the second one); in lenient mode these rows are left out. With
    ``as_written`` nothing is reported and everything kept, for a judge to say what is wrong.
    """
    n = len(partition)
    place = np.arange(n) if place is None else place
    lengths = np.asarray(lengths, dtype=np.int64)
    if as_written and lengths.max(initial=0) > MOST_REPLICAS:
        raise faults.fatal(f"a list of more than {MOST_REPLICAS} replicas")
    width = int(np.minimum(lengths, MOST_REPLICAS + 1).max(initial=1))
    lists = ReplicaLists(
        topics=tuple(topics),
        topic_idx=np.asarray(topic_idx, dtype=np.int32),
        partition=np.asarray(partition, dtype=np.int32),
        replicas=padded(broker_ids, lengths, width),
        leader=np.full(n, -1, dtype=np.int32) if leader is None else np.asarray(leader, dtype=np.int32),
        place=np.asarray(place, dtype=np.int32),
        place_form=place_form,
        isr=None if isr is None else padded(isr.ids, isr.lengths, int(isr.lengths.max(initial=1))),
        dirs=dirs,
        dir_idx=None if dir_idx is None else padded(dir_idx, lengths, width),
    )
    return lists if as_written else without_repeats(without_faults(lists, lengths, faults), faults)


def without_faults(lists: ReplicaLists, lengths: npt.NDArray[np.int64], faults: Faults) -> ReplicaLists:
    """The lists that are well on their own; the others are reported, each once."""
    bad = np.zeros(len(lists), dtype=bool)
    for rows, reason in faults_of(lists, lengths):
        for row in rows[~bad[rows]].tolist():
            report(faults, lists, row, reason(row))
        bad[rows] = True
    return take(lists, ~bad) if bad.any() else lists


def faults_of(
    lists: ReplicaLists, lengths: npt.NDArray[np.int64]
) -> Iterator[tuple[npt.NDArray[np.int64], Callable[[int], str]]]:
    """``(rows, reason of a row)`` of each thing that may be wrong with a row on its own."""
    odd = np.array([not TOPIC_NAME.fullmatch(name) for name in lists.topics], dtype=bool)
    if odd.any():
        rows = np.flatnonzero(odd[lists.topic_idx])
        yield rows, lambda row: f"{shown(lists.topics[lists.topic_idx[row]])} is not a topic name"
    yield np.flatnonzero(lengths == 0), lambda row: "the replica list is empty"
    yield np.flatnonzero(lengths > MOST_REPLICAS), lambda row: f"more than {MOST_REPLICAS} replicas"
    twice = np.flatnonzero(has_repeat(lists.replicas))
    yield twice, lambda row: f"broker {repeated(lists.replicas[row])} is twice in the list"
    # Kafka leads and follows from the list alone: what says otherwise was not printed by it, or is cut.
    leader = lists.leader[:, None]
    yield np.flatnonzero(stranger(leader, lists.replicas) >= 0), lambda row: (
        f"leader {lists.leader[row]} is not in the list"
    )
    if (isr := lists.isr) is not None:
        twice, other = np.flatnonzero(has_repeat(isr)), stranger(isr, lists.replicas)
        yield twice, lambda row: f"broker {repeated(isr[row])} is twice in the Isr"
        yield np.flatnonzero(other >= 0), lambda row: f"broker {other[row]} of the Isr is not in the list"


def has_repeat(ids: IntArray) -> BoolArray:
    """True for a row of ``(n, width)`` that has a broker twice."""
    ordered = np.sort(ids, axis=1)
    repeats: BoolArray = np.any((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0), axis=1)
    return repeats


def stranger(ids: IntArray, replicas: IntArray) -> IntArray:
    """``(n,)``: the first of each row's ids that its list does not have, -1 where it has all of them."""
    found = np.full(len(ids), -1, dtype=np.int32)
    for at, column in reversed([*enumerate(ids.T)]):
        same = replicas[:, min(at, replicas.shape[1] - 1)]  # where nearly every id stands
        rows = np.flatnonzero((column >= 0) & (column != same))
        lacks = rows[~np.any(replicas[rows] == column[rows, None], axis=1)]
        found[lacks] = column[lacks]
    return found


def report(faults: Faults, lists: ReplicaLists, row: int, reason: str, advice: str = "") -> None:
    """Report a row with its label and list as the value."""
    ids = [int(i) for i in lists.replicas[row] if i >= 0]
    number = int(lists.place[row]) if lists.place_form.startswith("line") else None
    text = f"{lists.label(row)} {ids}"
    faults.report(f"{text}: {reason}", place=lists.where(row), line=number, text=text, advice=advice)


def without_repeats(lists: ReplicaLists, faults: Faults) -> ReplicaLists:
    """The lists with every partition once; a second one is reported, and if it differs neither is taken."""
    key = lists.topic_idx.astype(np.int64) << 32 | lists.partition
    if np.all(np.diff(key) > 0):
        return lists
    order = np.lexsort((lists.place, key))
    later = np.flatnonzero(key[order][1:] == key[order][:-1]) + 1
    again = np.zeros(len(key), dtype=bool)
    again[order[later]] = True
    for at in later.tolist():
        row, before = int(order[at]), int(order[at - 1])
        reason = f"the partition is given twice, before at {lists.where(before)}"
        if (lists.replicas[row] != lists.replicas[before]).any():
            again |= key == key[row]
            reason += " with another list"
        report(faults, lists, row, reason, "Keep one of the two")
    return take(lists, ~again)


def padded(values: npt.NDArray[Any], lengths: npt.NDArray[np.int64], width: int) -> IntArray:
    """``(n, width)`` int32: row k holds its ``lengths[k]`` values, cut at ``width``, -1 beyond the end."""
    table = np.full((len(lengths), width), -1, dtype=np.int32)
    if len(values) == table.size and np.all(lengths == width):
        return np.asarray(values, dtype=np.int32).reshape(table.shape)
    start = np.cumsum(lengths) - lengths
    for column in range(width):
        has = np.flatnonzero(lengths > column)
        table[has, column] = values[start[has] + column]
    return table


def take(lists: ReplicaLists, keep: BoolArray) -> ReplicaLists:
    """The chosen rows."""
    return ReplicaLists(
        topics=lists.topics,
        topic_idx=lists.topic_idx[keep],
        partition=lists.partition[keep],
        replicas=lists.replicas[keep],
        leader=lists.leader[keep],
        place=lists.place[keep],
        place_form=lists.place_form,
        isr=None if lists.isr is None else lists.isr[keep],
        dirs=lists.dirs,
        dir_idx=None if lists.dir_idx is None else lists.dir_idx[keep],
    )


def without(replicas: IntArray, removed: IntArray) -> IntArray:
    """Each list of ids without the ids in the same row of ``removed``, closed up, order kept."""
    gone = np.zeros(replicas.shape, dtype=bool)
    for column in range(removed.shape[1]):
        gone |= (replicas == removed[:, column, None]) & (replicas >= 0)
    left = np.where(gone, -1, replicas)
    order = np.argsort(left < 0, axis=1, kind="stable")
    return np.take_along_axis(left, order, axis=1)


def repeated(ids: IntArray) -> int:
    """The first id that a list has twice."""
    held: list[int] = ids[ids >= 0].tolist()
    return next(i for k, i in enumerate(held) if i in held[:k])
