"""A cluster as named arrays and back, so that a plan directory holds the state it was made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import orjson

from equipoise.cluster import Brokers, Cluster
from equipoise.cluster.cluster import FIGURES
from equipoise.errors import UnusableInput

COLUMNS = ("topic_idx", "partition", "replicas", "leader", *FIGURES)
BROKER_COLUMNS = ("ids", "disk_bytes", "bytes_in_per_s", "bytes_out_per_s", "weight")
FACTS = ("name", "cluster_id", "files", "missing", "notes", "topics", "allow_empty_lists")
UNKNOWN = {"min_isr": -1, "leader": -1}


def state_arrays(cluster: Cluster) -> dict[str, np.ndarray]:
    """The columns of a cluster by name; a column that knows nothing is left out."""
    arrays = {name: getattr(cluster, name) for name in COLUMNS}
    arrays |= {f"brokers/{name}": getattr(cluster.brokers, name) for name in BROKER_COLUMNS}
    facts: dict[str, Any] = {name: getattr(cluster, name) for name in FACTS}
    facts["racks"] = cluster.brokers.racks
    arrays["facts"] = np.frombuffer(orjson.dumps(facts), dtype=np.uint8)
    return {name: narrow(array) for name, array in arrays.items() if not knows_nothing(name, array)}


def knows_nothing(name: str, array: np.ndarray) -> bool:
    """True for a column of NaN, or of -1 where that says unknown."""
    key = name.rpartition("/")[2]
    if key in UNKNOWN:
        return bool((array == UNKNOWN[key]).all())
    return array.dtype.kind == "f" and bool(np.isnan(array).all())


def narrow(array: np.ndarray) -> np.ndarray:
    """The same whole numbers in the fewest bytes; other arrays as they are."""
    if array.dtype.kind != "i" or array.size == 0:
        return array
    fits = (np.min_scalar_type(array.min()), np.min_scalar_type(array.max()), np.int8)
    return array.astype(np.result_type(*fits))


def cluster_of(arrays: Mapping[str, np.ndarray], source: str) -> Cluster:
    """The cluster of :func:`state_arrays`; raises :class:`UnusableInput` where they do not make one."""
    try:
        facts = orjson.loads(arrays["facts"].tobytes())
        n, n_brokers = len(arrays["topic_idx"]), len(arrays["brokers/ids"])
        columns: dict[str, Any] = {
            name: arrays.get(name, np.full(n, UNKNOWN.get(name, np.nan))) for name in COLUMNS
        }
        known = {name: arrays.get(f"brokers/{name}", np.full(n_brokers, np.nan)) for name in BROKER_COLUMNS}
        brokers = Brokers(racks=tuple(facts.pop("racks")), **known)
        for name in ("files", "missing", "notes", "topics"):
            facts[name] = tuple(facts[name])
        return Cluster(brokers=brokers, **columns, **facts)
    except (KeyError, TypeError, ValueError) as error:
        raise UnusableInput(f"does not hold a cluster ({error})", source=source) from None
