"""The plan directory: everything that was decided, as files that can be read, compared and replayed.

A directory is a function of its plan: the same plan gives the same bytes. ``SHA256SUMS`` makes a
changed byte known; ``state.npz`` is the cluster that was planned from, with its sizes and rates, so
that the plan can be judged by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import numpy as np
import orjson

from equipoise.cluster import Cluster, Level, Plan
from equipoise.cluster.brokers import IntArray
from equipoise.cluster.cluster import pad_lists
from equipoise.errors import UnusableInput
from equipoise.files.archive import archive_bytes, read_archive
from equipoise.files.folders import SUMS, read_checked, read_sums, replaced, write_files
from equipoise.files.plan_summary import VERSION, overview, planned_from, summary
from equipoise.files.plan_summary import moves as moves_of
from equipoise.files.state import cluster_of, state_arrays
from equipoise.files.wave_files import rows_json, wave_files
from equipoise.formats.kafka_json import topic_files

if TYPE_CHECKING:
    from equipoise.scheduling.result import Schedule

__all__ = ["contents", "read_plan", "summary", "write_plan"]

ENTRIES = frozenset({"plan.json", "reassignment.json", "rollback.json", "waves", "original", "migrated",
                     "certificate.npz", "state.npz", "report.html", SUMS})


def write_plan(
    plan: Plan, out: Path, *, schedule: Schedule | None = None, extra: Mapping[str, bytes] | None = None
) -> None:
    """Write the plan directory ``out``, as a whole or not at all.

    ``extra`` are more files by name, such as ``report.html``. An earlier plan directory is replaced;
    raises :class:`UnusableInput` where anything else is in the way, or where nothing can be written.
    """
    with replaced(Path(out), may_replace) as folder:
        write_files(folder, contents(plan, schedule))
        for name, data in (extra or {}).items():
            (folder / name).write_bytes(data)


def contents(plan: Plan, schedule: Schedule | None = None) -> Iterator[tuple[str, bytes]]:
    """Relative path and bytes of every file of a plan directory, but the digests and the report."""
    cluster = plan.cluster
    yield "plan.json", plan_json(plan)
    yield "reassignment.json", rows_json(plan, plan.changed, plan.target)
    existed = plan.changed[cluster.rf[plan.changed] > 0]
    yield "rollback.json", rows_json(plan, existed, cluster.replicas)
    yield from wave_files(plan, schedule)
    for folder, replicas in (("original", cluster.replicas), ("migrated", plan.target)):
        files = topic_files(cluster.topics, cluster.topic_start, cluster.partition, cluster.ids_of(replicas))
        for topic, data in zip(cluster.topics, files, strict=True):
            yield f"{folder}/{file_name(topic)}", data
    yield "certificate.npz", archive_bytes(plan.proofs)
    yield "state.npz", archive_bytes(state_arrays(cluster))


def plan_json(plan: Plan) -> bytes:
    """``plan.json`` with one key, and one move, a line."""
    lines = [orjson.dumps(key) + b": " + orjson.dumps(value) for key, value in overview(plan).items()]
    moves = b",\n".join(map(orjson.dumps, moves_of(plan)))
    lines.append(b'"moves": [' + (b"\n" + moves + b"\n" if moves else b"") + b"]")
    return b"{\n" + b",\n".join(lines) + b"\n}\n"


def file_name(topic: str) -> str:
    """``TOPIC.json``; characters that Kafka does not allow in a topic are written as %XX."""
    name = quote(topic, safe="")
    return f"{name}.json"


def may_replace(folder: Path) -> str:
    """Why this folder must stay, "" for a plan directory with nothing else in it."""
    names = {entry.name for entry in folder.iterdir()}
    if not {"plan.json", "reassignment.json", SUMS} <= names:
        return "is there and is not a plan directory"
    foreign = sorted(names - ENTRIES)
    return f"holds {foreign[0]}, which is not part of a plan" if foreign else ""


def read_plan(out: Path) -> Plan:
    """The plan of a plan directory.

    Raises :class:`UnusableInput` where it is none, where any byte of it was changed, or where its
    files contradict each other.
    """
    out = Path(out)
    if not (out / "plan.json").is_file():
        raise UnusableInput("is not a plan directory: it has no plan.json", source=str(out))
    sums = read_sums(out)
    refuse_strangers(out, sums)
    needed = {"plan.json", "reassignment.json", "certificate.npz", "state.npz"}
    for name in sorted(needed - sums.keys()):
        raise UnusableInput(f"does not list {name}", source=str(out / SUMS), advice="Plan again")
    data = {name: read_checked(out, name, sums[name]) for name in needed}
    for name in sorted(sums.keys() - needed):
        read_checked(out, name, sums[name])
    plan = rebuilt(out, data)
    if rows_json(plan, plan.changed, plan.target) != data["reassignment.json"]:
        raise UnusableInput("does not say what plan.json says", source=str(out / "reassignment.json"),
                            advice="Plan again")
    return plan


def refuse_strangers(out: Path, sums: Mapping[str, str]) -> None:
    """Raise for a file in a folder of the plan that the digests do not know."""
    for folder in ("waves", "original", "migrated"):
        for entry in sorted((out / folder).iterdir()) if (out / folder).is_dir() else ():
            if f"{folder}/{entry.name}" not in sums:
                raise UnusableInput("was added after the plan was made", source=str(entry), advice="Plan again")


def rebuilt(out: Path, data: Mapping[str, bytes]) -> Plan:
    """The plan from the bytes of its files."""
    cluster = cluster_of(read_archive(data["state.npz"], str(out / "state.npz")), str(out / "state.npz"))
    source = str(out / "plan.json")
    try:
        content = orjson.loads(data["plan.json"])
        if content["version"] != VERSION:
            raise UnusableInput(f"is of version {content['version']}, not {VERSION}", source=source)
        if content["source"]["fingerprint"] != planned_from(cluster).fingerprint:
            raise UnusableInput("was not made from the state in state.npz", source=source, advice="Plan again")
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
        )
    except (KeyError, TypeError, ValueError) as error:
        raise UnusableInput(f"is not a plan ({error})", source=source) from None


def rows_of(cluster: Cluster, moves: list[dict[str, Any]]) -> np.ndarray:
    """Row of each move; raises ``ValueError`` for a partition that the cluster has not."""
    position = {topic: k for k, topic in enumerate(cluster.topics)}
    topic_idx = np.array([position.get(move["topic"], -1) for move in moves], dtype=np.int64)
    wanted = (topic_idx << 32) + np.array([move["partition"] for move in moves], dtype=np.int64)
    have = (cluster.topic_idx.astype(np.int64) << 32) + cluster.partition
    rows = np.searchsorted(have, wanted)
    missing = np.flatnonzero(~np.isin(wanted, have))
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


def level_of(entry: Mapping[str, Any]) -> Level:
    """A line of the certificate as it was."""
    return Level(entry["goal"], entry["value"], entry["lower_bound"], entry["proof"], entry.get("note", ""))
