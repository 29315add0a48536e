"""``kafka_cluster_state?json=true&verbose=true``: replica lists, leaders and min ISR of every partition."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import orjson

from equipoise.formats.faults import Faults
from equipoise.formats.fragment import BrokerFacts, Figures, Fragment
from equipoise.formats.json_rows import read_json
from equipoise.formats.lists import IdLists, replica_lists
from equipoise.formats.shapes import Id, JsonRows, is_id
from equipoise.formats.text import json_span

NAME = "Cruise Control kafka_cluster_state"
STATES = ("offline", "with-offline-replicas", "urp", "under-min-isr", "other")
"""Lists of partitions by their health; one that is unwell may stand in several."""
ENTRY = {"topic": str, "partition": Id, "leader?": int, "replicas": [Id], "in-sync?": [Id], "min-isr?": Id}
SHAPE = {"KafkaPartitionState": {f"{state}?": [ENTRY] for state in STATES}}
COUNTS = re.compile(rb'"ReplicaCountByBrokerId"\s*:\s*(\{[^{}]*\})')
DIRS = re.compile(rb'"(?:On|Off)lineLogDirsByBrokerId"\s*:\s*(\{[^{}]*\})')
DEAD = "broker_dead"
"""Cruise Control's mark in place of the log dirs of a broker that is down."""


def recognises(head: bytes) -> bool:
    return re.search(rb'"Kafka(Partition|Broker)State"\s*:', head) is not None


def parse(text: bytes, faults: Faults) -> Fragment:
    """Lists, leaders and min ISR; raises where the healthy partitions were not asked for."""
    if re.search(rb'"other"\s*:', text) is None and json_span(text) is not None:
        whole = text.rstrip().endswith(b"}")
        advice = "Ask for it with verbose=true" if whole else "Is the file complete?"
        raise faults.fatal("the list of healthy partitions is missing", place='"other"', advice=advice)
    root = read_json(text, SHAPE, faults, json_span(text))
    health = root.child("KafkaPartitionState")
    parts = [health.rows(state) for state in STATES]
    topics: dict[str, int] = {}
    topic_idx = np.concatenate([renumbered(part, topics) for part in parts])
    partition = np.concatenate([part.numbers("partition") for part in parts])
    lists = [part.id_lists("replicas") for part in parts]
    order = np.arange(len(partition))
    once = np.sort(np.unique(topic_idx.astype(np.int64) << 32 | partition, return_index=True)[1])
    ids, lengths = chosen(lists, once)
    in_sync = IdLists(*chosen([part.id_lists("in-sync") for part in parts], once))
    replicas = replica_lists(
        faults, list(topics), topic_idx[once], partition[once], ids, lengths,
        place_form="partition entry {}", place=order[once] + 1,
        leader=np.concatenate([part.numbers("leader") for part in parts])[once],
        isr=in_sync if b'"in-sync"' in text else None,
    )  # fmt: skip
    min_isr = np.concatenate([part.numbers("min-isr") for part in parts])[once].astype(float)
    unknown = np.full(len(once), np.nan)
    figures = Figures(
        tuple(topics), topic_idx[once], partition[once].astype(np.int32), unknown, unknown, unknown,
        np.where(min_isr > 0, min_isr, np.nan),
    )  # fmt: skip
    return Fragment(
        faults.source, NAME, lists=replicas, figures=figures, brokers=brokers_of(text),
        quarantined=tuple(faults.set_aside),
    )  # fmt: skip


def renumbered(rows: JsonRows, topics: dict[str, int]) -> np.ndarray:
    """Topic positions of the rows in ``topics``, which grows."""
    names, idx = rows.strings("topic")
    position = np.array([topics.setdefault(name, len(topics)) for name in names], dtype=np.int32)
    return position[idx] if len(names) else np.zeros(0, dtype=np.int32)


def chosen(
    parts: Sequence[tuple[np.ndarray, np.ndarray]], rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Ids and lengths of the chosen rows out of all parts, whose lists stand one after the other."""
    ids, lengths = (np.concatenate(column) for column in zip(*parts, strict=True))
    keep = np.zeros(len(lengths), dtype=bool)
    keep[rows] = True
    return ids[np.repeat(keep, lengths)], lengths[keep]


def brokers_of(text: bytes) -> dict[int, BrokerFacts]:
    """The brokers that the answer counts replicas of, also those that hold none; which of them are dead."""
    found = COUNTS.search(text)
    counts = orjson.loads(found[1]) if found else {}
    dead = {
        broker
        for dirs in DIRS.finditer(text)
        for broker, marks in orjson.loads(dirs[1]).items()
        if isinstance(marks, list) and DEAD in marks
    }
    facts = {True: BrokerFacts(is_up=False, state=DEAD), False: BrokerFacts()}
    named = [broker for broker in (*counts, *dead) if is_id(broker)]
    return {int(broker): facts[broker in dead] for broker in named}
