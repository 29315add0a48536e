"""The figures of one assignment that people compare before and after."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Cluster, measures
from equipoise.cluster.brokers import IntArray

RowArray = npt.NDArray[np.int64]


def levels(
    cluster: Cluster, replicas: IntArray, eligible: npt.NDArray[np.bool_], *, strict_racks: bool = False
) -> dict[str, Any]:
    """Plain JSON data; what is per broker has the broker's id, as text, for a key.

    ``replicas`` is ``(n_partitions, max_rf)`` int32 broker positions, ``eligible`` ``(n_brokers,)``:
    the racks that count have such a broker. Unknown sizes count 0.
    """
    n_brokers = cluster.n_brokers
    ids = [str(i) for i in cluster.brokers.ids.tolist()]

    def per_broker(counts: np.ndarray) -> dict[str, int]:
        return dict(zip(ids, counts.round().astype(np.int64).tolist(), strict=True))

    return {
        "replicas_per_broker": per_broker(measures.replicas_per_broker(replicas, n_brokers)),
        "leaders_per_broker": per_broker(measures.leaders_per_broker(replicas, n_brokers)),
        "bytes_per_broker": per_broker(measures.bytes_per_broker(replicas, cluster.size_bytes, n_brokers)),
        "worst_leaders_after_one_failure": measures.worst_leaders_after_one_failure(replicas, n_brokers),
        "rack_violations": rack_violations(cluster, replicas, eligible, strict_racks=strict_racks),
    }


def rack_violations(
    cluster: Cluster, replicas: IntArray, eligible: npt.NDArray[np.bool_], *, strict_racks: bool
) -> int:
    """Partitions with more replicas in a rack than the rule allows; none where no rack is known."""
    brokers = cluster.brokers
    if not brokers.has_racks:
        return 0
    return measures.rack_violations(replicas, brokers.rack_idx, eligible, strict=strict_racks)


def costs(cluster: Cluster, target: IntArray) -> dict[str, int]:
    """Data moves, their bytes (unknown sizes count 0), leadership changes and partitions changed."""
    rows = measures.changed_rows(cluster.replicas, target)
    before, after = cluster.replicas[rows], target[rows]
    return {
        "data_moves": measures.data_moves(before, after),
        "bytes_moved": int(bytes_copied(cluster, target, rows).sum()),
        "leadership_changes": int(measures.leadership_changed(before, after).sum()),
        "partitions_changed": len(rows),
    }


def bytes_copied(cluster: Cluster, target: IntArray, rows: RowArray) -> RowArray:
    """Bytes that each of these rows has to copy, int64."""
    sizes: RowArray = np.nan_to_num(cluster.size_bytes[rows]).round().astype(np.int64)
    copies: RowArray = measures.arrivals(cluster.replicas[rows], target[rows]).sum(axis=1)
    return sizes * copies
