"""``proposals``, ``rebalance`` and their like with ``json=true&verbose=true``: lists that are proposed."""

from __future__ import annotations

import re

import numpy as np

from equipoise.formats.faults import Faults
from equipoise.formats.fragment import Fragment
from equipoise.formats.json_rows import load_object
from equipoise.formats.lists import replica_lists
from equipoise.formats.object_rows import factorised
from equipoise.formats.shapes import is_id
from equipoise.wording import cut

NAME = "Cruise Control proposals"


def recognises(head: bytes) -> bool:
    return re.search(rb'"newReplicas"\s*:', head) is not None


def parse(text: bytes, faults: Faults) -> Fragment:
    """The new lists, as they are written; the first of each is the new leader."""
    entries = load_object(text, faults).get("proposals") or []
    topics, numbers, lists = [], [], []
    for k, entry in enumerate(entries):
        try:
            topic, number = topic_partition(entry["topicPartition"])
            lists.append([broker_id(broker) for broker in entry["newReplicas"]])
        except (KeyError, TypeError, ValueError) as error:
            reason = f"{cut(str(entry))} has no topicPartition and newReplicas ({error})"
            raise faults.fatal(reason, place=f"proposals[{k}]") from None
        topics.append(topic)
        numbers.append(number)
    names, topic_idx = factorised(topics)
    replicas = replica_lists(
        faults, names, topic_idx, np.array(numbers, np.int32),
        np.array([broker for ids in lists for broker in ids], np.int32),
        np.array([len(ids) for ids in lists], np.int64),
        place_form="proposals[{}]", as_written=True,
    )  # fmt: skip
    return Fragment(faults.source, NAME, lists=replicas)


def broker_id(given: object) -> int:
    """Raises ``ValueError`` for what is no id."""
    if not is_id(str(given)):
        raise ValueError(f"{cut(str(given))} is not a broker id")
    return int(str(given))


def topic_partition(given: dict[str, object] | str) -> tuple[str, int]:
    """Topic and number; the serializer writes an object, the schema file says ``pay-0``."""
    if isinstance(given, str):
        topic, _, number = given.rpartition("-")
    else:
        topic, number = str(given["topic"]), str(given["partition"])
    if not is_id(number):
        raise ValueError(f"{cut(number)} is not a partition number")
    return topic, int(number)
