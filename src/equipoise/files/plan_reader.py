"""A plan from the files of its directory, whose bytes are known to be those that were written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from equipoise.cluster import Cluster, Plan
from equipoise.cluster.brokers import IntArray
from equipoise.errors import UnusableInput
from equipoise.files.archive import read_archive
from equipoise.files.digests import damaged
from equipoise.files.dir_plan import rebuilt_dirs
from equipoise.files.plan_head import head_of
from equipoise.files.plan_levels import level_of
from equipoise.files.plan_request import check_request
from equipoise.files.plan_summary import VERSION, planned_from
from equipoise.files.state import cluster_of
from equipoise.formats.faults import Faults
from equipoise.formats.json_rows import read_json
from equipoise.formats.lists import padded
from equipoise.formats.shapes import Id, JsonRows
from equipoise.judge.proposal import find_rows
from equipoise.wording import cut

MOVE = {"topic": str, "partition": Id, "after": [Id], "why": str, "batch?": Id}


def rebuilt(out: Path, data: Mapping[str, bytes]) -> Plan:
    """The plan from the bytes of its files."""
    cluster = cluster_of(read_archive(data["state.npz"], str(out / "state.npz")), str(out / "state.npz"))
    source = str(out / "plan.json")
    head = head_of(data["plan.json"], source)
    if head["version"] != VERSION:
        raise UnusableInput(f"has version {head['version']}, not {VERSION}", source=source)
    check_request(head["request"], cluster.n_brokers, source)
    moves = read_json(data["plan.json"], {"moves": [MOVE]}, Faults(source)).rows("moves")
    try:
        if head["source"]["fingerprint"] != planned_from(cluster).fingerprint:
            raise damaged(out / "plan.json", "was not made from the state in state.npz")
        if [broker["id"] for broker in head["brokers"]] != cluster.brokers.ids.tolist():
            raise ValueError("brokers are not those in state.npz")
        rows = rows_of(cluster, moves)
        target = target_of(cluster, rows, moves)
        lists = data["reassignment.json"], str(out / "reassignment.json")
        return Plan(
            cluster=cluster,
            target=target,
            eligible=np.array([broker["eligible"] for broker in head["brokers"]], dtype=bool),
            strategy=head["strategy"],
            certificate=tuple(level_of(entry) for entry in head["certificate"]),
            why=reasons(rows, moves),
            proofs=read_archive(data["certificate.npz"], str(out / "certificate.npz")),
            request=head["request"],
            warnings=tuple(head["warnings"]),
            offers=tuple(head.get("offers") or ()),
            batch=batch_of(cluster, rows, moves),
            dirs=rebuilt_dirs(cluster, target, head.get("log_dirs"), *lists),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise UnusableInput(f"is not a plan ({error})", source=source) from None


def rows_of(cluster: Cluster, moves: JsonRows) -> np.ndarray:
    """Row of each move; raises ``ValueError`` for a partition that the cluster has not."""
    names, name_idx = moves.strings("topic")
    position = {topic: k for k, topic in enumerate(cluster.topics)}
    topic_idx = np.array([position.get(name, -1) for name in names], dtype=np.int64)[name_idx]
    partition = moves.numbers("partition")
    rows = find_rows(cluster, topic_idx, partition)
    missing = np.flatnonzero(rows < 0)
    if len(missing):
        at = int(missing[0])
        label = f"{cut(names[name_idx[at]])}-{partition[at]}"
        raise ValueError(f"{moves.where(at)}: there is no partition {label}")
    return rows


def target_of(cluster: Cluster, rows: np.ndarray, moves: JsonRows) -> IntArray:
    """The replica lists with those of ``rows`` replaced, as broker positions."""
    flat, lengths = moves.id_lists("after")
    long = np.flatnonzero(lengths > cluster.n_brokers)
    if len(long):
        raise ValueError(f"{moves.where(int(long[0]))}: there are fewer brokers than replicas")
    known = cluster.brokers.index_of(flat)
    strange = np.flatnonzero(known < 0)
    if len(strange):
        at = int(np.searchsorted(np.cumsum(lengths), strange[0], side="right"))
        raise ValueError(f"{moves.where(at)}: there is no broker {flat[strange[0]]}")
    positions = padded(known, lengths, int(lengths.max(initial=1)))
    width = max(cluster.replicas.shape[1], positions.shape[1])
    target = np.full((cluster.n_partitions, width), -1, dtype=np.int32)
    target[:, : cluster.replicas.shape[1]] = cluster.replicas
    target[rows] = -1
    target[rows, : positions.shape[1]] = positions
    return target


def reasons(rows: np.ndarray, moves: JsonRows) -> dict[int, str]:
    """The sentence of each row."""
    sentences, which = moves.strings("why")
    return {row: sentences[k] for row, k in zip(rows.tolist(), which.tolist(), strict=True)}


def batch_of(cluster: Cluster, rows: np.ndarray, moves: JsonRows) -> IntArray | None:
    """The batch of each row; None where the moves name none."""
    given = moves.numbers("batch")
    if not np.any(given >= 0):
        return None
    batch = np.full(cluster.n_partitions, -1, dtype=np.int32)
    batch[rows] = given
    return batch
