"""Fragments of many sources to one cluster; what contradicts itself is named."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Cluster
from equipoise.cluster.brokers import FloatArray, IntArray
from equipoise.errors import UnusableInput
from equipoise.files.broker_facts import brokers_of, everyone, notes_on_brokers
from equipoise.formats.configs import min_isr
from equipoise.formats.faults import Faults
from equipoise.formats.fragment import BoolArray, Fragment, ReplicaLists, Rows, SetAside
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


class State:
    """Who holds what, agreed by all sources: keys ascending, and for each its list and leader."""

    def __init__(self, topics: Topics, keys: Keys, replicas: IntArray, leader: IntArray) -> None:
        self.topics, self.keys, self.replicas, self.leader = topics, keys, replicas, leader

    def rows(self, keys: Keys) -> npt.NDArray[np.int64]:
        """Row of each key, -1 where no list has it."""
        return found(self.keys, keys)


def found(ascending: Keys, keys: Keys) -> npt.NDArray[np.int64]:
    """Position of each of ``keys`` among the ascending ones, -1 where it is not among them."""
    if not len(ascending):
        return np.full(len(keys), -1)
    row = np.minimum(np.searchsorted(ascending, keys), len(ascending) - 1)
    return np.where(ascending[row] == keys, row, -1)


def merge(fragments: Sequence[Fragment], name: str, *, set_aside: list[SetAside] | None = None) -> Cluster:
    """One cluster from what its sources tell, whatever their order.

    Raises :class:`UnusableInput` where no source has replica lists, where two sources disagree, or
    where a replica is on a broker that the list of all brokers lacks. Given a list ``set_aside``,
    such partitions are left out and added to it instead.
    """
    fragments = sorted(fragments, key=lambda fragment: fragment.source)
    lenient = set_aside is not None
    faults = {f.source: Faults(f.source, lenient=lenient, set_aside=set_aside) for f in fragments}
    state = agreed_state(fragments, name, faults)
    brokers = brokers_of(fragments, state.replicas, faults)
    size, rate_in, rate_out = figures(fragments, state)
    isr = min_isr_of(fragments, state)
    topic_idx = (state.keys >> 32).astype(np.int32)
    columns = {"sizes": size, "rates": rate_in, "capacities": brokers.disk_bytes}
    missing = [] if brokers.has_racks else ["racks"]
    missing += [fact for fact, column in columns.items() if np.all(np.isnan(column))]
    if np.all(isr < 0):
        missing.append("configs")
    return Cluster(
        name=name,
        brokers=brokers,
        topics=state.topics.names,
        topic_idx=topic_idx,
        partition=(state.keys & 0xFFFFFFFF).astype(np.int32),
        replicas=brokers.index_of(state.replicas).reshape(state.replicas.shape),
        leader=brokers.index_of(state.leader),
        size_bytes=size,
        bytes_in_per_s=rate_in,
        bytes_out_per_s=rate_out,
        min_isr=isr,
        cluster_id=next((f.cluster_id for f in fragments if f.cluster_id), None),
        files=tuple(PurePath(f.source).name for f in fragments),
        missing=tuple(missing),
        notes=notes(fragments, state, topic_idx, columns),
    )


def agreed_state(fragments: Sequence[Fragment], name: str, faults: Mapping[str, Faults]) -> State:
    """The replica lists of all sources, without what is being added, each partition once."""
    parts = [(f.lists, faults[f.source]) for f in fragments if f.lists is not None]
    if not parts:
        read = ", ".join(f"{f.source} is {f.format or 'unusable'}" for f in fragments) or "nothing was read"
        raise UnusableInput(
            f"no source says which brokers hold which partitions ({read})", source=name,
            advice="Add the output of kafka-topics --describe, or a reassignment JSON",
        )  # fmt: skip
    listed = everyone(fragments)
    tables = [known_only(lists, listed, fault) for lists, fault in parts]
    topics = Topics.of(tables)
    width = max(table.replicas.shape[1] for table in tables)
    keys = np.concatenate([topics.keys(table) for table in tables])
    replicas = np.concatenate([widened(table.replicas, width) for table in tables])
    leader = np.concatenate([table.leader for table in tables])
    replicas = without_adding(keys, replicas, moves(fragments, topics))
    order = np.argsort(keys, kind="stable")
    keys, replicas, leader = keys[order], replicas[order], leader[order]
    if not len(keys) and any(f.quarantined or faults[f.source].set_aside for f in fragments):
        raise UnusableInput("no partition is left, all were set aside", source=name)
    again = np.zeros(len(keys), dtype=bool)
    again[1:] = keys[1:] == keys[:-1]
    differs = np.flatnonzero(again[1:] & np.any(replicas[1:] != replicas[:-1], axis=1)) + 1
    for at in differs.tolist():
        report_conflict(tables, [fault for _, fault in parts], int(order[at]), int(order[at - 1]))
    leaders = np.maximum.reduceat(leader, np.flatnonzero(~again)) if len(order) else leader
    longest = int((replicas >= 0).sum(axis=1).max(initial=1))
    return State(topics, keys[~again], replicas[~again, :longest], leaders)


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


def widened(lists: IntArray, width: int) -> IntArray:
    """The lists with -1 columns added up to ``width``."""
    lack = width - lists.shape[1]
    return lists if lack == 0 else np.pad(lists, ((0, 0), (0, lack)), constant_values=-1)


def figures(fragments: Sequence[Fragment], state: State) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Size, bytes in and bytes out of each partition, NaN where unknown; log dirs go before estimates."""
    size, rate_in, rate_out = (np.full(len(state.keys), np.nan) for _ in range(3))
    for table in (f.log_dirs for f in fragments if f.log_dirs is not None):
        row = state.rows(state.topics.keys(table))
        current = (row >= 0) & ~table.is_future
        current[current] = np.any(state.replicas[row[current]] == table.broker[current, None], axis=1)
        np.fmax.at(size, row[current], table.size_bytes[current])
    for told in (f.figures for f in fragments if f.figures is not None):
        row = state.rows(state.topics.keys(told))
        for column, values in (
            (size, told.size_bytes), (rate_in, told.bytes_in_per_s), (rate_out, told.bytes_out_per_s)
        ):  # fmt: skip
            new = (row >= 0) & np.isnan(column[row]) & ~np.isnan(values)
            column[row[new]] = values[new]
    return size, rate_in, rate_out


def min_isr_of(fragments: Sequence[Fragment], state: State) -> IntArray:
    """min.insync.replicas of each partition, -1 where unknown: by partition, by topic, else the default."""
    defaults = [min_isr(f.broker_configs[None]) for f in fragments if None in f.broker_configs]
    default = next((value for value in defaults if value is not None), -1)
    by_topic = np.full(len(state.topics.names), default, dtype=np.int32)
    for fragment in fragments:
        for topic, configs in fragment.topic_configs.items():
            value = min_isr(configs)
            if value is not None and topic in state.topics.position:
                by_topic[state.topics.position[topic]] = value
    result = by_topic[(state.keys >> 32).astype(np.int32)] if len(by_topic) else np.zeros(0, np.int32)
    for told in (f.figures for f in fragments if f.figures is not None):
        row = state.rows(state.topics.keys(told))
        new = (row >= 0) & ~np.isnan(told.min_isr)
        result[row[new]] = told.min_isr[new].astype(np.int32)
    return result


def notes(
    fragments: Sequence[Fragment], state: State, topic_idx: IntArray, columns: dict[str, FloatArray]
) -> tuple[str, ...]:
    """Findings worth a line in a report."""
    lines = [f"{f.source}: {note}" for f in fragments for note in f.notes]
    rf = (state.replicas >= 0).sum(axis=1)
    starts = np.searchsorted(topic_idx, np.arange(len(state.topics.names)))
    if len(starts):
        low, high = np.minimum.reduceat(rf, starts), np.maximum.reduceat(rf, starts)
        mixed = [
            f"{state.topics.names[t]} ({low[t]} to {high[t]})" for t in np.flatnonzero(low < high).tolist()
        ]
        lines += listing("topics of mixed replication factor", mixed)
    moving = moves(fragments, state.topics).keys
    lines += listing("reassignments in flight", [state.topics.label(key) for key in moving.tolist()])
    for fact in ("sizes", "rates"):
        lack = int(np.isnan(columns[fact]).sum())
        if 0 < lack < len(state.keys):
            lines.append(f"{fact} of {lack} of {len(state.keys)} partitions are unknown")
    return (*lines, *notes_on_brokers(fragments, state.replicas))


def listing(what: str, members: list[str], shown: int = 10) -> list[str]:
    """At most one line: how many there are, and the first few."""
    if not members:
        return []
    more = f" and {len(members) - shown} more" if len(members) > shown else ""
    return [f"{len(members)} {what}: {', '.join(members[:shown])}{more}"]
