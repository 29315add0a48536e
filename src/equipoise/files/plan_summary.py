"""``plan.json`` as a dict: what changes, what it costs, what it brings, and what is proved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Cluster, Level, Plan, measures
from equipoise.cluster.brokers import IntArray

RowArray = npt.NDArray[np.int64]

VERSION = 1


def summary(plan: Plan) -> dict[str, Any]:
    """The content of ``plan.json``; keys are only ever added, never renamed."""
    return overview(plan) | {"moves": moves(plan)}


def overview(plan: Plan) -> dict[str, Any]:
    """:func:`summary` without the moves: cheap whatever the size of the plan."""
    cluster = plan.cluster
    source = planned_from(cluster)
    return {
        "version": VERSION,
        "cluster": cluster.name,
        "cluster_id": cluster.cluster_id,
        "strategy": plan.strategy,
        "source": {"fingerprint": source.fingerprint, "files": list(cluster.files),
                   "missing": list(cluster.missing)},
        "summary": totals(plan),
        "before": levels(plan, cluster.replicas),
        "after": levels(plan, plan.target),
        "certificate": [certified(level) for level in plan.certificate],
        "request": plain(dict(plan.request)),
        "warnings": list(plan.warnings),
        "brokers": brokers(plan),
        "created": [cluster.label(row) for row in np.flatnonzero(cluster.rf == 0).tolist()],
    }


def planned_from(cluster: Cluster) -> Cluster:
    """The cluster without the partitions that are still to be created."""
    rows = cluster.rf > 0
    if rows.all():
        return cluster
    kept, topic_idx = np.unique(cluster.topic_idx[rows], return_inverse=True)
    names = ("partition", "replicas", "leader", "size_bytes", "bytes_in_per_s", "bytes_out_per_s", "min_isr")
    columns = {name: getattr(cluster, name)[rows] for name in names}
    return replace(cluster, topics=tuple(cluster.topics[t] for t in kept), topic_idx=topic_idx,
                   allow_empty_lists=False, **columns)


def totals(plan: Plan) -> dict[str, int]:
    """Data moves, their bytes (unknown sizes count 0), leadership changes, partitions changed."""
    rows = plan.changed
    before, after = plan.cluster.replicas[rows], plan.target[rows]
    return {
        "data_moves": measures.data_moves(before, after),
        "bytes_moved": int(bytes_copied(plan, rows).sum()),
        "leadership_changes": int(measures.leadership_changed(before, after).sum()),
        "partitions_changed": len(rows),
    }


def bytes_copied(plan: Plan, rows: RowArray) -> RowArray:
    """Bytes to copy for each of these partitions, int64; a partition to be created copies none."""
    before = plan.cluster.replicas[rows]
    new = measures.arrivals(before, plan.target[rows]).sum(axis=1)
    sizes = np.nan_to_num(plan.cluster.size_bytes[rows]).round().astype(np.int64)
    return sizes * np.where((before >= 0).any(axis=1), new, 0)


def levels(plan: Plan, replicas: IntArray) -> dict[str, Any]:
    """Figures of one assignment; the keys of ``before`` and ``after``."""
    cluster, n_brokers = plan.cluster, plan.cluster.n_brokers
    ids = [str(i) for i in cluster.brokers.ids.tolist()]

    def per_broker(counts: np.ndarray) -> dict[str, int]:
        return dict(zip(ids, counts.round().astype(np.int64).tolist(), strict=True))

    return {
        "replicas_per_broker": per_broker(measures.replicas_per_broker(replicas, n_brokers)),
        "leaders_per_broker": per_broker(measures.leaders_per_broker(replicas, n_brokers)),
        "bytes_per_broker": per_broker(measures.bytes_per_broker(replicas, cluster.size_bytes, n_brokers)),
        "worst_leaders_after_one_failure": measures.worst_leaders_after_one_failure(replicas, n_brokers),
        "rack_violations": rack_violations(plan, replicas),
    }


def rack_violations(plan: Plan, replicas: IntArray) -> int:
    """Partitions that break the rack rule of the request; none where no rack is known."""
    brokers = plan.cluster.brokers
    if not brokers.has_racks:
        return 0
    strict = plan.request.get("rack_rule") == "strict"
    return measures.rack_violations(replicas, brokers.rack_idx, plan.eligible, strict=strict)


def certified(level: Level) -> dict[str, Any]:
    """One line of the certificate; whole numbers are written as such."""
    entry = {"goal": level.goal, "value": whole(level.value), "lower_bound": whole(level.lower_bound),
             "gap": float(level.gap), "proof": level.proof}
    return entry | ({"note": level.note} if level.note else {})


def whole(value: float) -> int | float:
    """An int where the value is one."""
    return int(value) if float(value).is_integer() else float(value)


def brokers(plan: Plan) -> list[dict[str, Any]]:
    """The brokers planned with, those that are added among them."""
    table = plan.cluster.brokers
    columns = zip(table.ids.tolist(), table.racks, plan.eligible.tolist(), table.weight.tolist(), strict=True)
    return [{"id": broker, "rack": rack, "eligible": eligible, "weight": whole(weight)}
            for broker, rack, eligible, weight in columns]


def moves(plan: Plan, rows: RowArray | None = None) -> list[dict[str, Any]]:
    """Every changed partition (or those in ``rows``), reorders too, each with its reason."""
    cluster = plan.cluster
    rows = plan.changed if rows is None else rows
    before, after = cluster.replicas[rows], plan.target[rows]
    columns = zip(
        rows.tolist(),
        cluster.topic_idx[rows].tolist(),
        cluster.partition[rows].tolist(),
        lists(cluster.ids_of(before)),
        lists(cluster.ids_of(after)),
        bytes_copied(plan, rows).tolist(),
        strict=True,
    )
    return [
        {"topic": cluster.topics[topic], "partition": partition, "before": old, "after": new, "bytes": size,
         "why": plan.why.get(row) or reason(old, new)}
        for row, topic, partition, old, new, size in columns
    ]


def lists(ids: IntArray) -> list[list[int]]:
    """Replica lists without their padding."""
    if ids.size and (ids >= 0).all():
        return ids.tolist()
    return [[i for i in row if i >= 0] for row in ids.tolist()]


def reason(before: list[int], after: list[int]) -> str:
    """What a change does, for a planner that gave no reason."""
    if not before:
        return "the partition is created"
    gained = [str(i) for i in after if i not in before]
    lost = [str(i) for i in before if i not in after]
    if gained and lost:
        return f"replica of {listed(lost)} goes to {listed(gained)}"
    if gained:
        return f"replica added on {listed(gained)}"
    if lost:
        return f"replica removed from {listed(lost)}"
    if before[0] != after[0]:
        return f"preferred leader {before[0]} gives way to {after[0]}"
    return "followers change their order"


def listed(ids: list[str]) -> str:
    """``broker 3`` or ``brokers 3, 4``."""
    return ("broker " if len(ids) == 1 else "brokers ") + ", ".join(ids)


def plain(value: Any) -> Any:
    """Tuples as lists all the way down, as they come back from JSON."""
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    return [plain(entry) for entry in value] if isinstance(value, list | tuple) else value
