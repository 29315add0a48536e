"""Who holds what, from all sources that say so: true lists, each partition once, contradictions named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import widened
from equipoise.errors import UnusableInput
from equipoise.files.broker_facts import everyone
from equipoise.formats.faults import Faults
from equipoise.formats.fragment import BoolArray, Fragment, ReplicaLists, Rows
from equipoise.formats.lists import report, take, without

Keys = npt.NDArray[np.int64]
"""Partitions as numbers that sort by (topic name, partition number); -1 for one of no known topic."""


class Topics:
    """Topic names, ascending."""

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(sorted(names))
        self.position = {name: k for k, name in enumerate(self.names)}

    @classmethod
    def of(cls, tables: Sequence[ReplicaLists]) -> Topics:
        """Topics of which a table has at least one row."""
        return cls({table.topics[k] for table in tables for k in np.unique(table.topic_idx).tolist()})

    def keys(self, rows: Rows) -> Keys:
        """Key of each row."""
        if not len(rows):
            return np.zeros(0, dtype=np.int64)
        positions = np.array([self.position.get(name, -1) for name in rows.topics], dtype=np.int64)
        topic = positions[rows.topic_idx]
        return np.where(topic < 0, -1, topic << 32 | rows.partition)

    def label(self, key: int) -> str:
        return f"{self.names[key >> 32]}-{key & 0xFFFFFFFF}"


@dataclass(frozen=True, eq=False)
class State:
    """Who holds what, agreed by all sources."""

    topics: Topics
    keys: Keys
    """Partitions, ascending."""
    replicas: IntArray
    """``(n, max_rf)`` int32 broker ids in preference order, -1 beyond the end."""
    leader: IntArray
    """``(n,)`` int32 broker id, -1 where none or unknown."""
    isr: IntArray
    """``(n, width)`` int32 broker ids, -1 beyond the end: in sync according to every source that tells."""
    isr_told: BoolArray
    placed: dict[Rows, npt.NDArray[np.int64]] = field(default_factory=dict)
    """Answers of `rows_of`, which are asked for again."""

    @property
    def topic_idx(self) -> IntArray:
        """Position of each partition's topic."""
        return (self.keys >> 32).astype(np.int32)

    def rows_of(self, told: Rows) -> npt.NDArray[np.int64]:
        """Row of each partition of which a source tells, -1 where no list has it."""
        if told not in self.placed:
            self.placed[told] = found(self.keys, self.topics.keys(told))
        return self.placed[told]


def found(ascending: Keys, keys: Keys) -> npt.NDArray[np.int64]:
    """Position of each of ``keys`` among the ascending ones, -1 where it is not among them."""
    if not len(ascending):
        return np.full(len(keys), -1)
    row = np.minimum(np.searchsorted(ascending, keys), len(ascending) - 1)
    return np.where(ascending[row] == keys, row, -1)


def agreed_state(fragments: Sequence[Fragment], name: str, faults: Mapping[str, Faults]) -> State:
    """The replica lists of all sources, without what is being added, each partition once."""
    told = [f for f in fragments if f.lists is not None]
    if not told:
        read = ", ".join(f"{f.source} is {f.format or 'unusable'}" for f in fragments) or "nothing was read"
        raise UnusableInput(
            f"no source says which brokers hold which partitions ({read})", source=name,
            advice="Add the output of kafka-topics --describe, or a reassignment JSON",
        )  # fmt: skip
    listed = everyone(fragments)
    tables = [known_only(f.lists, listed, faults[f.source]) for f in told if f.lists is not None]
    topics = Topics.of(tables)
    rows = rows_of(tables, fragments, topics)
    disputed = disputes(tables, rows, [faults[f.source] for f in told])
    if len(disputed):  # which list is right nobody knows, so none is taken
        tables = [take(table, ~np.isin(topics.keys(table), disputed)) for table in tables]
        topics = Topics.of(tables)
        rows = rows_of(tables, fragments, topics)
    if not any(map(len, tables)) and any(f.quarantined or faults[f.source].set_aside for f in fragments):
        raise UnusableInput("no partition is left, all were set aside", source=name)
    keys, replicas, leader = rows.keys, rows.replicas, rows.leader
    starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
    isr, isr_told = in_sync(tables, rows.number, starts)
    if len(keys):
        # A source that tells of the ISR and of no leader has seen that there is none.
        gone = tells_isr(tables)[rows.number] & (leader < 0)
        leader = np.maximum.reduceat(leader, starts)
        leader[np.logical_or.reduceat(gone, starts)] = -1
    longest = int((replicas >= 0).sum(axis=1).max(initial=1))
    return State(topics, keys[starts], replicas[starts, :longest], leader, isr, isr_told)


@dataclass(frozen=True, eq=False)
class Told:
    """The rows of all tables, ordered by key."""

    keys: Keys
    replicas: IntArray
    """True lists."""
    leader: IntArray
    number: npt.NDArray[np.int64]
    """Of each row, counted through the tables."""


def rows_of(tables: Sequence[ReplicaLists], fragments: Sequence[Fragment], topics: Topics) -> Told:
    """What all tables tell, in one."""
    width = max(table.replicas.shape[1] for table in tables)
    keys = np.concatenate([topics.keys(table) for table in tables])
    union = np.concatenate([widened(table.replicas, width) for table in tables])
    replicas = without_adding(keys, union, moves(fragments, topics))
    leader = np.concatenate([table.leader for table in tables])
    order = np.argsort(keys, kind="stable")
    return Told(keys[order], replicas[order], leader[order], order)


def disputes(tables: Sequence[ReplicaLists], rows: Told, faults: Sequence[Faults]) -> Keys:
    """Keys of which two rows differ; each such pair is reported."""
    keys, lists = rows.keys, rows.replicas
    differs = np.flatnonzero((keys[1:] == keys[:-1]) & np.any(lists[1:] != lists[:-1], axis=1)) + 1
    for at in differs.tolist():
        report_conflict(tables, faults, int(rows.number[at]), int(rows.number[at - 1]))
    return keys[differs]


def tells_isr(tables: Sequence[ReplicaLists]) -> BoolArray:
    """For each row of all tables, whether its source tells the ISR."""
    return np.concatenate([np.full(len(table), table.isr is not None) for table in tables])


def in_sync(
    tables: Sequence[ReplicaLists], order: npt.NDArray[np.int64], starts: npt.NDArray[np.int64]
) -> tuple[IntArray, BoolArray]:
    """ISR of each partition, and whether a source tells it; where several do, a broker is in all of theirs.

    ``order`` sorts the rows of all tables by partition, ``starts`` is the first of each in that order.
    """
    width = max((table.isr.shape[1] for table in tables if table.isr is not None), default=0)
    told = tells_isr(tables)[order]
    if not width:
        return np.full((len(starts), 1), -1, dtype=np.int32), np.zeros(len(starts), dtype=bool)
    lists = [np.full((len(table), 0), -1, np.int32) if table.isr is None else table.isr for table in tables]
    isr = np.concatenate([widened(each, width) for each in lists])[order]
    # Of each partition the row that is kept so far, then those of the other sources one after the other.
    kept = starts.copy()
    ends = np.append(starts[1:], len(order))
    for step in range(1, int((ends - starts).max(initial=1))):
        more = np.flatnonzero(starts + step < ends)
        row = starts[more] + step
        both = told[kept[more]] & told[row]
        here, other = kept[more][both], row[both]
        isr[here] = np.where((isr[here][:, :, None] == isr[other][:, None, :]).any(axis=2), isr[here], -1)
        kept[more] = np.where(told[kept[more]], kept[more], row)
    return isr[kept], told[kept]


def report_conflict(tables: Sequence[ReplicaLists], faults: Sequence[Faults], here: int, before: int) -> None:
    """Report that a row says other than an earlier one; rows are counted through all tables."""
    starts = np.cumsum([0, *(len(table) for table in tables)])
    one, other = (int(np.searchsorted(starts, row, side="right")) - 1 for row in (here, before))
    held = tables[other].replicas[before - starts[other]]
    reason = f"{faults[other].source} has {held[held >= 0].tolist()} for it"
    report(faults[one], tables[one], here - int(starts[one]), reason, "Keep the source that is right")


def known_only(lists: ReplicaLists, listed: tuple[str, IntArray] | None, faults: Faults) -> ReplicaLists:
    """The lists without those that name a broker that the list of all brokers lacks: these are reported."""
    if listed is None:
        return lists
    source, ids = listed
    stranger = (lists.replicas >= 0) & ~np.isin(lists.replicas, ids)
    rows = np.flatnonzero(stranger.any(axis=1))
    some = ", ".join(map(str, ids[:20].tolist())) + (", ..." if len(ids) > 20 else "")
    for row in rows.tolist():
        broker = int(lists.replicas[row][stranger[row]][0])
        report(faults, lists, row, f"a replica on unknown broker {broker}", f"{source} lists {some}")
    return take(lists, np.isin(np.arange(len(lists)), rows, invert=True)) if len(rows) else lists


@dataclass(frozen=True, eq=False)
class Moves:
    """Partitions in flight: keys ascending, and for each the ids being added and removed, -1 padded."""

    keys: Keys
    adding: IntArray
    removing: IntArray


def moves(fragments: Sequence[Fragment], topics: Topics) -> Moves:
    """What is in flight according to any source, each partition once."""
    tables = [f.in_flight for f in fragments if f.in_flight is not None]
    if not tables:
        return Moves(np.zeros(0, np.int64), np.zeros((0, 0), np.int32), np.zeros((0, 0), np.int32))
    width = max(max(table.adding.shape[1], table.removing.shape[1]) for table in tables)
    keys = np.concatenate([topics.keys(table) for table in tables])
    adding = np.concatenate([widened(table.adding, width) for table in tables])
    removing = np.concatenate([widened(table.removing, width) for table in tables])
    once, at = np.unique(keys, return_index=True)
    at = at[once >= 0]
    return Moves(keys[at], adding[at], removing[at])


def without_adding(keys: Keys, replicas: IntArray, moving: Moves) -> IntArray:
    """The true lists: of the union that Kafka shows in flight, what is not being added.

    A list is the union only where it has everything that is being added and removed; another one
    was read before the move began or after it was done, and stands as it is.
    """
    rows = np.flatnonzero(np.isin(keys, moving.keys))
    if not len(rows):
        return replicas
    at = np.searchsorted(moving.keys, keys[rows])
    union = holds(replicas[rows], moving.adding[at]) & holds(replicas[rows], moving.removing[at])
    rest = without(replicas[rows], moving.adding[at])
    replicas = replicas.copy()
    replicas[rows] = np.where((union & (rest[:, 0] >= 0))[:, None], rest, replicas[rows])
    return replicas


def holds(lists: IntArray, ids: IntArray) -> BoolArray:
    """For each row, True where its list has all of its ids."""
    each = (ids[:, :, None] == lists[:, None, :]).any(axis=2) | (ids < 0)
    return np.asarray(each.all(axis=1))
