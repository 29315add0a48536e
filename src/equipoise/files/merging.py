"""Fragments of many sources to one cluster; what contradicts itself is named."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

import numpy as np

from equipoise.cluster import Cluster
from equipoise.cluster.brokers import FloatArray, IntArray
from equipoise.files.agreement import State, agreed_state, moves
from equipoise.files.alive import down
from equipoise.files.broker_facts import brokers_of
from equipoise.files.lacks import lacks_of
from equipoise.files.loads_told import loads_told
from equipoise.files.log_dirs import log_dirs_of
from equipoise.formats.configs import min_isr, retention_bytes, retention_s
from equipoise.formats.faults import Faults
from equipoise.formats.fragment import Fragment, SetAside
from equipoise.wording import plural


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
    gone = down(fragments, state, brokers.ids.tolist())
    brokers = replace(brokers, down=tuple(gone.get(broker) for broker in brokers.ids.tolist()))
    told = loads_told(fragments, state)
    if set_aside is not None:
        set_aside += told.set_aside
    isr = min_isr_of(fragments, state)
    size, rate_in = told.columns["size_bytes"], told.columns["bytes_in_per_s"]
    columns = {"sizes": size, "rates": rate_in, "capacities": brokers.disk_bytes}
    missing = [] if brokers.has_racks else ["racks"]
    missing += [fact for fact, column in columns.items() if np.all(np.isnan(column))]
    if np.all(isr < 0):
        missing.append("configs")
    return Cluster(
        name=name,
        brokers=brokers,
        topics=state.topics.names,
        topic_idx=state.topic_idx,
        partition=(state.keys & 0xFFFFFFFF).astype(np.int32),
        replicas=brokers.index_of(state.replicas).reshape(state.replicas.shape),
        leader=brokers.index_of(state.leader),
        size_bytes=size,
        bytes_in_per_s=rate_in,
        bytes_out_per_s=told.columns["bytes_out_per_s"],
        cpu_percent=told.columns["cpu_percent"],
        min_isr=isr,
        retention_s=configured(fragments, state, retention_s),
        retention_bytes=configured(fragments, state, retention_bytes),
        isr=brokers.index_of(state.isr).reshape(state.isr.shape),
        isr_told=state.isr_told,
        dirs=log_dirs_of(fragments, state),
        cluster_id=next((f.cluster_id for f in fragments if f.cluster_id), None),
        files=tuple(PurePath(f.source).name for f in fragments),
        missing=tuple(missing),
        notes=notes(fragments, state, columns),
        loads_from=told.sources,
        doubts=told.doubts,
        lacks=lacks_of(fragments, state),
    )


def min_isr_of(fragments: Sequence[Fragment], state: State) -> IntArray:
    """min.insync.replicas of each partition, -1 where unknown: by partition, else as configured."""
    result = np.nan_to_num(configured(fragments, state, min_isr), nan=-1).astype(np.int32)
    for told in (f.figures for f in fragments if f.figures is not None):
        row = state.rows_of(told)
        new = (row >= 0) & ~np.isnan(told.min_isr)
        result[row[new]] = told.min_isr[new].astype(np.int32)
    return result


def configured(
    fragments: Sequence[Fragment], state: State, told: Callable[[Mapping[str, str]], float | None]
) -> FloatArray:
    """What ``told`` reads in the configs of each partition's topic over the brokers' default; or NaN."""
    defaults: dict[str, str] = {}
    for fragment in fragments:
        defaults = {**fragment.broker_configs.get(None, {}), **defaults}
    default = told(defaults)
    by_topic = np.full(len(state.topics.names), np.nan if default is None else default)
    for topic in {topic for fragment in fragments for topic in fragment.topic_configs}:
        own = [f.topic_configs[topic] for f in fragments if topic in f.topic_configs]
        value = told({name: text for configs in (defaults, *own) for name, text in configs.items()})
        if value is not None and topic in state.topics.position:
            by_topic[state.topics.position[topic]] = value
    return by_topic[state.topic_idx]


def notes(
    fragments: Sequence[Fragment], state: State, columns: Mapping[str, FloatArray]
) -> tuple[str, ...]:
    """Findings worth a line in a report; sources are called by their file name alone."""
    lines = [f"{PurePath(f.source).name}: {note}" for f in fragments for note in f.notes]
    lines += listing("topic", "of mixed replication factor", mixed_topics(state))
    moving = moves(fragments, state.topics).keys
    lines += listing("reassignment", "in flight", [state.topics.label(key) for key in moving.tolist()])
    for fact in ("sizes", "rates"):
        lack = int(np.isnan(columns[fact]).sum())
        if 0 < lack < len(state.keys):
            lines.append(f"{fact} of {lack} of {len(state.keys)} partitions are unknown")
    return tuple(lines)


def mixed_topics(state: State) -> list[str]:
    """Topics whose partitions differ in replication factor, with the least and the greatest."""
    if not len(state.keys):
        return []
    rf = (state.replicas >= 0).sum(axis=1)
    starts = np.searchsorted(state.topic_idx, np.arange(len(state.topics.names)))
    low, high = np.minimum.reduceat(rf, starts), np.maximum.reduceat(rf, starts)
    return [f"{state.topics.names[t]} ({low[t]} to {high[t]})" for t in np.flatnonzero(low < high).tolist()]


def listing(noun: str, what: str, members: list[str], shown: int = 10) -> list[str]:
    """At most one line: how many there are, and the first few."""
    if not members:
        return []
    more = f" and {len(members) - shown} more" if len(members) > shown else ""
    return [f"{plural(len(members), noun)} {what}: {', '.join(members[:shown])}{more}"]
