"""``kcat -L -J``: brokers that are up, topics, replica lists and leaders in one JSON object."""

from __future__ import annotations

import re

import numpy as np

from equipoise.formats.faults import Faults
from equipoise.formats.fragment import BrokerFacts, Fragment
from equipoise.formats.json_rows import read_json
from equipoise.formats.lists import IdLists, replica_lists
from equipoise.formats.shapes import Id
from equipoise.formats.text import json_span

NAME = "kcat -L -J"
SHAPE = {
    "brokers?": [{"id": Id}],
    "topics": [
        {
            "topic": str,
            "partitions?": [
                {"partition": Id, "leader?": int, "replicas": [{"id": Id}], "isrs?": [{"id": Id}]}
            ],
        }
    ],
}


def recognises(head: bytes) -> bool:
    return re.search(rb'"(originating_broker|controllerid)"\s*:', head) is not None


def parse(text: bytes, faults: Faults) -> Fragment:
    """Replica lists in preference order; a topic that kcat met with an error has none, and is named."""
    root = read_json(text, SHAPE, faults, json_span(text))
    topics = root.rows("topics")
    partitions = topics.rows("partitions")
    replicas = partitions.rows("replicas")
    in_sync = partitions.rows("isrs")
    told = IdLists(in_sync.numbers("id"), np.bincount(in_sync.parent, minlength=len(partitions)))
    names, topic_of = topics.strings("topic")
    lists = replica_lists(
        faults, names, topic_of[partitions.parent], partitions.numbers("partition"), replicas.numbers("id"),
        np.bincount(replicas.parent, minlength=len(partitions)),
        place_form="partition entry {}", place=np.arange(1, len(partitions) + 1),
        leader=partitions.numbers("leader"), isr=told if b'"isrs"' in text else None,
    )  # fmt: skip
    listed = np.bincount(partitions.parent, minlength=len(topics)) > 0
    untold = tuple(names[of] for of, has_some in zip(topic_of, listed, strict=True) if not has_some)
    up = {int(i): BrokerFacts(is_up=True) for i in root.rows("brokers").numbers("id")}
    return Fragment(
        faults.source, NAME, lists=lists, brokers=up, brokers_role="" if faults.set_aside else "up",
        untold=untold, quarantined=tuple(faults.set_aside),
    )
