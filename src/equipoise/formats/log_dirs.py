"""``kafka-log-dirs --describe``: which broker holds what in which directory, and how large it is."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from equipoise.formats.faults import Faults, shown
from equipoise.formats.fragment import BrokerFacts, Fragment, LogDirFacts, LogDirReplicas
from equipoise.formats.json_rows import read_json
from equipoise.formats.shapes import Id, JsonRows, Partitions
from equipoise.formats.text import json_span

NAME = "kafka-log-dirs --describe"
SHAPE = {
    "brokers": [
        {
            "broker": Id,
            "logDirs": [
                {
                    "logDir": str,
                    "error?": str,
                    "totalBytes?": int,
                    "isCordoned?": bool,
                    "partitions": [{"partition": str, "size": int, "isFuture?": bool}],
                }
            ],
        }
    ]
}

NOBODY = re.compile(rb'\{\s*"version"\s*:\s*1\s*,\s*"brokers"\s*:\s*\[\s*\]\s*\}')
"""The answer of no broker at all."""


def recognises(head: bytes) -> bool:
    return NOBODY.search(head) is not None or re.search(rb'"logDirs"\s*:', head) is not None


def parse(text: bytes, faults: Faults) -> Fragment:
    """Sizes of replicas by broker and directory; directories with an error are noted."""
    root = read_json(text, SHAPE, faults, json_span(text))
    brokers = root.rows("brokers")
    dirs = brokers.rows("logDirs")
    replicas = dirs.rows("partitions")
    ids = brokers.numbers("broker").astype(np.int32)
    dir_names, dir_idx = dirs.strings("logDir")
    told = replicas.partitions("partition")
    check_names(told, replicas, faults)
    keep = np.flatnonzero(told.topic_idx >= 0)
    size = replicas.numbers("size").astype(np.float64)[keep]
    in_dir = replicas.parent[keep]
    table = LogDirReplicas(
        topics=tuple(told.topics),
        topic_idx=told.topic_idx[keep],
        partition=told.number[keep],
        broker=ids[dirs.parent][in_dir],
        dirs=tuple(dir_names),
        dir_idx=dir_idx[in_dir],
        size_bytes=size,
        is_future=replicas.flags("isFuture")[keep],
        each=each_of(dirs, ids),
    )
    return Fragment(
        faults.source,
        NAME,
        log_dirs=table,
        brokers={int(i): BrokerFacts(is_up=True) for i in ids},
        brokers_role="" if faults.set_aside else "answered",
        notes=offline(dirs, ids),
        quarantined=tuple(faults.set_aside),
    )


def check_names(told: Partitions, rows: JsonRows, faults: Faults) -> None:
    """Report rows that name no partition."""
    unknown = np.flatnonzero(told.topic_idx < 0)
    if not len(unknown):
        return
    labels, label_idx = rows.strings("partition")
    for row in unknown.tolist():
        label = labels[label_idx[row]]
        reason = f"{shown(label)} is not a topic, a dash and a partition number"
        faults.report(reason, place=rows.where(row), text=label)


def each_of(dirs: JsonRows, ids: npt.NDArray[np.int32]) -> tuple[LogDirFacts, ...]:
    """What is told of each directory; sizes of volumes come from snapshots, Kafka's own tool prints none."""
    names, name_idx = dirs.strings("logDir")
    _, error = dirs.strings("error")
    total, cordoned = dirs.numbers("totalBytes"), dirs.flags("isCordoned")
    return tuple(
        LogDirFacts(broker, names[name], float(size) if size > 0 else np.nan, failed < 0 and not closed)
        for broker, name, size, failed, closed in zip(
            ids[dirs.parent].tolist(), name_idx.tolist(), total.tolist(), error.tolist(), cordoned.tolist(),
            strict=True,
        )
    )  # fmt: skip


def offline(dirs: JsonRows, ids: npt.NDArray[np.int32]) -> tuple[str, ...]:
    """A note for each directory that the broker could not read."""
    errors, idx = dirs.strings("error")
    names, name_idx = dirs.strings("logDir")
    return tuple(
        f"log dir {names[name_idx[row]]} of broker {ids[dirs.parent[row]]} has an error: {errors[idx[row]]}"
        for row in np.flatnonzero(idx >= 0).tolist()
    )
