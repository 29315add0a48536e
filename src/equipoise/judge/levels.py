"""The figures of one assignment that people compare before and after."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Cluster, measures
from equipoise.cluster.brokers import FloatArray, IntArray

RowArray = npt.NDArray[np.int64]


def levels(
    cluster: Cluster, replicas: IntArray, eligible: npt.NDArray[np.bool_], *, strict_racks: bool = False
) -> dict[str, Any]:
    """Plain JSON data; what is per broker has the broker's id, as text, for a key.

    ``replicas`` is ``(n_partitions, max_rf)`` int32 broker positions, ``eligible`` ``(n_brokers,)``:
    the racks that count have such a broker. Where no size is known there are no bytes, None; of some the
    unknown ones count 0. ``rack_violations`` is None where the rack of a replica is not known.
    """
    n_brokers = cluster.n_brokers
    ids = [str(i) for i in cluster.brokers.ids.tolist()]

    def per_broker(counts: np.ndarray) -> dict[str, int]:
        return dict(zip(ids, counts.round().astype(np.int64).tolist(), strict=True))

    stored = measures.bytes_per_broker(replicas, cluster.size_bytes, n_brokers)
    sizes_known = bool(np.isfinite(cluster.size_bytes).any())

    return {
        "replicas_per_broker": per_broker(measures.replicas_per_broker(replicas, n_brokers)),
        "leaders_per_broker": per_broker(measures.leaders_per_broker(replicas, n_brokers)),
        "bytes_per_broker": per_broker(stored) if sizes_known else dict.fromkeys(ids),
        "worst_leaders_after_one_failure": measures.worst_leaders_after_one_failure(replicas, n_brokers),
        "rack_violations": measures.known_rack_violations(
            cluster.brokers, replicas, eligible, strict=strict_racks
        ),
    }


def costs(cluster: Cluster, target: IntArray) -> dict[str, Any]:
    """Data moves, their bytes, leadership changes and partitions changed.

    Bytes are None where nothing is known of what is copied; of some sizes the unknown ones count 0.
    """
    rows = measures.changed_rows(cluster.replicas, target)
    before, after = cluster.replicas[rows], target[rows]
    copied = bytes_copied(cluster, target, rows)
    total = int(np.nan_to_num(copied).astype(np.int64).sum())
    return {
        "data_moves": measures.data_moves(before, after),
        "bytes_moved": None if np.isnan(copied).any() and not total else total,
        "leadership_changes": int(measures.leadership_changed(before, after).sum()),
        "partitions_changed": len(rows),
    }


def bytes_copied(cluster: Cluster, target: IntArray, rows: RowArray) -> FloatArray:
    """Bytes that each of these rows has to copy, NaN where something is copied and its size not known."""
    copies = measures.arrivals_by_row(cluster.replicas[rows], target[rows])
    return np.where(copies > 0, cluster.size_bytes[rows].round() * copies, 0.0)
