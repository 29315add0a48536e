"""The plan directory: everything that was decided, as files that can be read, compared and replayed.

A directory is a function of its plan: the same plan gives the same bytes. ``SHA256SUMS`` makes a
changed byte known; ``state.npz`` is the cluster that was planned from, with its sizes and rates, so
that the plan can be judged by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import orjson

from equipoise.cluster import Plan
from equipoise.errors import UnusableInput
from equipoise.files.archive import archive_bytes
from equipoise.files.digests import SUMS, check_digest, damaged, read_checked, read_sums, write_files
from equipoise.files.folders import replaced
from equipoise.files.log_dirs import dirs_before
from equipoise.files.move_lines import move_lines
from equipoise.files.plan_claim import plan_claim
from equipoise.files.plan_reader import rebuilt
from equipoise.files.plan_summary import overview, summary
from equipoise.files.state import state_arrays
from equipoise.files.wave_files import lists_json, rows_json, wave_files
from equipoise.formats.kafka_json import topic_files

if TYPE_CHECKING:
    from equipoise.scheduling import Schedule

__all__ = ["contents", "read_plan", "summary", "write_plan"]


def write_plan(
    plan: Plan,
    out: Path,
    *,
    schedule: Schedule | None = None,
    extra: Mapping[str, bytes] | None = None,
    force: bool = False,
) -> None:
    """Write the plan directory ``out``, as a whole or not at all.

    Waves are those of ``schedule`` (None: one with the usual limits). ``extra`` are more files by
    name, such as ``report.html``. An earlier plan of the same request is replaced; one of another request or
    cluster, one that was changed, and one with a journal are with ``force`` alone. Raises
    :class:`UnusableInput` where one of these, or anything else, is in the way, and where nothing can be
    written.
    """
    if schedule is None:
        from equipoise.scheduling import schedule as usual

        schedule = usual(plan)
    claim = plan_claim(plan.request, plan.cluster.cluster_id)
    with replaced(Path(out), claim, force=force) as folder:
        write_files(folder, chain(contents(plan), wave_files(schedule)))
        for name, data in (extra or {}).items():
            (folder / name).write_bytes(data)


def contents(plan: Plan) -> Iterator[tuple[str, bytes]]:
    """Relative path and bytes of every file that the plan alone decides."""
    cluster = plan.cluster
    yield "plan.json", plan_json(plan)
    yield "reassignment.json", rows_json(plan, plan.touched)
    existed = plan.touched[cluster.rf[plan.touched] > 0]
    yield "rollback.json", lists_json(plan, existed, cluster.replicas, dirs_before(plan))
    names = [file_name(topic) for topic in cluster.topics]
    for folder, replicas in (("original", cluster.replicas), ("migrated", plan.target)):
        files = topic_files(cluster.topics, cluster.topic_start, cluster.partition, cluster.ids_of(replicas))
        for name, data in zip(names, files, strict=True):
            yield f"{folder}/{name}", data
    yield "certificate.npz", archive_bytes(plan.proofs)
    yield "state.npz", archive_bytes(state_arrays(cluster, dirs=plan.dirs is not None))


def plan_json(plan: Plan) -> bytes:
    """``plan.json`` with one key, and one move, a line."""
    lines = [orjson.dumps(key) + b": " + orjson.dumps(value) for key, value in overview(plan).items()]
    end = b"]\n}\n" if not len(plan.changed) else b"\n]\n}\n"
    return b"".join((b"{\n", b",\n".join(lines), b',\n"moves": [', move_lines(plan), end))


def file_name(topic: str) -> str:
    """``TOPIC.json``; characters that Kafka does not allow in a topic are written as %XX."""
    name = quote(topic, safe="")
    return f"{name}.json"


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
        raise damaged(out / SUMS, f"does not list {name}")
    data = {name: read_checked(out, name, sums[name]) for name in needed}
    for name in sorted(sums.keys() - needed):
        check_digest(out, name, sums[name])
    plan = rebuilt(out, data)
    if rows_json(plan, plan.touched) != data["reassignment.json"]:
        raise damaged(out / "reassignment.json", "does not say what plan.json says")
    return plan


def refuse_strangers(out: Path, sums: Mapping[str, str]) -> None:
    """Raise for a file in a folder of the plan that the digests do not know."""
    for folder in ("waves", "original", "migrated"):
        for entry in sorted((out / folder).iterdir()) if (out / folder).is_dir() else ():
            if f"{folder}/{entry.name}" not in sums:
                raise damaged(entry, "was added after the plan was made")
