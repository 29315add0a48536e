"""The log dirs of a plan: in ``plan.json``, and read back from the files of a plan directory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from equipoise.cluster import Cluster, Plan
from equipoise.cluster.brokers import IntArray
from equipoise.cluster.log_dirs import DirPlan, LogDirs
from equipoise.files.log_dirs import named_dirs
from equipoise.files.plan_levels import certified, known, level_of
from equipoise.formats.faults import Faults
from equipoise.formats.reassignment import parse
from equipoise.judge.proposal import find_rows

SHAPE = {
    "summary": {"unknown": int},
    "certificate": [{"goal": str, "value?": float, "lower_bound?": float, "proof": str, "note?": str}],
    "why": {},
}


def dir_facts(plan: Plan) -> dict[str, Any] | None:
    """What ``plan.json`` says of log dirs; None where nobody asked for them."""
    dirs, wanted = plan.cluster.dirs, plan.dirs
    if dirs is None or wanted is None:
        return None
    moves = moves_between(plan, dirs, wanted)
    named = named_dirs(plan)
    carried = [move["bytes"] for move in moves]
    return {
        "summary": {
            "placed": 0 if named is None else int((named >= 0).sum()) - len(moves),
            "moved": len(moves),
            "bytes_moved": None if None in carried else sum(carried),
            "unknown": wanted.unknown,
        },
        "certificate": [certified(level) for level in wanted.certificate],
        "dirs": dir_levels(plan, dirs, wanted),
        "why": {str(broker): sentence for broker, sentence in sorted(wanted.why.items())},
        "moves": moves,
    }


def moves_between(plan: Plan, dirs: LogDirs, wanted: DirPlan) -> list[dict[str, Any]]:
    """Every replica that changes its dir on the broker where it stays."""
    cluster = plan.cluster
    held = dirs.held(cluster.ids_of(plan.target))
    rows, columns = np.nonzero(wanted.moved(cluster, plan.target))
    return [
        {
            "topic": cluster.topics[cluster.topic_idx[row]],
            "partition": int(cluster.partition[row]),
            "broker": int(dirs.broker[old]),
            "from": dirs.paths[old],
            "to": dirs.paths[new],
            "bytes": None if np.isnan(cluster.size_bytes[row]) else int(np.ceil(cluster.size_bytes[row])),
        }
        for row, old, new in zip(
            rows.tolist(), held[rows, columns].tolist(), wanted.target[rows, columns].tolist(), strict=True
        )
    ]


def dir_levels(plan: Plan, dirs: LogDirs, wanted: DirPlan) -> list[dict[str, Any]]:
    """Each dir, with its replicas and their bytes before and after the plan; a size not known counts 0."""
    cluster = plan.cluster
    sizes = np.nan_to_num(np.ceil(cluster.size_bytes))
    drained = {tuple(each) for each in plan.request.get("drain_dir", ())}

    def totals(places: IntArray) -> tuple[list[int], list[int]]:
        rows, columns = np.nonzero(places >= 0)
        there = places[rows, columns]
        counts = np.bincount(there, minlength=len(dirs))
        return counts.tolist(), np.bincount(there, sizes[rows], len(dirs)).astype(np.int64).tolist()

    before = totals(dirs.held(cluster.ids_of(cluster.replicas)))
    after = totals(wanted.target)
    return [
        {
            "broker": int(dirs.broker[at]),
            "path": path,
            "total_bytes": known(None if np.isnan(dirs.total_bytes[at]) else float(dirs.total_bytes[at])),
            "usable": bool(dirs.usable[at]),
            "drained": (int(dirs.broker[at]), path) in drained,
            "replicas": [before[0][at], after[0][at]],
            "bytes": [before[1][at], after[1][at]],
        }
        for at, path in enumerate(dirs.paths)
    ]


def rebuilt_dirs(
    cluster: Cluster, target: IntArray, told: Mapping[str, Any] | None, reassignment: bytes, source: str
) -> DirPlan | None:
    """The log dirs of a plan with these lists; ``told`` is what ``plan.json`` says of them.

    Raises ``ValueError`` where they are none of the cluster, :class:`UnusableInput` where the file is none.
    """
    if told is None:
        return None
    dirs = cluster.dirs
    if dirs is None:
        raise ValueError("log_dirs: the state in state.npz has none")
    places = dirs.held(cluster.ids_of(target))
    lists = parse(reassignment, Faults(source), proposed=True).lists
    if lists is not None and lists.dir_idx is not None:
        position = {topic: k for k, topic in enumerate(cluster.topics)}
        topics = np.array([position.get(name, -1) for name in lists.topics], dtype=np.int64)
        rows = find_rows(cluster, topics[lists.topic_idx], lists.partition)
        for row, replica in np.argwhere(lists.dir_idx >= 0).tolist():
            broker, path = int(lists.replicas[row, replica]), lists.dirs[lists.dir_idx[row, replica]]
            at = dirs.position(broker, path)
            here = np.flatnonzero(cluster.ids_of(target[rows[row]]) == broker)
            if at < 0 or rows[row] < 0 or len(here) != 1:
                raise ValueError(f"log_dirs: broker {broker} has no replica of {lists.label(row)} for {path}")
            places[rows[row], here[0]] = at
    return DirPlan(
        places,
        tuple(level_of(entry) for entry in told["certificate"]),
        {int(broker): str(sentence) for broker, sentence in told["why"].items()},
        told["summary"]["unknown"],
    )
