"""The shipped fleet, and files read."""

from __future__ import annotations

import time
from pathlib import Path

from bench.instances import cluster, describe, write
from bench.processes import plan_process, python_start_s
from bench.row import Aim, Measure, Row, Rows, against, memory, passed, seconds
from equipoise.files.sources import read_sources

FLEET = Path(__file__).parent.parent / "examples" / "fleet"


def small(scratch: Path) -> Rows:
    """A second where Python starts in 30 ms."""
    plan_process([str(FLEET / "removal")], scratch / "warm", "--drain", "19")
    cost = plan_process([str(FLEET / "removal")], scratch / "small", "--drain", "19")
    return [against("plan, 10 partitions", Aim(33), cost, python_start_s(), "start of Python")]


def growth(scratch: Path) -> Rows:
    cost = plan_process([str(FLEET / "growth")], scratch / "growth")
    work = "263,577 replicas, 40 brokers, all default goals, files written"
    return [Row(work, "4 CPU s", seconds(cost), "", memory(cost), passed(cost.cpu_s <= 4))]


def reading(scratch: Path) -> Rows:
    state = cluster(1_000_000, 200, 3, 4_000)
    rows = []
    for what, source in (
        ("reassignment JSON", write(state, scratch / "json") / "current.json"),
        ("describe text", describe(state, scratch / "topics.txt")),
    ):
        start = time.perf_counter()
        read_sources([source])
        taken, size = time.perf_counter() - start, source.stat().st_size / 2**20
        work = f"a million partitions read: {what}, {size:,.0f} MB"
        rows.append(Row(work, "a few seconds", f"{taken:.2f} s"))
    return rows


ROWS: dict[str, Measure] = {"small": small, "growth": growth, "reading": reading}
