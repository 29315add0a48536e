"""``plan.json`` as a dict: what changes, what it costs, what it brings, and what is proved."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Cluster, Plan, measures
from equipoise.cluster.brokers import IntArray
from equipoise.cluster.cluster import FIGURES, IN_SYNC
from equipoise.cluster.health import Health
from equipoise.files.cross_zone import cross_zone
from equipoise.files.dir_plan import dir_facts
from equipoise.files.plan_levels import certified, plain_number
from equipoise.judge.levels import bytes_copied, costs, levels
from equipoise.planning.problem.rates import loads_from

RowArray = npt.NDArray[np.int64]

VERSION = 1


def summary(plan: Plan) -> dict[str, Any]:
    """The content of ``plan.json``; keys are only ever added, never renamed."""
    return overview(plan) | {"moves": moves(plan)}


def overview(plan: Plan) -> dict[str, Any]:
    """:func:`summary` without the moves: cheap whatever the size of the plan."""
    cluster = plan.cluster
    source = planned_from(cluster)
    more = {"loads": loads(plan), "log_dirs": dir_facts(plan), "cross_zone": cross_zone(plan)}
    return {
        "version": VERSION,
        "cluster": cluster.name,
        "cluster_id": cluster.cluster_id,
        "strategy": plan.strategy,
        "source": {
            "fingerprint": source.fingerprint,
            "files": list(cluster.files),
            "missing": list(cluster.missing),
        },
        "partial": bool(plan.request.get("partial")),
        "summary": costs(cluster, plan.target),
        "before": levels(cluster, cluster.replicas, plan.eligible, strict_racks=plan.strict_racks),
        "after": levels(cluster, plan.target, plan.eligible, strict_racks=plan.strict_racks),
        "certificate": [certified(level) for level in plan.certificate],
        "request": plain(dict(plan.request)),
        "warnings": list(plan.warnings),
        "offers": list(plan.offers),
        "health": health(plan),
        "brokers": brokers(plan),
        "created": [cluster.label(row) for row in np.flatnonzero(cluster.rf == 0).tolist()],
        **{key: value for key, value in more.items() if value is not None},
    }


def loads(plan: Plan) -> dict[str, Any] | None:
    """The sources of each load with how many partitions they tell it of; None where nothing is known."""
    found = loads_from(plan.cluster, plan.request.get("consumption"))
    return {
        load: [{"source": one.source, "partitions": one.partitions} for one in told]
        for load, told in found.items()
    } or None


def health(plan: Plan) -> dict[str, Any]:
    """Who is down and what is unwell before the plan; counts are None where no source tells them."""
    cluster = plan.cluster
    found = Health(cluster, plan.request.get("assume_alive", ()))
    held = measures.replicas_per_broker(cluster.replicas, cluster.n_brokers)
    ids, why = cluster.brokers.ids.tolist(), cluster.brokers.down
    told = found.told
    counted = {
        "without_leader": (found.leaderless, told),
        "under_replicated": (found.under_replicated, told),
        "under_min_isr": (found.under_min_isr, told & (cluster.min_isr >= 0)),
    }
    return {
        "not_alive": [
            {"broker": ids[at], "why": why[at], "replicas": int(held[at])}
            for at in np.flatnonzero(~found.alive).tolist()
        ],
        "assumed_alive": cluster.brokers.ids[found.assumed].tolist(),
        "isr_told": int(told.sum()),
        **{key: int(unwell.sum()) if known.any() else None for key, (unwell, known) in counted.items()},
        "cannot_move": [cluster.label(row) for row in np.flatnonzero(found.stuck).tolist()],
    }


def planned_from(cluster: Cluster) -> Cluster:
    """The cluster without the partitions that are still to be created."""
    rows = cluster.rf > 0
    if rows.all():
        return cluster
    kept, topic_idx = np.unique(cluster.topic_idx[rows], return_inverse=True)
    names = ("partition", "replicas", "leader", *IN_SYNC, *FIGURES)
    columns = {name: getattr(cluster, name)[rows] for name in names}
    return replace(
        cluster,
        topics=tuple(cluster.topics[t] for t in kept),
        topic_idx=topic_idx.astype(np.int32),
        allow_empty_lists=False,
        dirs=cluster.dirs and cluster.dirs.renumbered(np.where(rows, np.cumsum(rows) - 1, -1)),
        **columns,
    )


def brokers(plan: Plan) -> list[dict[str, Any]]:
    """The brokers planned with, those that are added among them."""
    table = plan.cluster.brokers
    columns = zip(table.ids.tolist(), table.racks, plan.eligible.tolist(), table.weight.tolist(), strict=True)
    return [
        {"id": broker, "rack": rack, "eligible": eligible, "weight": plain_number(weight)}
        for broker, rack, eligible, weight in columns
    ]


def moves(plan: Plan) -> list[dict[str, Any]]:
    """Every changed partition, reorders too, each with its reason."""
    cluster, rows = plan.cluster, plan.changed
    columns = zip(
        cluster.topic_idx[rows].tolist(),
        cluster.partition[rows].tolist(),
        lists(cluster.ids_of(cluster.replicas[rows])),
        lists(cluster.ids_of(plan.target[rows])),
        [None if np.isnan(b) else int(b) for b in bytes_copied(cluster, plan.target, rows)],
        reasons_of(plan, rows),
        strict=True,
    )
    keys = ("topic", "partition", "before", "after", "bytes", "why")
    found = [dict(zip(keys, (cluster.topics[topic], *facts), strict=True)) for topic, *facts in columns]
    if plan.batch is not None:
        for move, batch in zip(found, plan.batch[rows].tolist(), strict=True):
            move["batch"] = batch
    return found


def reasons_of(plan: Plan, rows: RowArray) -> list[str]:
    """A sentence for each of these changed rows: the planner's, or else what the change does."""
    told = [plan.why.get(row, "") for row in rows.tolist()]
    untold = rows[np.array([not sentence for sentence in told], dtype=bool)]
    sides = plan.cluster.replicas[untold], plan.target[untold]
    made = map(reason, *(lists(plan.cluster.ids_of(side)) for side in sides))
    return [sentence or next(made) for sentence in told]


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
