"""The state of a cluster once a reassignment has been carried out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equipoise.cluster import Cluster
from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import arrivals
from equipoise.files.agreement import Topics, found, widened
from equipoise.formats.faults import FormatError
from equipoise.formats.fragment import BoolArray, Fragment, ReplicaLists


def overlay(cluster: Cluster, assignment: Fragment) -> Cluster:
    """The cluster with the lists of ``assignment``; preferred leaders lead the partitions it names.

    Raises :class:`FormatError` for a partition or a broker that the cluster does not have.
    """
    lists = assignment.lists
    if lists is None or not len(lists):
        return cluster
    row = rows_of(cluster, lists)
    positions = cluster.brokers.index_of(lists.replicas)
    strange = ((positions < 0) & (lists.replicas >= 0)).any(axis=1)
    for at in np.flatnonzero((row < 0) | strange)[:1].tolist():
        what = "the cluster has no such partition" if row[at] < 0 else "the cluster lacks one of its brokers"
        ids = [int(i) for i in lists.replicas[at] if i >= 0]
        text = f"{lists.label(at)} {ids}: {what}"
        raise FormatError(text, source=assignment.source, place=lists.where(at))
    width = max(cluster.replicas.shape[1], positions.shape[1])
    replicas, leader = widened(cluster.replicas, width).copy(), cluster.leader.copy()
    replicas[row] = widened(positions, width)
    leader[row] = positions[:, 0]
    longest = int((replicas >= 0).sum(axis=1).max(initial=1))
    return replace(cluster, replicas=replicas[:, :longest], leader=leader, isr=in_sync(cluster, replicas))


def in_sync(cluster: Cluster, replicas: IntArray) -> IntArray:
    """ISR of the lists: of those that came every one is in sync, the others are as they were."""
    isr = np.where(arrivals(cluster.replicas, replicas) | among(replicas, cluster.isr), replicas, -1)
    return np.where(cluster.isr_told[:, None], isr, -1).astype(np.int32)


def among(lists: IntArray, others: IntArray) -> BoolArray:
    """Mask over ``lists``: what stands in the same row of ``others``."""
    return np.logical_or.reduce([lists == column[:, None] for column in others.T]) & (lists >= 0)


def rows_of(cluster: Cluster, lists: ReplicaLists) -> np.ndarray:
    """Row of each list in the cluster, -1 where it has no such partition."""
    keys = cluster.topic_idx.astype(np.int64) << 32 | cluster.partition
    return found(keys, Topics(cluster.topics).keys(lists))
