"""Everything that is said of a cluster as it is, without a plan: as plain data, for every face."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Cluster, measures
from equipoise.cluster.brokers import FloatArray
from equipoise.cluster.health import Health
from equipoise.cluster.rates import inbound
from equipoise.errors import UnusableInput
from equipoise.files.plan_levels import plain_number
from equipoise.planning.problem.rates import sentences
from equipoise.planning.problem.request import Request
from equipoise.planning.request.laying import build_problem
from equipoise.report import words

MOST_NAMED = 20
"""Partitions or topics that are named one by one; beyond that they are counted."""

LOADS = (
    ("replicas", "Replicas", "count"),
    ("leaders", "Preferred leaders", "count"),
    ("failover", "Most leaders elsewhere if it fails", "count"),
    ("disk", "Disk", "bytes"),
    ("network_in", "Network in", "rate"),
    ("network_out", "Network out", "rate"),
)
"""Column of a broker's row, its title, its unit; rates are bytes a second."""


def cluster_data(cluster: Cluster) -> dict[str, Any]:
    """The data of ``equipoise show --json``; keys are only ever added.

    What the sources do not tell is None, never 0. Loads of which some partitions are not known are those of
    the others, and ``unknown`` counts the rest. Raises :class:`UnusableInput` where there is no broker.
    """
    loads = broker_loads(cluster)
    return {
        "version": 1,
        "cluster": cluster.name,
        "cluster_id": cluster.cluster_id,
        "fingerprint": cluster.fingerprint,
        "files": list(cluster.files),
        "counts": {
            "brokers": cluster.n_brokers,
            "racks": cluster.brokers.n_racks_named if cluster.brokers.has_racks else None,
            "topics": len(cluster.topics),
            "partitions": cluster.n_partitions,
            "replicas": int(cluster.rf.sum()),
        },
        "warnings": warnings(cluster),
        "loads": [level(cluster, loads[key], key, title, unit) for key, title, unit in LOADS],
        "health": health(cluster),
        "racks_broken": racks_broken(cluster),
        "brokers": broker_rows(cluster, loads),
        "racks": rack_rows(cluster, loads),
        "topics": worst_topics(cluster),
        "loads_from": sentences(cluster),
        "missing": [{"what": what, "then": words.MISSING.get(what, what)} for what in cluster.missing],
        "part": [lack.sentence for lack in cluster.lacks],
        "notes": list(cluster.notes),
    }


def warnings(cluster: Cluster) -> list[str]:
    """What every plan for this cluster would say first, or why there could be none."""
    try:
        return list(build_problem(cluster, Request(partial=bool(cluster.lacks))).warnings)
    except UnusableInput as error:
        if not cluster.n_brokers:
            raise
        return [str(error)]


def broker_loads(cluster: Cluster) -> dict[str, FloatArray | None]:
    """For each of `LOADS` a column ``(n_brokers,)``; None where no source tells it."""
    lists, n = cluster.replicas, cluster.n_brokers
    inward, outward = inbound(cluster), cluster.bytes_out_per_s
    sends = inward * np.maximum(cluster.rf - 1, 0) + outward
    return {
        "replicas": measures.replicas_per_broker(lists, n).astype(np.float64),
        "leaders": measures.leaders_per_broker(lists, n).astype(np.float64),
        "failover": measures.failover_leaders(lists, n).max(axis=1, initial=0).astype(np.float64),
        "disk": borne(lists, cluster.size_bytes, n),
        "network_in": borne(lists, inward, n),
        "network_out": borne(lists[:, :1], sends, n),
    }


def borne(lists: npt.NDArray[np.int32], weight: FloatArray, n_brokers: int) -> FloatArray | None:
    """Sums of the weights that are known; None where none is."""
    known = np.isfinite(weight)
    return measures.bytes_per_broker(lists[known], weight[known], n_brokers) if known.any() else None


def level(cluster: Cluster, load: FloatArray | None, key: str, title: str, unit: str) -> dict[str, Any]:
    """Least, most and equal share of a load over the brokers, and who has the most."""
    told: dict[str, Any] = {"load": key, "title": title, "unit": unit, "unknown": unknown(cluster, key)}
    if load is None or not len(load):
        return told | dict.fromkeys(("least", "share", "most", "least_on", "most_on", "skew"))
    ids, share = cluster.brokers.ids, float(load.mean())
    return told | {
        "least": number(load.min()),
        "share": number(share),
        "most": number(load.max()),
        "least_on": int(ids[load.argmin()]),
        "most_on": int(ids[load.argmax()]),
        "skew": round(float(load.max()) / share, 3) if share else None,
    }


def number(value: float) -> int | float:
    """A whole number as one, others to three digits."""
    return plain_number(round(float(value), 3))


def unknown(cluster: Cluster, key: str) -> int:
    """Partitions of which a load is not known."""
    columns = {"disk": cluster.size_bytes, "network_in": inbound(cluster)}
    columns["network_out"] = inbound(cluster) + cluster.bytes_out_per_s
    return int((~np.isfinite(columns[key])).sum()) if key in columns else 0


def health(cluster: Cluster) -> dict[str, Any]:
    """Who is down and what is unwell; a count is None where no source tells it."""
    found = Health(cluster)
    held = measures.replicas_per_broker(cluster.replicas, cluster.n_brokers)
    told = found.told
    elsewhere = told & (cluster.leader >= 0) & (cluster.leader != measures.position(cluster.replicas, 0))
    counted = {
        "without_leader": (found.leaderless, told),
        "under_replicated": (found.under_replicated, told),
        "under_min_isr": (found.under_min_isr, told & (cluster.min_isr >= 0)),
        "led_by_another": (elsewhere, told),
    }
    return {
        "not_alive": [
            {"broker": broker, "why": why, "replicas": int(replicas)}
            for broker, why, replicas in zip(
                cluster.brokers.ids.tolist(), cluster.brokers.down, held, strict=True
            )
            if why is not None
        ],
        "isr_told": int(told.sum()),
        **{key: labels(cluster, rows) if known.any() else None for key, (rows, known) in counted.items()},
        "cannot_move": labels(cluster, found.stuck),
    }


def labels(cluster: Cluster, rows: npt.NDArray[np.bool_]) -> dict[str, Any]:
    """How many partitions, and the first of them by name."""
    some = np.flatnonzero(rows)[:MOST_NAMED].tolist()
    return {"partitions": int(rows.sum()), "first": [cluster.label(row) for row in some]}


def racks_broken(cluster: Cluster) -> dict[str, Any] | None:
    """Partitions with more replicas in a rack than its limit; None where a replica's rack is not known."""
    brokers, lists = cluster.brokers, cluster.replicas
    if not brokers.racked[np.unique(lists[lists >= 0])].all():
        return None
    limit = measures.rack_limits(cluster.rf, brokers.rack_idx, brokers.racked)
    return labels(cluster, measures.rack_excess(lists, brokers.rack_idx, limit) > 0)


def broker_rows(cluster: Cluster, loads: dict[str, FloatArray | None]) -> list[dict[str, Any]]:
    """A row for each broker, by rack and id."""
    brokers = cluster.brokers
    order = np.lexsort((brokers.ids, brokers.rack_idx)).tolist()
    return [
        {
            "id": int(brokers.ids[at]),
            "rack": brokers.racks[at],
            "down": brokers.down[at],
            **{key: None if (load := loads[key]) is None else number(load[at]) for key, _, _ in LOADS},
            "disk_capacity": number(size) if np.isfinite(size := float(brokers.disk_bytes[at])) else None,
        }
        for at in order
    ]


def rack_rows(cluster: Cluster, loads: dict[str, FloatArray | None]) -> list[dict[str, Any]]:
    """Brokers and loads of each rack that is named; empty without racks.

    What one failure brings is no sum of a rack.
    """
    brokers = cluster.brokers
    if not brokers.has_racks:
        return []

    def of_racks(values: npt.NDArray[Any]) -> FloatArray:
        sums = np.bincount(brokers.rack_idx, weights=values, minlength=len(brokers.rack_names))
        return sums.astype(np.float64)

    size = of_racks(np.ones(len(brokers)))
    sums = {key: of_racks(load) for key, load in loads.items() if load is not None and key != "failover"}
    return [
        {"rack": name, "brokers": int(size[at]), **{key: number(column[at]) for key, column in sums.items()}}
        for at, name in enumerate(brokers.rack_names)
        if name in brokers.racks
    ]


def worst_topics(cluster: Cluster) -> list[dict[str, Any]]:
    """The topics with the most replicas and leaders where the topic, spread evenly, would have none.

    ``uneven`` counts replicas and leaders above the topic's equal share of a broker, rounded up.
    """
    up = max(1, int(Health(cluster).alive.sum()))
    held, led = (per_topic(cluster, lists) for lists in (cluster.replicas, cluster.replicas[:, :1]))
    uneven = above_share(held, up) + above_share(led, up)
    sizes = np.bincount(
        cluster.topic_idx, weights=cluster.size_bytes * cluster.rf, minlength=len(cluster.topics)
    )  # NaN where one is not known
    partitions = np.diff(cluster.topic_start)
    worst = np.argsort(-uneven, kind="stable")[:MOST_NAMED].tolist()
    return [
        {
            "topic": cluster.topics[at],
            "partitions": int(partitions[at]),
            "replicas": int(held[at].sum()),
            "uneven": int(uneven[at]),
            "most_replicas": int(held[at].max()),
            "most_replicas_on": int(cluster.brokers.ids[held[at].argmax()]),
            "most_leaders": int(led[at].max()),
            "most_leaders_on": int(cluster.brokers.ids[led[at].argmax()]),
            "bytes": number(sizes[at]) if np.isfinite(sizes[at]) else None,
        }
        for at in worst
        if uneven[at]
    ]


def above_share(table: npt.NDArray[np.int64], brokers: int) -> npt.NDArray[np.int64]:
    """``(n_topics,)`` what stands above the equal share of so many brokers, rounded up."""
    share = -(-table.sum(axis=1) // brokers)
    return np.maximum(table - share[:, None], 0).sum(axis=1)


def per_topic(cluster: Cluster, lists: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """``(n_topics, n_brokers)`` how often each broker stands in the ``lists`` of each topic."""
    row, column = np.nonzero(lists >= 0)
    shape = len(cluster.topics), cluster.n_brokers
    key = cluster.topic_idx[row].astype(np.int64) * cluster.n_brokers + lists[row, column]
    return np.bincount(key, minlength=shape[0] * shape[1]).reshape(shape)
