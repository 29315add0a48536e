"""``kafka-topics --describe``, every layout from 2.0 to 4.x, with tabs or with spaces.

Per topic one line ``Topic: NAME  PartitionCount: N  ReplicationFactor: R  Configs: k=v,...``, per
partition one line ``Topic: NAME  Partition: P  Leader: L  Replicas: a,b,c  Isr: a,b`` to which newer
versions add ``Adding Replicas``, ``Removing Replicas``, ``Elr``, ``LastKnownElr``. Keys that are not
known are passed over. While a reassignment is in flight ``Replicas`` is the union, target first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.cluster import pad_lists
from equipoise.formats.configs import split_configs
from equipoise.formats.describe_line import ID_KEYS, fault_of, fields_of, id_list
from equipoise.formats.faults import Faults, shown
from equipoise.formats.fragment import Fragment, InFlight, PartitionCount, ReplicaLists
from equipoise.formats.lists import IdLists, replica_lists
from equipoise.formats.shapes import is_id
from equipoise.formats.text import chunks

NAME = "kafka-topics --describe"

REGULAR = re.compile(
    rb"^[ \t]*Topic:[ \t]*(\S+)[ \t]+Partition:[ \t]*(\d{1,9})[ \t]+Leader:[ \t]*(\d{1,9}|none|-1)"
    rb"[ \t]+Replicas:[ \t]*(\d{1,9}(?:,\d{1,9})*)[ \t]+Isr:[ \t]*((?:\d{1,9}(?:,\d{1,9})*)?)"
    rb"(?:[ \t]+Elr:[ \t]*(?:N/A|[\d,]*)[ \t]+LastKnownElr:[ \t]*(?:N/A|[\d,]*))?[ \t]*\r?$"
    rb"|^(.*)$",
    re.M,
)
"""A partition at rest as Kafka prints it, or any other line: one match a line."""

NEEDS_TOPIC = {"Partition", "Replicas", "Leader", "PartitionCount"}
"""Keys without meaning where no topic is named."""


@dataclass
class Table:
    """Rows as they are found, in parts; one part is a chunk of regular lines or a single odd line."""

    topics: dict[bytes, int] = field(default_factory=dict)
    topic_idx: list[IntArray] = field(default_factory=list)
    partition: list[IntArray] = field(default_factory=list)
    leader: list[IntArray] = field(default_factory=list)
    isr: list[IntArray] = field(default_factory=list)
    isr_lengths: list[IntArray] = field(default_factory=list)
    ids: list[IntArray] = field(default_factory=list)
    lengths: list[IntArray] = field(default_factory=list)
    line: list[IntArray] = field(default_factory=list)
    moving: list[tuple[int, int, list[int], list[int]]] = field(default_factory=list)
    """Topic, partition, ids being added and removed."""
    counts: dict[str, PartitionCount] = field(default_factory=dict)
    """What topic lines promise."""
    configs: dict[str, dict[str, str]] = field(default_factory=dict)


PREFIX = re.compile(rb"^(?![ \t]*Topic:)[^\n]*?:(?=[ \t]*Topic:[ \t]*\S)", re.M)
"""``topics.txt:``, ``12:`` or both in front of a line, as ``grep -H`` and ``grep -n`` put them there."""


def without_prefixes(text: bytes) -> bytes:
    """The text with lines that begin with their topic."""
    prefixed = b":Topic:" in text or b":\tTopic:" in text
    return PREFIX.sub(b"", text) if prefixed else text


def recognises(head: bytes) -> bool:
    head = without_prefixes(head)
    return re.search(rb"^[ \t]*Topic: ?\S+[ \t]+(TopicId|PartitionCount|Partition):", head, re.M) is not None


def parse(text: bytes, faults: Faults) -> Fragment:
    """Replica lists, leaders, moves in flight and the topic configs."""
    table, text = Table(), without_prefixes(text)
    for first_line, chunk in chunks(text):
        add_chunk(table, first_line, chunk, faults)
    lists = replica_lists(
        faults,
        [name.decode() for name in table.topics],
        joined(table.topic_idx),
        joined(table.partition),
        joined(table.ids),
        joined(table.lengths),
        place_form="line {}",
        place=joined(table.line),
        leader=joined(table.leader),
        isr=IdLists(joined(table.isr), joined(table.isr_lengths).astype(np.int64)),
    )
    check_counts(table, lists, faults)
    return Fragment(
        faults.source, NAME, lists=lists, in_flight=in_flight_of(table), topic_configs=table.configs,
        partition_counts=table.counts, quarantined=tuple(faults.set_aside),
    )  # fmt: skip


def add_chunk(table: Table, first_line: int, chunk: bytes, faults: Faults) -> None:
    """Add the lines of a chunk: the regular ones as columns, the others one by one."""
    matches = REGULAR.findall(chunk[:-1] if chunk.endswith(b"\n") else chunk)
    topic, partition, leader, replicas, isr, other = zip(*matches, strict=True)
    odd = [k for k, line in enumerate(other) if line.strip()]
    regular = np.flatnonzero(np.fromiter(map(len, topic), np.int64, len(topic)))
    if len(regular):
        kept = [name for name in topic if name]
        lists = [ids for ids in replicas if ids]
        positions = [table.topics.setdefault(name, len(table.topics)) for name in kept]
        table.topic_idx.append(np.array(positions, np.int32))
        table.partition.append(numbers(p for p in partition if p))
        table.leader.append(numbers(b"-1" if who == b"none" else who for who in leader if who))
        in_sync = [ids for name, ids in zip(topic, isr, strict=True) if name]
        table.ids.append(numbers(lists))
        table.lengths.append(np.array([ids.count(b",") + 1 for ids in lists], np.int32))
        table.isr.append(numbers(ids for ids in in_sync if ids))
        table.isr_lengths.append(np.array([ids.count(b",") + 1 if ids else 0 for ids in in_sync], np.int32))
        table.line.append((regular + first_line).astype(np.int32))
    for k in odd:
        add_line(table, first_line + k, other[k].decode(), faults)


def numbers(texts: Iterable[bytes]) -> IntArray:
    """Comma separated numbers in all the texts, one after the other, int32."""
    return np.fromstring(b",".join(texts).decode(), sep=",", dtype=np.int64).astype(np.int32)


def add_line(table: Table, number: int, line: str, faults: Faults) -> None:
    """Add one line that is not a regular partition line."""
    fields = fields_of(line)
    if "Topic" not in fields:
        if set(fields) & NEEDS_TOPIC or line.lstrip().startswith("Topic"):
            faults.report(f"no topic in {shown(line.strip())}", line=number, text=line)
        else:
            faults.pass_over("neither a topic nor a partition", line=number, text=line)
        return
    if "Partition" in fields:
        add_partition(table, number, line, fields, faults)
    elif "PartitionCount" in fields:
        topic = fields["Topic"]
        if is_id(fields["PartitionCount"]):
            table.counts[topic] = PartitionCount(int(fields["PartitionCount"]), number)
        table.configs[topic] = split_configs(fields.get("Configs", ""))
    else:
        faults.report(
            f"{shown(line.strip())} has no Partition or PartitionCount", line=number, text=line,
            advice="Is the output complete?",
        )  # fmt: skip


def add_partition(table: Table, number: int, line: str, fields: dict[str, str], faults: Faults) -> None:
    """Add a partition line that has more, fewer or other fields than a regular one."""
    fault = fault_of(fields)
    if fault:
        faults.report(fault, line=number, text=line, advice="Is the output complete?")
        return
    topic = table.topics.setdefault(fields["Topic"].encode(), len(table.topics))
    partition, leader = int(fields["Partition"]), fields["Leader"]
    replicas, adding, removing, isr = (id_list(fields.get(key, "")) or [] for key in ID_KEYS)
    table.topic_idx.append(np.array([topic], np.int32))
    table.partition.append(np.array([partition], np.int32))
    table.leader.append(np.array([-1 if leader == "none" else int(leader)], np.int32))
    table.ids.append(np.array(replicas, np.int32))
    table.lengths.append(np.array([len(replicas)], np.int32))
    table.isr.append(np.array(isr, np.int32))
    table.isr_lengths.append(np.array([len(isr)], np.int32))
    table.line.append(np.array([number], np.int32))
    if adding or removing:
        table.moving.append((topic, partition, adding, removing))


def joined(parts: list[IntArray]) -> IntArray:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)


def check_counts(table: Table, lists: ReplicaLists, faults: Faults) -> None:
    """Report a topic with more partitions than its topic line promises; whether some lack, merging tells."""
    if not len(lists) or faults.lenient:
        return
    found = np.bincount(lists.topic_idx, minlength=len(lists.topics)).tolist()
    have = dict(zip(lists.topics, found, strict=True))
    for topic, (count, number) in table.counts.items():
        if have.get(topic, 0) > count:
            faults.report(
                f"topic {topic} has PartitionCount {count}, but there are lines for {have[topic]}",
                line=number, advice="Was the topic made larger meanwhile? Describe it again",
            )  # fmt: skip


def in_flight_of(table: Table) -> InFlight | None:
    """The moves in flight, None where there is none."""
    if not table.moving:
        return None
    topic, partition, adding, removing = zip(*table.moving, strict=True)
    return InFlight(
        tuple(name.decode() for name in table.topics),
        np.array(topic, np.int32),
        np.array(partition, np.int32),
        pad_lists(adding),
        pad_lists(removing),
    )
