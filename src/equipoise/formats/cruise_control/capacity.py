"""``capacity.json``: capacities of brokers; all numbers are strings, id -1 is the default."""

from __future__ import annotations

import re
from typing import Any

from equipoise.formats.cruise_control.units import KB, MB
from equipoise.formats.faults import Faults
from equipoise.formats.fragment import BrokerFacts, Fragment
from equipoise.formats.json_rows import load_object
from equipoise.formats.shapes import is_id
from equipoise.wording import cut

NAME = "Cruise Control capacity.json"
FACTS = {
    "DISK": ("disk_bytes", MB),
    "NW_IN": ("bytes_in_per_s", KB),
    "NW_OUT": ("bytes_out_per_s", KB),
    "CPU": ("cpu_percent", 1),
}
CORES = "num.cores"
"""In place of a percentage: all of them together are 100 %, as Cruise Control reckons."""


def recognises(head: bytes) -> bool:
    return re.search(rb'"brokerCapacities"\s*:', head) is not None


def parse(text: bytes, faults: Faults) -> Fragment:
    """Capacities by broker, and those of every other broker."""
    entries = load_object(text, faults).get("brokerCapacities")
    if not isinstance(entries, list):
        raise faults.fatal("this is not a list", place="brokerCapacities")
    found: dict[int, BrokerFacts] = {}
    for k, entry in enumerate(entries):
        try:
            broker = broker_id(entry["brokerId"])
            found[broker] = BrokerFacts(**capacities(entry["capacity"]))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            reason = f"{cut(str(entry))} has no brokerId and capacity in numbers ({error})"
            faults.report(reason, place=f"brokerCapacities[{k}]", text=str(entry))
    default = found.pop(-1, None)
    return Fragment(
        faults.source, NAME, brokers=found, brokers_role="facts", default_capacity=default,
        quarantined=tuple(faults.set_aside),
    )  # fmt: skip


def broker_id(given: Any) -> int:
    """The id, or -1; raises ``ValueError`` for what is none."""
    text = str(given)
    if text != "-1" and not is_id(text):
        raise ValueError(f"{cut(text)} is not a broker id")
    return int(text)


def capacities(given: dict[str, Any]) -> dict[str, Any]:
    """Our facts from ``{"DISK": ..., "NW_IN": ...}``."""
    facts: dict[str, Any] = {}
    for key, (fact, unit) in FACTS.items():
        if key in given:
            facts[fact] = total(given[key]) * unit
            if not 0 < facts[fact] < float("inf"):
                raise ValueError(f"{key} is not positive")
    return facts


def total(given: Any) -> float:
    """A number, that of all directories of a disk, or of all cores of a CPU."""
    if not isinstance(given, dict):
        return float(given)
    if CORES in given:
        return 100.0 if float(given[CORES]) > 0 else 0.0
    return sum(float(part) for part in given.values())
