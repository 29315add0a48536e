"""A cluster as named arrays and back, so that a plan directory holds the state it was made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import orjson

from equipoise.cluster import Brokers, Cluster
from equipoise.cluster.brokers import CAPACITIES
from equipoise.cluster.cluster import FIGURES, IN_SYNC, LoadSource
from equipoise.cluster.log_dirs import LogDirs
from equipoise.errors import UnusableInput
from equipoise.formats.faults import Faults
from equipoise.formats.lists import MOST_REPLICAS
from equipoise.formats.object_rows import ObjectRows

COLUMNS = ("topic_idx", "partition", "replicas", "leader", *FIGURES)
LISTS = ("replicas", "isr")
"""Columns with a list for each partition."""
DIR_COLUMNS = ("broker", "total_bytes", "usable", "row", "at")
DIR_KINDS = {"broker": "iu", "total_bytes": "f", "usable": "b", "row": "iu", "at": "iu"}
"""Kinds of their values, as NumPy calls them."""
BROKER_COLUMNS = ("ids", *CAPACITIES.values(), "weight")
FACTS = {
    "name": str,
    "cluster_id?": str,
    "files": [str],
    "missing": [str],
    "notes": [str],
    "loads_from?": [{"load": str, "source": str, "partitions": int}],
    "doubts?": [str],
    "topics": [str],
    "allow_empty_lists": bool,
    "dirs?": [str],
}
"""What a cluster is beside its columns, as shapes; ``racks`` and ``down`` come to it, of which some may be
null."""
UNKNOWN = {"min_isr": -1, "leader": -1}
WHOLE = frozenset({"topic_idx", "partition", "replicas", "leader", "isr", "isr_told", "min_isr", "ids"})
"""Columns of whole numbers from -1 on, of 32 bits; the others are numbers from 0 on, NaN where unknown."""
MOST_ID = 2**31 - 1
MOST = 2.0**62
"""Of bytes, and bytes a second: what integers of 64 bits can still be."""


def state_arrays(cluster: Cluster, *, dirs: bool = False) -> dict[str, np.ndarray]:
    """The columns of a cluster by name, those of its log dirs only with ``dirs``.

    A column that knows nothing is left out.
    """
    arrays = {name: getattr(cluster, name) for name in COLUMNS}
    if cluster.isr_told.any():
        arrays |= {name: getattr(cluster, name) for name in IN_SYNC}
    arrays |= {f"brokers/{name}": getattr(cluster.brokers, name) for name in BROKER_COLUMNS}
    told = (name.rstrip("?") for name in FACTS if name != "dirs?")
    facts: dict[str, Any] = {name: getattr(cluster, name) for name in told}
    for name in ("loads_from", "doubts"):
        if not facts[name]:
            del facts[name]
    facts["racks"] = cluster.brokers.racks
    if any(cluster.brokers.down):
        facts["down"] = cluster.brokers.down
    if dirs and cluster.dirs is not None:
        arrays |= {f"dirs/{name}": getattr(cluster.dirs, name) for name in DIR_COLUMNS}
        facts["dirs"] = cluster.dirs.paths
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
        facts = facts_of(arrays["facts"], source)
        n, n_brokers = len(arrays["topic_idx"]), len(arrays["brokers/ids"])
        columns: dict[str, Any] = {
            name: arrays.get(name, np.full(n, UNKNOWN.get(name, np.nan))) for name in COLUMNS
        }
        columns |= {name: arrays[name] for name in IN_SYNC if name in arrays}
        known = {name: arrays.get(f"brokers/{name}", np.full(n_brokers, np.nan)) for name in BROKER_COLUMNS}
        for name, column in (columns | known).items():
            check_column(name, column, n_brokers)
        brokers = Brokers(racks=tuple(facts.pop("racks")), down=tuple(facts.pop("down", ())), **known)
        for name in ("files", "missing", "notes", "doubts", "topics"):
            facts[name] = tuple(facts.get(name, ()))
        facts["loads_from"] = tuple(LoadSource(**told) for told in facts.get("loads_from", ()))
        dirs = dirs_in(arrays, facts.pop("dirs", None))
        return Cluster(brokers=brokers, dirs=dirs, **columns, **facts)
    except KeyError as error:
        place = str(error.args[0])
        raise UnusableInput("is missing, so there is no cluster", source=source, place=place) from None
    except (TypeError, ValueError) as error:
        raise UnusableInput(f"does not hold a cluster ({error})", source=source) from None


def dirs_in(arrays: Mapping[str, np.ndarray], paths: list[str] | None) -> LogDirs | None:
    """The log dirs; None where none are told. Raises ``ValueError`` or ``KeyError`` where they are none."""
    if paths is None:
        return None
    unknown = {"total_bytes": np.full(len(paths), np.nan)}
    columns = {name: arrays.get(f"dirs/{name}", unknown.get(name)) for name in DIR_COLUMNS}
    for name, column in columns.items():
        if column is None or column.ndim != 1 or column.dtype.kind not in DIR_KINDS[name]:
            raise ValueError(f"dirs/{name} is no column of log dirs")
    return LogDirs(paths=tuple(paths), **columns)  # type: ignore[arg-type]


def facts_of(array: np.ndarray, source: str) -> dict[str, Any]:
    """What stands in ``facts``; raises :class:`UnusableInput` or ``ValueError`` where that is not facts."""
    facts = orjson.loads(array.tobytes())
    ObjectRows.checked([facts], FACTS, Faults(source), ["facts"]).rows("loads_from")
    for key, told in (("racks", facts.get("racks")), ("down", facts.get("down", []))):
        if not isinstance(told, list) or not all(each is None or isinstance(each, str) for each in told):
            raise ValueError(f"facts.{key} are not one text, or null, for each broker")
    return dict(facts)


def check_column(name: str, column: np.ndarray, n_brokers: int) -> None:
    """Raise ``ValueError`` for a column of another form, or with values that no cluster has."""
    if column.ndim != (2 if name in LISTS else 1):
        raise ValueError(f"{name} has {column.ndim} dimensions")
    if name in LISTS and column.shape[1] > MOST_REPLICAS:
        raise ValueError(f"{name} has lists of {column.shape[1]:,} brokers")
    if name in WHOLE:
        most = n_brokers - 1 if name in (*LISTS, "leader") else MOST_ID
        fits = (column >= -1) & (column <= most) & (column == np.round(column))
    else:
        most_of = np.inf if name == "retention_s" else MOST
        fits = np.isnan(column) | ((column >= 0) & (column <= most_of))
    if not fits.all():
        raise ValueError(f"{name} has {column[~fits].flat[0]}")
