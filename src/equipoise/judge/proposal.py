"""Anyone's reassignment, laid over the cluster that it is meant for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Brokers, Cluster
from equipoise.cluster.brokers import IntArray
from equipoise.judge.violations import Violation

BoolArray = npt.NDArray[np.bool_]
RowArray = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Proposal:
    """Replica lists as a tool wrote them, nothing checked; columns ``(n,)`` in the order of the file."""

    topics: tuple[str, ...]
    topic_idx: IntArray
    partition: IntArray
    replica_ids: IntArray
    """``(n, longest)`` int32 broker ids, -1 beyond the end."""


@dataclass(frozen=True, eq=False)
class Overlay:
    """What a proposal would make of a cluster."""

    cluster: Cluster
    """With the brokers that only the proposal knows."""
    target: IntArray
    """``(n_partitions, max_rf)`` int32 broker positions; may hold a broker twice."""
    known: BoolArray
    """``(n_brokers,)``: False for brokers that only the proposal knows."""
    refused: tuple[Violation, ...]
    """What could not be laid over: partitions unknown, given twice or without replicas."""


def lay_over(cluster: Cluster, proposal: Proposal) -> Overlay:
    """The assignment after the proposal; partitions that it does not name stay as they are."""
    wider, known = with_brokers_of(cluster, proposal)
    rows, refused = rows_of(wider, proposal)
    held = rows >= 0
    width = max(wider.replicas.shape[1], proposal.replica_ids.shape[1])
    target = np.full((wider.n_partitions, width), -1, dtype=np.int32)
    target[:, : wider.replicas.shape[1]] = wider.replicas
    target[rows[held]] = -1
    target[rows[held], : proposal.replica_ids.shape[1]] = wider.brokers.index_of(proposal.replica_ids[held])
    return Overlay(wider, target, known, tuple(refused))


def with_brokers_of(cluster: Cluster, proposal: Proposal) -> tuple[Cluster, BoolArray]:
    """The cluster with the brokers of the proposal, and which of them it knew itself."""
    old = cluster.brokers
    named = np.unique(proposal.replica_ids[proposal.replica_ids >= 0])
    ids = np.union1d(old.ids, named).astype(np.int32)
    known = np.isin(ids, old.ids)
    if known.all():
        return cluster, known
    at = old.index_of(ids)

    def widened(column: npt.NDArray[np.float64], fill: float = np.nan) -> npt.NDArray[np.float64]:
        return np.where(known, column[at] if len(column) else fill, fill)

    brokers = Brokers(
        ids,
        tuple(old.racks[k] if k >= 0 else None for k in at.tolist()),
        widened(old.disk_bytes),
        widened(old.bytes_in_per_s),
        widened(old.bytes_out_per_s),
        widened(np.asarray(old.weight), 1.0),
        tuple(old.down[k] if k >= 0 else None for k in at.tolist()),
        widened(old.cpu_percent),
    )
    shift = np.append(brokers.index_of(old.ids), -1).astype(np.int32)  # position -1 stays -1
    places = {name: shift[getattr(cluster, name)] for name in ("replicas", "leader", "isr")}
    return replace(cluster, brokers=brokers, **places), known


def rows_of(cluster: Cluster, proposal: Proposal) -> tuple[RowArray, list[Violation]]:
    """The cluster's row for each entry, -1 where there is none to use, and why there is none."""
    position = {topic: k for k, topic in enumerate(cluster.topics)}
    topic = np.array([position.get(name, -1) for name in proposal.topics], dtype=np.int64)
    rows = find_rows(cluster, topic[proposal.topic_idx], proposal.partition)
    found = rows >= 0
    order = np.argsort(rows, kind="stable")
    again = np.zeros(len(rows), dtype=bool)
    again[order[1:]] = rows[order[1:]] == rows[order[:-1]]
    empty = ~(proposal.replica_ids >= 0).any(axis=1)
    refused = list(refusals(proposal, found, again & found, empty & found))
    return np.where(again | empty, -1, rows), refused


def find_rows(cluster: Cluster, topic_idx: RowArray, partition: npt.NDArray[np.integer]) -> RowArray:
    """The row of each (position in ``cluster.topics``, partition number), -1 where there is none."""
    wanted = (np.asarray(topic_idx, dtype=np.int64) << 32) + partition
    have = (cluster.topic_idx.astype(np.int64) << 32) + cluster.partition
    if len(have) == 0:
        return np.full(len(wanted), -1, dtype=np.int64)
    rows = np.minimum(np.searchsorted(have, wanted), len(have) - 1)
    return np.where(have[rows] == wanted, rows, -1)


def refusals(proposal: Proposal, found: BoolArray, again: BoolArray, empty: BoolArray) -> Iterator[Violation]:
    """One violation for each entry that cannot be used."""
    for bad, rule, detail in (
        (~found, "unknown-partition", "the cluster has no such partition"),
        (again, "partition-twice", "the partition is listed more than once"),
        (empty, "no-replicas", "the replica list is empty"),
    ):
        for entry in np.flatnonzero(bad).tolist():
            name = proposal.topics[proposal.topic_idx[entry]]
            yield Violation(rule, name, int(proposal.partition[entry]), None, detail)
