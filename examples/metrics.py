"""Samples of metrics for the example fleet, as an exporter's history of two days."""

from __future__ import annotations

import random
from collections.abc import Iterator

START, HOUR, HOURS = 1_767_225_600, 3_600, 49
"""2026-01-01 00:00 UTC, and a sample every hour for two days."""
RESTARTED, RESTART = 3, 30
"""The broker that was restarted, and the sample before which it was: its counters begin anew."""


def history(lists: dict[str, list[list[int]]], seed: int) -> str:
    """Bytes in of each topic on each leader, offsets of each partition, sizes of each leader; one bad row."""
    rng = random.Random(seed)
    rows = ["time,metric,value,topic,partition,broker"]
    for topic, partitions in sorted(lists.items()):
        gained = [1 + rng.randrange(40) for _ in partitions]  # records a second
        for leader in sorted({ids[0] for ids in partitions}):
            rate = 1_000 * sum(n for n, ids in zip(gained, partitions, strict=True) if ids[0] == leader)
            for k, value in counter(rate, leader, rng):
                rows.append(f"{START + HOUR * k},bytes_in_total,{value},{topic},,{leader}")
        for p, (n, ids) in enumerate(zip(gained, partitions, strict=True)):
            for k in range(0, HOURS, 6):
                at = START + HOUR * k
                rows.append(f"{at},log_end_offset,{n * HOUR * k + rng.randrange(HOUR)},{topic},{p},{ids[0]}")
                rows.append(f"{at},size_bytes,{n * 1_000 * (86_400 + HOUR * k)},{topic},{p},{ids[0]}")
    rows.append(f"yesterday,size_bytes,1,{sorted(lists)[0]},0,1")
    return "\n".join(rows) + "\n"


def counter(rate: int, broker: int, rng: random.Random) -> Iterator[tuple[int, int]]:
    """A counter of bytes, hour by hour."""
    value = 0
    for k in range(HOURS):
        if broker == RESTARTED and k == RESTART:
            value = 0
        value += rate * HOUR * rng.randrange(80, 120) // 100
        yield k, value
