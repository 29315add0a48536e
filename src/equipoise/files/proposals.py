"""A reassignment file of any tool, read but not yet judged."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from equipoise.files.sources import read_bytes, unpacked
from equipoise.formats import cruise_control
from equipoise.formats.faults import Faults
from equipoise.formats.json_rows import read_json
from equipoise.formats.lists import MOST_REPLICAS, padded
from equipoise.formats.reassignment import SHAPE, section
from equipoise.formats.text import json_span, readable
from equipoise.judge import Proposal


def read_proposal(path: str | Path) -> Proposal:
    """The lists that somebody wants; ``-`` is standard input.

    Reads Kafka's reassignment JSON, what Kafka's tool prints for ``--generate``, and Cruise Control's answer
    to ``proposals`` or ``rebalance`` with ``json=true&verbose=true``.

    Unlike a source, it may hold what no cluster can: a broker twice in a list, an empty list, a
    partition twice. That is for the judge to say. Raises :class:`UnusableInput` where the file
    cannot be read as such JSON at all.
    """
    name = "standard input" if str(path) == "-" else str(Path(path))
    return proposal_of(read_bytes(path, name), name)


def proposal_of(content: bytes, name: str) -> Proposal:
    """`read_proposal`, of the bytes of a file that messages call ``name``."""
    faults = Faults(name)
    text = readable(unpacked(content, name), faults)
    if cruise_control.proposals.recognises(text):
        return of_cruise_control(text, faults)
    span = json_span(text, *section(text, proposed=True))
    if span is None:
        raise faults.fatal("no reassignment JSON was found", advice="It begins a line with {")
    root = read_json(text, SHAPE, faults, span)
    version = int(root.numbers("version", missing=1)[0])
    if version != 1:
        raise faults.fatal(f"{version} is not a known version", place="version", advice="Kafka has 1")
    rows = root.rows("partitions")
    topics, topic_idx = rows.strings("topic")
    ids, lengths = rows.id_lists("replicas")
    longest = int(lengths.max(initial=0))
    if longest > MOST_REPLICAS:
        raise faults.fatal(f"a replica list has {longest} brokers", place=rows.where(int(lengths.argmax())))
    return Proposal(
        topics=tuple(topics),
        topic_idx=np.asarray(topic_idx, dtype=np.int32),
        partition=rows.numbers("partition").astype(np.int32),
        replica_ids=padded(ids, lengths, max(1, longest)),
    )


def of_cruise_control(text: bytes, faults: Faults) -> Proposal:
    """The new lists of Cruise Control's answer; of the partitions that it would change."""
    lists = cruise_control.proposals.parse(text, faults).lists
    if lists is None or not len(lists):
        raise faults.fatal("no proposal is in it", advice="Ask with verbose=true")
    return Proposal(lists.topics, lists.topic_idx, lists.partition, lists.replicas)
