"""``kafka-broker-api-versions``: one header line per broker that the cluster calls up, with its rack.

``b1:9092 (id: 1 rack: az-a) -> (`` up to 3.x, ``b1:9092 (id: 1 rack: az-a isFenced: false) -> (`` from 4.0.
A broker that did not answer has ``-> ERROR: ...`` in place of the bracket.
"""

from __future__ import annotations

import re

from equipoise.formats.faults import Faults
from equipoise.formats.fragment import BrokerFacts, Fragment
from equipoise.formats.shapes import is_id

NAME = "kafka-broker-api-versions"
HEADER = re.compile(
    rb"^\s*\S+:\d+ \(id: (\d{1,10}) rack: (.*?)(?: isFenced: (true|false))?\) -> ?(ERROR\b)?", re.M
)


def recognises(head: bytes) -> bool:
    return HEADER.search(head) is not None


def parse(text: bytes, faults: Faults) -> Fragment:
    """Racks by broker; ``rack: null`` is no rack."""
    brokers: dict[int, BrokerFacts] = {}
    for found in HEADER.finditer(text):
        if not is_id(found[1].decode()):
            faults.report(f"{found[1].decode()} is not a broker id", text=found[0].decode())
            continue
        rack = None if found[2] in (b"null", b"") else found[2].decode()
        state = "fenced" if found[3] == b"true" else "without an answer" if found[4] else None
        brokers[int(found[1])] = BrokerFacts(rack=rack, is_up=state is None, state=state)
    return Fragment(
        faults.source, NAME, brokers=brokers, brokers_role="" if faults.set_aside else "up",
        quarantined=tuple(faults.set_aside),
    )  # fmt: skip
