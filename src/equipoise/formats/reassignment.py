"""Kafka's reassignment JSON, version 1: what ``kafka-reassign-partitions`` reads and prints.

Layout::

    {"version":1,"partitions":[
     {"topic":"pay","partition":0,"replicas":[4,2,3],"log_dirs":["any","/d1","any"]}]}

``version`` and ``log_dirs`` may be left out. ``--generate`` and ``--execute`` print such an object
for the state they found, under a heading of its own, and ``--generate`` a second one that it proposes.
:mod:`equipoise.formats.kafka_json` writes the same format.
"""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

from equipoise.formats.faults import Faults
from equipoise.formats.fragment import Fragment
from equipoise.formats.json_rows import read_json
from equipoise.formats.lists import replica_lists
from equipoise.formats.shapes import Id, JsonRows
from equipoise.formats.text import json_span

NAME = "reassignment JSON"
SHAPE = {
    "version?": int,
    "partitions": [{"topic": str, "partition": Id, "replicas": [Id], "log_dirs?": [str]}],
}
CURRENT = re.compile(rb"^Current partition replica assignment", re.M)
PROPOSED = re.compile(rb"^Proposed partition reassignment configuration", re.M)
AFTER_CURRENT = re.compile(rb"^(Proposed partition reassignment|Save this to use as)", re.M)


def recognises(head: bytes) -> bool:
    if re.search(rb'^[ \t]*\{', head, re.M) is None:
        return False
    return bool(CURRENT.search(head)) or bool(re.search(rb'"partitions"\s*:', head))


def parse(text: bytes, faults: Faults, *, proposed: bool = False) -> Fragment:
    """The replica lists that hold.

    With ``proposed`` those that somebody wants instead, as they are written (a list may be empty or
    hold a broker twice): of the output of ``--generate`` the second object.
    """
    span = json_span(text, *section(text, proposed=proposed))
    if span is None:
        raise faults.fatal("no reassignment JSON was found", advice="It begins with a line that starts so: {")
    root = read_json(text, SHAPE, faults, span)
    if len(root) == 0:
        return Fragment(faults.source, NAME, quarantined=tuple(faults.set_aside))
    version = int(root.numbers("version", missing=1)[0])
    if version != 1:
        advice = "Kafka writes version 1"
        raise faults.fatal(f"version {version} is not known", place="version", advice=advice)
    rows = root.rows("partitions")
    topics, topic_idx = rows.strings("topic")
    ids, lengths = rows.id_lists("replicas")
    dirs, dir_idx = log_dirs(rows, lengths, faults)
    lists = replica_lists(
        faults, topics, topic_idx, rows.numbers("partition"), ids, lengths,
        place_form="partitions[{}]", place=entry_numbers(rows), dirs=dirs, dir_idx=dir_idx,
        as_written=proposed,
    )  # fmt: skip
    return Fragment(faults.source, NAME, lists=lists, quarantined=tuple(faults.set_aside))


def section(text: bytes, *, proposed: bool) -> tuple[int, int]:
    """Where in the text the wanted object is: under its heading, or anywhere where there is none."""
    pattern = PROPOSED if proposed else CURRENT
    heading = None if text.startswith(b"{") else pattern.search(text)
    if heading is None:
        return 0, len(text)
    after = None if proposed else AFTER_CURRENT.search(text, heading.end())
    return heading.end(), after.start() if after else len(text)


def entry_numbers(rows: JsonRows) -> npt.NDArray[np.int64]:
    """Number of each row in its JSON list; some rows may have been left out."""
    n = len(rows)
    if n == 0 or rows.where(n - 1) == f"partitions[{n - 1}]":
        return np.arange(n)
    return np.array([int(rows.where(k)[len("partitions[") : -1]) for k in range(n)])


def log_dirs(
    rows: JsonRows, lengths: npt.NDArray[np.int64], faults: Faults
) -> tuple[tuple[str, ...], npt.NDArray[np.int32] | None]:
    """Directories asked for and their position for each replica, -1 for "any"."""
    names, idx, given = rows.string_lists("log_dirs")
    for row in np.flatnonzero((given > 0) & (given != lengths)).tolist():
        reason = f"{given[row]} log_dirs for {lengths[row]} replicas"
        advice = 'Give one for each replica, "any" where it is free'
        raise faults.fatal(reason, place=rows.where(row), advice=advice)
    wanted = [name for name in names if name != "any"]
    if not wanted:
        return (), None
    relative = next((name for name in wanted if not name.startswith("/")), None)
    if relative is not None:
        raise faults.fatal(f'log dir "{relative}" is not an absolute path', place="partitions[].log_dirs")
    position = np.array([wanted.index(name) if name != "any" else -1 for name in names], dtype=np.int32)
    flat = np.full(int(lengths.sum()), -1, dtype=np.int32)
    flat[np.repeat(given > 0, lengths)] = position[idx]
    return tuple(wanted), flat
