"""One cluster and its plan as the columns of each table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Cluster, Plan, measures
from equipoise.files.log_dirs import named_dirs
from equipoise.files.plan_summary import overview, reasons_of
from equipoise.judge.levels import bytes_copied
from equipoise.pipeline.transforms.columns import known, lists, named, told, whole_numbers

if TYPE_CHECKING:
    import pyarrow as pa

    from equipoise.formats.fragment import Fragment

Columns = Mapping[str, "pa.Array"]


def brokers(cluster: Cluster, eligible: np.ndarray, up: Collection[int]) -> Columns:
    """Columns of the table ``brokers``; ``up``: those that a source calls so."""
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
        "is_up": pa.array(
            [
                False if why else broker in up or None
                for broker, why in zip(table.ids.tolist(), table.down, strict=True)
            ],
            pa.bool_(),
        ),
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
        "isr": lists(cluster.ids_of(cluster.isr), cluster.isr_told),
        "size_bytes": whole_numbers(cluster.size_bytes),
        "bytes_in_per_s": known(cluster.bytes_in_per_s),
        "bytes_out_per_s": known(cluster.bytes_out_per_s),
        "min_isr": told(cluster.min_isr),
        "retention_s": known(cluster.retention_s),
        "retention_bytes": known(cluster.retention_bytes),
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
        "size_bytes": whole_numbers(rows.size_bytes[made]),
    }


def dirs(fragment: Fragment) -> Columns | None:
    """The log dirs that a source tells of, and how large their volumes are."""
    import pyarrow as pa

    if fragment.log_dirs is None or not fragment.log_dirs.each:
        return None
    each = fragment.log_dirs.each
    return {
        "broker": pa.array([one.broker for one in each], pa.int32()),
        "log_dir": pa.array([one.path for one in each], pa.string()),
        "total_bytes": known(np.array([one.total_bytes for one in each])),
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
    return {
        "topic": named(cluster.topics, cluster.topic_idx[rows]),
        "partition": pa.array(cluster.partition[rows]),
        "before": lists(cluster.ids_of(before)),
        "after": lists(cluster.ids_of(after)),
        "data_moves": pa.array(measures.arrivals_by_row(before, after)),
        "leadership_changed": pa.array(measures.leadership_changed(before, after)),
        "bytes": whole_numbers(bytes_copied(cluster, plan.target, rows)),
        "why": pa.array(reasons_of(plan, rows), pa.string()),
    }


def placed(plan: Plan) -> Columns | None:
    """Columns of PLACED; None for a plan that leaves log dirs to Kafka."""
    import pyarrow as pa

    cluster, dirs = plan.cluster, named_dirs(plan)
    if dirs is None or cluster.dirs is None:
        return None
    rows, columns = np.nonzero(dirs >= 0)
    at = dirs[rows, columns]
    return {
        "topic": named(cluster.topics, cluster.topic_idx[rows]),
        "partition": pa.array(cluster.partition[rows]),
        "broker": pa.array(cluster.dirs.broker[at]),
        "log_dir": named(cluster.dirs.paths, at),
    }


def summary(plan: Plan, loads: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
    """The row of ``plan_summary`` for a cluster that was planned: its ``plan.json`` in short."""
    cluster, told = plan.cluster, overview(plan)
    return {
        "outcome": "planned",
        "strategy": plan.strategy,
        "fingerprint": told["source"]["fingerprint"],
        "missing": list(cluster.missing),
        "warnings": [*plan.warnings, *cluster.notes],
        "goals": plan.request.get("goals"),
        "partial": told["partial"],
        "not_alive": [entry["broker"] for entry in told["health"]["not_alive"]],
        **{key: told["health"][key] for key in ("without_leader", "under_replicated", "under_min_isr")},
        "cannot_move": len(told["health"]["cannot_move"]),
        "brokers": cluster.n_brokers,
        "topics": len(cluster.topics),
        "partitions": cluster.n_partitions,
        "replicas": int(cluster.rf.sum()),
        **told["summary"],
        "before": side(told["before"], plan.eligible),
        "after": side(told["after"], plan.eligible),
        "certificate": [
            {key: level[key] for key in ("goal", "value", "lower_bound", "gap", "proof")}
            for level in told["certificate"]
        ],
        "loads": list(loads),
    }


def side(levels: Mapping[str, Any], eligible: npt.NDArray[np.bool_]) -> dict[str, Any]:
    """The figures of one assignment, with the spread over the brokers in use.

    In use is what may hold replicas, and what does: a broker that is emptied counts before and not after.
    """
    replicas, leaders = levels["replicas_per_broker"], levels["leaders_per_broker"]
    in_use = [may or held > 0 for may, held in zip(eligible, replicas.values(), strict=True)]
    figures: dict[str, Any] = {
        key: levels[key] for key in ("rack_violations", "worst_leaders_after_one_failure")
    }
    for name, counts in (("replicas", replicas), ("leaders", leaders)):
        spread = [count for count, used in zip(counts.values(), in_use, strict=True) if used] or [0]
        figures[f"{name}_min"], figures[f"{name}_max"] = min(spread), max(spread)
        figures[f"{name}_per_broker"] = [(int(broker), count) for broker, count in counts.items()]
    return figures


def not_planned(outcome: str, why: str) -> dict[str, Any]:
    """The row of ``plan_summary`` for a cluster without a plan."""
    nothing: dict[str, Any] = {key: [] for key in ("missing", "warnings", "certificate", "loads")}
    return {"outcome": outcome, "reason": why, "partial": False, **nothing}


def up(fragments: Sequence[Fragment]) -> set[int]:
    """Brokers of which some source says that they are up."""
    return {broker for f in fragments for broker, facts in f.brokers.items() if facts.is_up}
