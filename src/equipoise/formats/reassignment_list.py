"""``kafka-reassign-partitions --list``: the reassignments in flight.

``pay-1: replicas: 4,2,3,1. adding: 4. removing: 1.`` a line, or ``No partition reassignments found.``
"""

from __future__ import annotations

import re

import numpy as np

from equipoise.cluster.cluster import pad_lists
from equipoise.formats.faults import Faults, shown
from equipoise.formats.fragment import Fragment, InFlight
from equipoise.formats.shapes import is_id
from equipoise.formats.text import lines

NAME = "kafka-reassign-partitions --list"
IDS = r"(\d{1,10}(?:,\d{1,10})*)?\."
ENTRY = re.compile(
    rf"\s*(\S+)-(\d{{1,9}}): replicas: {IDS}(?: adding: {IDS})?(?: removing: {IDS})?\s*", re.ASCII
)
HEADING = re.compile(r"Current partition reassignments:|No partition reassignments found")


def recognises(head: bytes) -> bool:
    text = head.decode(errors="replace")
    return re.search(r"^\s*" + f"(?:{HEADING.pattern})", text, re.M) is not None or (
        re.search(r"^\s*\S+-\d+: replicas: ", text, re.M) is not None
    )


def parse(text: bytes, faults: Faults) -> Fragment:
    """What is being added and removed, by partition."""
    position: dict[str, int] = {}
    topic, partition, adding, removing = [], [], [], []
    for number, line in lines(text):
        entry = ENTRY.fullmatch(line)
        if entry is None or not all(is_id(broker) for part in entry.groups()[2:] for broker in written(part)):
            if not HEADING.search(line) and re.search(r"replicas|adding|removing", line):
                faults.report(f"{shown(line.strip())} is not a reassignment", line=number, text=line)
            continue
        topic.append(position.setdefault(entry[1], len(position)))
        partition.append(int(entry[2]))
        adding.append(ids(entry[4]))
        removing.append(ids(entry[5]))
    moves = InFlight(
        tuple(position), np.array(topic, np.int32), np.array(partition, np.int32),
        pad_lists(adding), pad_lists(removing),
    )  # fmt: skip
    return Fragment(faults.source, NAME, in_flight=moves, quarantined=tuple(faults.set_aside))


def ids(text: str | None) -> list[int]:
    return [int(broker) for broker in written(text)]


def written(text: str | None) -> list[str]:
    return [broker for broker in (text or "").split(",") if broker]
