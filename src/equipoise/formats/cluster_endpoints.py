"""``kafka-cluster list-endpoints``: a table ID HOST PORT RACK STATE ENDPOINT_TYPE, padded with blanks."""

from __future__ import annotations

import re

from equipoise.formats.faults import Faults, shown
from equipoise.formats.fragment import BrokerFacts, Fragment
from equipoise.formats.shapes import is_id
from equipoise.formats.text import lines

NAME = "kafka-cluster list-endpoints"
HEADER = re.compile(rb"^\s*ID\s+HOST\s+PORT\s+RACK\b.*$", re.M)
ROW = re.compile(
    r"\s*([0-9]{1,10})\s+(\S+)\s+(\d+)\s+(.*?)\s*(?:\s(fenced|unfenced))?\s*(?:\s(broker|controller))?\s*"
)


def recognises(head: bytes) -> bool:
    return HEADER.search(head) is not None


def parse(text: bytes, faults: Faults) -> Fragment:
    """Racks and whether brokers are fenced; controllers hold no partitions and are passed over."""
    brokers: dict[int, BrokerFacts] = {}
    header_seen = False
    for number, line in lines(text):
        if HEADER.match(line.encode()):
            header_seen = True
        elif header_seen:
            row = ROW.fullmatch(line)
            if row is None or not is_id(row[1]):
                faults.report(f"{shown(line.strip())} is not an endpoint", line=number, text=line)
            elif row[6] != "controller":
                rack = None if row[4] in ("null", "") else row[4]
                fenced = row[5] == "fenced"
                state = "fenced" if fenced else None
                brokers[int(row[1])] = BrokerFacts(rack=rack, is_up=not fenced, state=state)
    return Fragment(
        faults.source, NAME, brokers=brokers, brokers_role="" if faults.set_aside else "up",
        quarantined=tuple(faults.set_aside)
    )
