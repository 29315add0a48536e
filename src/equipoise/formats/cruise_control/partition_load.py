"""``partition_load?json=true``: size, rates and CPU of partitions."""

from __future__ import annotations

import re

import numpy as np

from equipoise.formats.cruise_control.units import KB, MB
from equipoise.formats.faults import Faults
from equipoise.formats.fragment import Figures, Fragment
from equipoise.formats.json_rows import read_json
from equipoise.formats.shapes import Id
from equipoise.formats.text import json_span

NAME = "Cruise Control partition_load"
SHAPE = {
    "records": [
        {
            "topic": str,
            "partition": Id,
            "followers?": [Id],
            "cpu?": float,
            "disk?": float,
            "networkInbound?": float,
            "networkOutbound?": float,
        }
    ]
}


def recognises(head: bytes) -> bool:
    return re.search(rb'"records"\s*:', head) is not None and b'"networkInbound"' in head


def parse(text: bytes, faults: Faults) -> Fragment:
    """Figures by partition; the followers tell no preference order, so there are no replica lists."""
    rows = read_json(text, SHAPE, faults, json_span(text)).rows("records")
    topics, topic_idx = rows.strings("topic")
    size, inbound, outbound = (
        rows.numbers(key, np.nan) * unit
        for key, unit in (("disk", MB), ("networkInbound", KB), ("networkOutbound", KB))
    )
    figures = Figures(
        topics=tuple(topics),
        topic_idx=topic_idx,
        partition=rows.numbers("partition").astype(np.int32),
        size_bytes=size,
        bytes_in_per_s=inbound,
        bytes_out_per_s=consumed(inbound, outbound, rows.id_lists("followers")[1]),
        min_isr=np.full(len(rows), np.nan),
        cpu_percent=rows.numbers("cpu", np.nan),
    )
    return Fragment(faults.source, NAME, figures=figures, quarantined=tuple(faults.set_aside))


def consumed(inbound: np.ndarray, outbound: np.ndarray, n_followers: np.ndarray) -> np.ndarray:
    """Consumer bytes a second: a leader's outbound load without what its followers fetch.

    Where brokers report no replication bytes by topic, the outbound load is the consumers' alone. That shows
    by partitions that send less than their followers must fetch; then nothing is taken off.
    """
    left = outbound - inbound * n_followers
    return outbound if np.any(left < -0.01 * outbound) else np.maximum(left, 0)
