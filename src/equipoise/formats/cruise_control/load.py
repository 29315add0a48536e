"""``load?json=true``: racks, states and capacities of brokers."""

from __future__ import annotations

import re

import numpy as np

from equipoise.formats.cruise_control.units import KB, MB
from equipoise.formats.faults import Faults
from equipoise.formats.fragment import BrokerFacts, Fragment
from equipoise.formats.json_rows import read_json
from equipoise.formats.shapes import Id
from equipoise.formats.text import json_span

NAME = "Cruise Control load"
SHAPE = {
    "brokers": [
        {
            "Broker": Id,
            "Host?": str,
            "Rack?": str,
            "BrokerState?": str,
            "DiskCapacityMB?": float,
            "NetworkInCapacity?": float,
            "NetworkOutCapacity?": float,
        }
    ]
}


def recognises(head: bytes) -> bool:
    return re.search(rb'"(BrokerState|LeaderNwInRate)"\s*:', head) is not None


def parse(text: bytes, faults: Faults) -> Fragment:
    """Facts by broker. Cruise Control gives the host for the rack of a broker that has none."""
    rows = read_json(text, SHAPE, faults, json_span(text)).rows("brokers")
    ids = rows.numbers("Broker").tolist()
    racks, hosts, states = (column(rows.strings(key)) for key in ("Rack", "Host", "BrokerState"))
    disk, net_in, net_out = (
        [value * unit if value > 0 else None for value in rows.numbers(key, np.nan).tolist()]
        for key, unit in (("DiskCapacityMB", MB), ("NetworkInCapacity", KB), ("NetworkOutCapacity", KB))
    )
    brokers = {
        broker: BrokerFacts(
            rack=None if racks[k] == hosts[k] else racks[k],
            disk_bytes=disk[k],
            bytes_in_per_s=net_in[k],
            bytes_out_per_s=net_out[k],
            is_up=None if states[k] is None else states[k] != "DEAD",
            state="DEAD" if states[k] == "DEAD" else None,
        )
        for k, broker in enumerate(ids)
    }
    return Fragment(faults.source, NAME, brokers=brokers, quarantined=tuple(faults.set_aside))


def column(coded: tuple[list[str], np.ndarray]) -> list[str | None]:
    names, idx = coded
    return [names[k] if k >= 0 else None for k in idx.tolist()]
