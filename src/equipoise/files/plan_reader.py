"""A plan from the files of its directory, whose bytes are known to be those that were written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from equipoise.cluster import Cluster, Level, Plan
from equipoise.cluster.brokers import IntArray
from equipoise.cluster.cluster import pad_lists
from equipoise.errors import UnusableInput
from equipoise.files.archive import read_archive
from equipoise.files.folders import damaged
from equipoise.files.plan_summary import VERSION, planned_from
from equipoise.files.state import cluster_of
from equipoise.judge.proposal import find_rows


def rebuilt(out: Path, data: Mapping[str, bytes]) -> Plan:
    """The plan from the bytes of its files."""
    cluster = cluster_of(read_archive(data["state.npz"], str(out / "state.npz")), str(out / "state.npz"))
    source = str(out / "plan.json")
    try:
        content = orjson.loads(data["plan.json"])
        if content["version"] != VERSION:
            raise UnusableInput(f"has version {content['version']}, not {VERSION}", source=source)
        if content["source"]["fingerprint"] != planned_from(cluster).fingerprint:
            raise damaged(out / "plan.json", "was not made from the state in state.npz")
        rows = rows_of(cluster, content["moves"])
        return Plan(
            cluster=cluster,
            target=target_of(cluster, rows, [move["after"] for move in content["moves"]]),
            eligible=np.array([broker["eligible"] for broker in content["brokers"]], dtype=bool),
            strategy=content["strategy"],
            certificate=tuple(level_of(entry) for entry in content["certificate"]),
            why=dict(zip(rows.tolist(), (move["why"] for move in content["moves"]), strict=True)),
            proofs=read_archive(data["certificate.npz"], str(out / "certificate.npz")),
            request=content["request"],
            warnings=tuple(content["warnings"]),
            batch=batch_of(cluster, rows, content["moves"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise UnusableInput(f"is not a plan ({error})", source=source) from None


def rows_of(cluster: Cluster, moves: list[dict[str, Any]]) -> np.ndarray:
    """Row of each move; raises ``ValueError`` for a partition that the cluster has not."""
    position = {topic: k for k, topic in enumerate(cluster.topics)}
    topic_idx = np.array([position.get(move["topic"], -1) for move in moves], dtype=np.int64)
    rows = find_rows(cluster, topic_idx, np.array([move["partition"] for move in moves], dtype=np.int64))
    missing = np.flatnonzero(rows < 0)
    if len(missing):
        move = moves[int(missing[0])]
        raise ValueError(f"there is no partition {move['topic']}-{move['partition']}")
    return rows


def target_of(cluster: Cluster, rows: np.ndarray, lists: list[list[int]]) -> IntArray:
    """The replica lists with those of ``rows`` replaced, as broker positions."""
    ids = pad_lists(lists)
    width = max(cluster.replicas.shape[1], ids.shape[1])
    target = np.full((cluster.n_partitions, width), -1, dtype=np.int32)
    target[:, : cluster.replicas.shape[1]] = cluster.replicas
    positions = cluster.brokers.index_of(ids)
    if np.any((ids >= 0) & (positions < 0)):
        raise ValueError("a replica is on a broker that the cluster has not")
    target[rows] = -1
    target[rows, : ids.shape[1]] = positions
    return target


def batch_of(cluster: Cluster, rows: np.ndarray, moves: list[dict[str, Any]]) -> IntArray | None:
    """The batch of each row; None where the moves name none."""
    if not any("batch" in move for move in moves):
        return None
    batch = np.full(cluster.n_partitions, -1, dtype=np.int32)
    batch[rows] = [move["batch"] for move in moves]
    return batch


def level_of(entry: Mapping[str, Any]) -> Level:
    """A line of the certificate as it was."""
    return Level(
        entry["goal"], entry["value"], entry["lower_bound"], entry["proof"], entry.get("note", ""),
        entry.get("anywhere"),
    )  # fmt: skip
