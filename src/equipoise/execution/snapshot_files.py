"""A snapshot as a folder of plain files, in the layouts that Kafka's own tools print."""

from __future__ import annotations

import csv
import io
import os
import shutil
from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby
from pathlib import Path

import orjson

from equipoise.execution.port import BrokerState, ConfigValue, Failure, LogDir, PartitionState, TopicPartition
from equipoise.execution.snapshot import Configs, Snapshot
from equipoise.files.folders import Claim, replaced

FORMAT = "equipoise snapshot"
FACTS = "cluster.json"
FILES = frozenset(
    {FACTS, "topics.txt", "reassignments.txt", "endpoints.txt", "brokers.csv", "log-dirs.json", "configs.txt"}
)
"""What a snapshot consists of: these are made anew, all else stays."""


def write_snapshot(told: Snapshot, out: Path, *, taken_at: datetime) -> None:
    """Write the folder as a whole; other files beside those of an earlier snapshot stay.

    Raises ``UnusableInput`` for a folder that is no snapshot's, where something came to it meanwhile, and
    where it cannot be written.
    """

    def foreign(folder: Path) -> str:
        return not_ours(folder) or left_behind(folder, out)

    with replaced(out, Claim(foreign)) as fresh:
        if out.is_dir():
            shutil.copytree(out, fresh, copy_function=link, dirs_exist_ok=True)
        for name, text in snapshot_files(told, taken_at):
            path = fresh / name
            path.unlink(missing_ok=True)
            path.write_bytes(text)


def not_ours(folder: Path) -> str:
    """Why a folder may not be replaced, "" where a snapshot is in it."""
    facts = folder / FACTS
    head = facts.read_bytes()[:200] if facts.is_file() else b""
    return "" if FORMAT.encode() in head else "holds files, but no snapshot"


def left_behind(folder: Path, out: Path) -> str:
    """What a folder has that ``out``, which is to stay in its place, has not; "" where that is nothing.

    Every writer of a snapshot takes along what else is there; this came after it had done so.
    """
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        successor = out / name
        if name in FILES or (path.is_dir() and successor.is_dir()):
            continue
        if not (successor.exists() and same_file(path, successor)):
            return f"holds {name}, which came or was changed while the snapshot was written"
    return ""


def same_file(one: Path, other: Path) -> bool:
    """Whether two names are of one file, or of a copy that `link` made."""
    left, right = one.stat(), other.stat()
    copied = (left.st_size, left.st_mtime_ns) == (right.st_size, right.st_mtime_ns)
    return one.samefile(other) or copied


def link(source: str, target: str) -> None:
    """Let a file stand in both folders; where the file system has no links, copy it."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def snapshot_files(told: Snapshot, taken_at: datetime) -> Iterator[tuple[str, bytes]]:
    """Names and contents."""
    yield FACTS, facts(told, taken_at)
    yield "topics.txt", "".join(topic_lines(told)).encode()
    yield "reassignments.txt", "".join(reassignment_lines(told)).encode()
    yield "endpoints.txt", "".join(endpoint_lines(told)).encode()
    yield "brokers.csv", brokers_table(told).encode()
    yield "log-dirs.json", log_dirs_document(told)
    yield "configs.txt", "".join(config_lines(told)).encode()


def facts(told: Snapshot, taken_at: datetime) -> bytes:
    """``cluster.json``: what no layout of Kafka's tools has a place for."""
    document = {
        "format": FORMAT,
        "version": 1,
        "cluster_id": told.cluster.cluster_id,
        "taken_at": taken_at.isoformat(timespec="seconds"),
        "kafka": {"version": told.version, "features": dict(sorted(told.features.items()))},
        "brokers": len(told.broker_ids),
        "partitions": len(told.partitions),
        "in_flight": len(told.moving),
        "warnings": told.warnings,
    }
    return orjson.dumps(document, option=orjson.OPT_INDENT_2) + b"\n"


def topic_lines(told: Snapshot) -> Iterator[str]:
    """As ``kafka-topics --describe`` of Kafka 4."""
    rows = sorted(told.partitions.items())
    for topic, group in groupby(rows, key=lambda row: row[0].topic):
        partitions = list(group)
        first, state = partitions[0]
        adding = told.moving[first].adding if first in told.moving else ()
        yield (
            f"Topic: {topic}\tTopicId: {told.topic_ids.get(topic, '')}\tPartitionCount: {len(partitions)}\t"
            f"ReplicationFactor: {len(state.replicas) - len(adding)}\t"
            f"Configs: {topic_settings(told.topic_configs.get(topic, {}))}\n"
        )
        for partition, state in partitions:
            yield partition_line(partition, state, told)


def partition_line(partition: TopicPartition, state: PartitionState, told: Snapshot) -> str:
    move = told.moving.get(partition)
    moving = f"\tAdding Replicas: {ids(move.adding)}\tRemoving Replicas: {ids(move.removing)}" if move else ""
    leader = state.leader if state.leader >= 0 else "none"
    return (
        f"\tTopic: {partition.topic}\tPartition: {partition.partition}\tLeader: {leader}\t"
        f"Replicas: {ids(state.replicas)}\tIsr: {ids(state.isr)}{moving}\tElr: N/A\tLastKnownElr: N/A\n"
    )


def topic_settings(configs: Configs | Failure) -> str:
    """What is not at Kafka's default; and what safety and traffic are told from in any case."""
    if isinstance(configs, Failure):
        return ""
    always = {key: configs[key] for key in ("min.insync.replicas", "retention.ms") if key in configs}
    return ",".join(f"{key}={config.value}" for key, config in sorted({**chosen(configs), **always}.items()))


def chosen(configs: Configs) -> Configs:
    """Configs that somebody set, anywhere."""
    return {
        key: config
        for key, config in sorted(configs.items())
        if config.value is not None and config.source != "DEFAULT_CONFIG"
    }


def reassignment_lines(told: Snapshot) -> Iterator[str]:
    """As ``kafka-reassign-partitions --list``."""
    yield "Current partition reassignments:\n" if told.moving else "No partition reassignments found.\n"
    for partition, move in sorted(told.moving.items()):
        adding = f" adding: {ids(move.adding)}." if move.adding else ""
        removing = f" removing: {ids(move.removing)}." if move.removing else ""
        yield f"{partition}: replicas: {ids(move.replicas)}.{adding}{removing}\n"


def endpoint_lines(told: Snapshot) -> Iterator[str]:
    """As ``kafka-cluster list-endpoints``."""
    host, rack = (
        max((len(getattr(broker, of) or "null") for broker in told.cluster.brokers), default=4)
        for of in ("host", "rack")
    )
    form = f"{{:<10}} {{:<{host}}} {{:<6}} {{:<{max(rack, 4)}}} {{:<8}} {{}}\n"
    yield form.format("ID", "HOST", "PORT", "RACK", "STATE", "ENDPOINT_TYPE")
    for broker in told.cluster.brokers:
        state = "fenced" if broker.fenced else "unfenced"
        yield form.format(
            broker.id, broker.host or "null", broker.port, broker.rack or "null", state, "broker"
        )


def brokers_table(told: Snapshot) -> str:
    """Every broker of the cluster: id, rack, and the bytes that its log dirs' volumes have."""
    known: dict[int, BrokerState] = {broker.id: broker for broker in told.cluster.brokers}
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(("id", "rack", "disk_bytes"))
    for broker in told.broker_ids:
        rack = known[broker].rack if broker in known else None
        dirs = told.log_dirs.get(broker, ())
        size = None if isinstance(dirs, Failure) else disk_bytes(dirs)
        table.writerow((broker, rack or "", size or ""))
    return text.getvalue()


def disk_bytes(dirs: Sequence[LogDir]) -> int | None:
    """Sizes of the volumes together; None where one is unknown."""
    volumes: list[LogDir] = []
    for one in dirs:
        if one.total_bytes is None:
            return None
        if not any(same_volume(one, other) for other in volumes):
            volumes.append(one)
    return sum(volume.total_bytes or 0 for volume in volumes) or None


def same_volume(one: LogDir, other: LogDir) -> bool:
    """True where two log dirs share their space.

    Brokers do not say. But disks of one make differ in what is free by what lies on them; where
    two dirs hold different amounts and the same is free, it is one and the same volume.
    """
    if one.total_bytes != other.total_bytes or one.usable_bytes is None or other.usable_bytes is None:
        return False
    held = [sum(replica.size_bytes for replica in each.replicas.values()) for each in (one, other)]
    return abs(one.usable_bytes - other.usable_bytes) < abs(held[0] - held[1]) / 2


def log_dirs_document(told: Snapshot) -> bytes:
    """The JSON line of ``kafka-log-dirs --describe``, with the size of each volume added."""
    brokers = [
        {"broker": broker, "logDirs": [log_dir(where) for where in dirs]}
        for broker, dirs in sorted(told.log_dirs.items())
        if not isinstance(dirs, Failure)
    ]
    return orjson.dumps({"version": 1, "brokers": brokers}) + b"\n"


def log_dir(where: LogDir) -> dict[str, object]:
    copies = [
        {"partition": str(partition), "size": copy.size_bytes, "offsetLag": copy.lag, "isFuture": future}
        for replicas, future in ((where.replicas, False), (where.future, True))
        for partition, copy in replicas.items()
    ]
    return {
        "logDir": where.path,
        "error": str(where.error) if where.error else None,
        "totalBytes": where.total_bytes,
        "usableBytes": where.usable_bytes,
        "isCordoned": where.cordoned,
        "partitions": copies,
    }


def config_lines(told: Snapshot) -> Iterator[str]:
    """The brokers' configs as ``kafka-configs --describe`` prints them; topics' are with the topics."""
    for broker, configs in sorted(told.broker_configs.items()):
        if not isinstance(configs, Failure):
            yield f"All configs for broker {broker} are:\n"
            yield from (setting(key, config) for key, config in chosen(configs).items())


def setting(key: str, config: ConfigValue) -> str:
    return f"  {key}={config.value} sensitive=false synonyms={{{config.source}:{key}={config.value}}}\n"


def ids(brokers: Sequence[int]) -> str:
    return ",".join(map(str, brokers))
