"""One cluster and its plan as the columns of each table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from equipoise.cluster import Cluster, Plan, measures
from equipoise.files.plan_summary import bytes_copied, reason
from equipoise.pipeline.transforms.columns import known, lists, named, told, whole
from equipoise.report.figures import Side, measure

if TYPE_CHECKING:
    import pyarrow as pa

    from equipoise.formats.fragment import Fragment

Columns = Mapping[str, "pa.Array"]


def brokers(cluster: Cluster, eligible: np.ndarray, up: Mapping[int, bool]) -> Columns:
    """Columns of the table ``brokers``; ``up`` tells of the brokers of which a source said so."""
    import pyarrow as pa

    table = cluster.brokers
    return {
        "broker": pa.array(table.ids),
        "rack": pa.array(table.racks, pa.string()),
        "disk_bytes": known(table.disk_bytes),
        "bytes_in_per_s": known(table.bytes_in_per_s),
        "bytes_out_per_s": known(table.bytes_out_per_s),
        "weight": pa.array(table.weight),
        "eligible": pa.array(eligible),
        "is_up": pa.array([up.get(broker) for broker in table.ids.tolist()], pa.bool_()),
    }


def partitions(cluster: Cluster) -> Columns:
    """Columns of the table ``partitions``, but what is in flight."""
    import pyarrow as pa

    return {
        "topic": named(cluster.topics, cluster.topic_idx),
        "partition": pa.array(cluster.partition),
        "replication_factor": pa.array(cluster.rf),
        "replicas": lists(cluster.ids_of(cluster.replicas)),
        "leader": told(cluster.ids_of(cluster.leader)),
        "size_bytes": whole(cluster.size_bytes),
        "bytes_in_per_s": known(cluster.bytes_in_per_s),
        "bytes_out_per_s": known(cluster.bytes_out_per_s),
        "min_isr": told(cluster.min_isr),
    }


def on_disk(fragment: Fragment) -> Columns | None:
    """Where a source says that replicas lie; copies that are still being made are no replicas yet."""
    import pyarrow as pa

    rows = fragment.log_dirs
    if rows is None:
        return None
    made = ~rows.is_future
    return {
        "topic": named(rows.topics, rows.topic_idx[made]),
        "partition": pa.array(rows.partition[made]),
        "broker": pa.array(rows.broker[made]),
        "log_dir": named(rows.dirs, rows.dir_idx[made]),
        "size_bytes": whole(rows.size_bytes[made]),
    }


def in_flight(fragment: Fragment) -> Columns | None:
    """What a source says is being reassigned."""
    import pyarrow as pa

    rows = fragment.in_flight
    if rows is None:
        return None
    return {
        "topic": named(rows.topics, rows.topic_idx),
        "partition": pa.array(rows.partition),
        "adding": lists(rows.adding),
        "removing": lists(rows.removing),
    }


def moves(plan: Plan) -> Columns:
    """Columns of the table ``moves``: every partition whose list changes, reorders too."""
    import pyarrow as pa

    cluster, rows = plan.cluster, plan.changed
    before, after = cluster.replicas[rows], plan.target[rows]
    old, new = lists(cluster.ids_of(before)), lists(cluster.ids_of(after))
    return {
        "topic": named(cluster.topics, cluster.topic_idx[rows]),
        "partition": pa.array(cluster.partition[rows]),
        "before": old,
        "after": new,
        "data_moves": pa.array(measures.arrivals(before, after).sum(axis=1)),
        "leadership_changed": pa.array(measures.leadership_changed(before, after)),
        "bytes": pa.array(bytes_copied(plan, rows)),
        "why": pa.array(
            [
                plan.why.get(row) or reason(old[k].as_py(), new[k].as_py())
                for k, row in enumerate(rows.tolist())
            ],
            pa.string(),
        ),
    }


def summary(plan: Plan) -> dict[str, Any]:
    """The row of ``plan_summary`` for a cluster that was planned."""
    cluster, figures = plan.cluster, measure(plan)
    return {
        "outcome": "planned",
        "strategy": plan.strategy,
        "fingerprint": cluster.fingerprint,
        "missing": list(cluster.missing),
        "warnings": [*cluster.notes, *plan.warnings],
        "brokers": cluster.n_brokers,
        "topics": len(cluster.topics),
        "partitions": cluster.n_partitions,
        "replicas": int(cluster.rf.sum()),
        "data_moves": figures.data_moves,
        "bytes_moved": int(bytes_copied(plan, plan.changed).sum()),
        "leadership_changes": figures.leadership_changes,
        "partitions_changed": figures.partitions_changed,
        "before": levels(figures.before, cluster.brokers.ids),
        "after": levels(figures.after, cluster.brokers.ids),
        "certificate": [
            {"goal": level.goal, "value": float(level.value), "lower_bound": float(level.lower_bound),
             "gap": level.gap, "proof": level.proof}
            for level in plan.certificate
        ],
    }


def levels(side: Side, ids: np.ndarray) -> dict[str, Any]:
    """What brokers hold and lead in one assignment, and how far that is spread over the brokers in use."""
    (low, high), (fewest, most) = side.spread("replicas"), side.spread("leaders")
    return {
        "replicas_min": int(low), "replicas_max": int(high), "leaders_min": int(fewest), "leaders_max": int(most),
        "replicas_per_broker": list(zip(ids.tolist(), side.replicas.tolist(), strict=True)),
        "leaders_per_broker": list(zip(ids.tolist(), side.leaders.tolist(), strict=True)),
        "rack_violations": side.rack_violations,
        "worst_leaders_after_one_failure": int(side.failover.max(initial=0)),
    }


def not_planned(outcome: str, why: str) -> dict[str, Any]:
    """The row of ``plan_summary`` for a cluster without a plan."""
    return {"outcome": outcome, "reason": why, "missing": [], "warnings": [], "certificate": []}


def up(fragments: Sequence[Fragment]) -> dict[int, bool]:
    """Brokers of which any source says whether they are up; one that says down is believed."""
    said: dict[int, bool] = {}
    for fragment in fragments:
        for broker, facts in fragment.brokers.items():
            if facts.is_up is not None:
                said[broker] = facts.is_up and said.get(broker, True)
    return said
