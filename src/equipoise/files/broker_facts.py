"""Brokers from all sources: which there are, and what is known of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from equipoise.cluster import Brokers
from equipoise.cluster.brokers import CAPACITIES, IntArray
from equipoise.formats import brokers_file
from equipoise.formats.faults import Faults
from equipoise.formats.fragment import BrokerFacts, Fragment


def everyone(fragments: Sequence[Fragment]) -> tuple[str, IntArray] | None:
    """Sources that list the whole cluster and the ids in them, ascending; None where there is none."""
    lists = [f for f in fragments if f.brokers_role == "all"]
    if not lists:
        return None
    ids = sorted({broker for fragment in lists for broker in fragment.brokers})
    return ", ".join(f.source for f in lists), np.array(ids, dtype=np.int32)


def brokers_of(fragments: Sequence[Fragment], replicas: IntArray, faults: Mapping[str, Faults]) -> Brokers:
    """Every broker that a source lists or that holds a replica.

    Capacities come from a brokers file before other sources; those of disks at last from the volumes of log
    dirs. Two racks for one broker are reported.
    """
    ids = set(np.unique(replicas[replicas >= 0]).tolist())
    ids.update(*(f.brokers for f in fragments if f.brokers_role != "facts"))
    racks = racks_of(fragments, faults)
    by_hand_first = sorted(fragments, key=lambda f: f.format != brokers_file.NAME)
    known: dict[str, dict[int, Any]] = {f.name: {} for f in fields(BrokerFacts)}
    for fragment in by_hand_first:
        for broker, facts in fragment.brokers.items():
            for fact, values in known.items():
                value = getattr(facts, fact)
                if value is not None:
                    values.setdefault(broker, value)
    for default in (f.default_capacity for f in fragments if f.default_capacity is not None):
        for broker in ids:
            for fact in CAPACITIES.values():
                if getattr(default, fact) is not None:
                    known[fact].setdefault(broker, getattr(default, fact))
    known["disk_bytes"] = disks_of(fragments) | known["disk_bytes"]
    return Brokers.of(
        np.array(sorted(ids), dtype=np.int32),
        racks,
        disk_bytes=known["disk_bytes"],
        bytes_in_per_s=known["bytes_in_per_s"],
        bytes_out_per_s=known["bytes_out_per_s"],
        weight=known["weight"],
        cpu_percent=known["cpu_percent"],
    )


def disks_of(fragments: Sequence[Fragment]) -> dict[int, float]:
    """Bytes of the volumes of each broker of which all are known; a dir that failed has none."""
    each = {(told.broker, told.path): told for f in fragments if f.log_dirs for told in f.log_dirs.each}
    disks: dict[int, float] = {}
    for told in each.values():
        if told.usable or not np.isnan(told.total_bytes):
            disks[told.broker] = disks.get(told.broker, 0.0) + told.total_bytes
    return {broker: size for broker, size in disks.items() if not np.isnan(size)}


def racks_of(fragments: Sequence[Fragment], faults: Mapping[str, Faults]) -> dict[int, str]:
    """Rack by broker; the first source that tells one is believed, another rack elsewhere is reported."""
    found: dict[int, tuple[str, str]] = {}
    for fragment in fragments:
        told = {broker: facts.rack for broker, facts in fragment.brokers.items()}
        told |= {
            broker: configs["broker.rack"]
            for broker, configs in fragment.broker_configs.items()
            if broker is not None and "broker.rack" in configs
        }
        for broker, rack in told.items():
            if rack is None:
                continue
            before, source = found.setdefault(broker, (rack, fragment.source))
            if before != rack:
                faults[fragment.source].report(
                    f'rack "{rack}", but {source} says "{before}"',
                    place=f"broker {broker}", text=rack, advice="Correct one of the two",
                )  # fmt: skip
    return {broker: rack for broker, (rack, _) in found.items()}
