"""Who told what partitions bear: what was measured, what was derived, and what nobody knows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from equipoise.cluster import Cluster
from equipoise.cluster.cluster import COLUMN_OF_LOAD, LoadSource
from equipoise.cluster.rates import at_limit, inbound, outbound
from equipoise.wording import plural

UNKNOWN = "unknown"
NAMED = 3
"""Topics in one sentence."""


def derived(cluster: Cluster) -> Iterator[str]:
    """Which rates nobody measured, and which nobody can derive, a sentence each."""
    untold = np.isnan(cluster.bytes_in_per_s) & ~np.isnan(cluster.size_bytes) & (cluster.rf > 0)
    n = int((untold & ~np.isnan(inbound(cluster))).sum())
    if n:
        yield f"derived, not measured: the inbound rates of {plural(n, 'partition')} are size / retention"
    endless = np.isinf(cluster.retention_s)
    for rows, why in (
        (untold & endless, "compacted, or kept for ever"),
        (untold & ~endless & at_limit(cluster), "as large as retention.bytes lets them be"),
    ):
        topics = [cluster.topics[t] for t in np.unique(cluster.topic_idx[rows]).tolist()]
        if topics:
            more = f" and {len(topics) - NAMED:,} more" if len(topics) > NAMED else ""
            yield (
                f"unknown: the inbound rates of {plural(int(rows.sum()), 'partition')}, which size and "
                f"retention do not tell ({', '.join(topics[:NAMED])}{more}: {why})"
            )


def loads_from(cluster: Cluster, consumption: float | None = None) -> dict[str, list[LoadSource]]:
    """Where the figures of each load come from; loads of which nothing is known are left out.

    Figures of a cluster that was not read from sources are ``given``; for ``network-out`` the figures are
    what consumers read.
    """
    there = cluster.rf > 0
    found: dict[str, list[LoadSource]] = {}
    for load, name in COLUMN_OF_LOAD.items():
        column = getattr(cluster, name)
        told = [source for source in cluster.loads_from if source.load == load]
        given = int((there & ~np.isnan(column)).sum())
        if given and not told:
            told = [LoadSource(load, "given", given)]
        if load == "network-in":
            rows = there & np.isnan(column) & ~np.isnan(inbound(cluster))
            topics = plural(len(np.unique(cluster.topic_idx[rows])), "topic")
            told += [LoadSource(load, f"size / retention of {topics}", int(rows.sum()))] if rows.any() else []
        if load == "network-out":
            rows = there & np.isnan(column) & ~np.isnan(outbound(cluster, consumption))
            source = f"{consumption or 0:g} times what comes in (--consumption)"
            told += [LoadSource(load, source, int(rows.sum()))] if rows.any() else []
        left = int(there.sum()) - sum(source.partitions for source in told)
        if told:
            found[load] = [*told, *([LoadSource(load, UNKNOWN, left)] if left > 0 else [])]
    return found


def sentences(cluster: Cluster, consumption: float | None = None) -> list[str]:
    """``disk: log dirs of 5 brokers (60 partitions)``, a line for each load of which something is known."""
    return [
        f"{load}: " + "; ".join(f"{one.source} ({plural(one.partitions, 'partition')})" for one in told)
        for load, told in loads_from(cluster, consumption).items()
    ]
