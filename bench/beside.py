"""The same questions answered by other means in the same run."""

from __future__ import annotations

import time
from pathlib import Path

from bench.baselines import largest_program, pinterest_with_networkx
from bench.instances import cluster
from bench.row import Measure, Row, Rows
from equipoise.planning import Request, make_plan

PROGRAM_LIMIT_S = 30.0


def pinterest(scratch: Path) -> Rows:
    state = cluster(2_000, 60, 3, 10)
    start = time.perf_counter()
    make_plan(state, Request(leaders_only=True, goals=("leaders", "elections")))
    ours = time.perf_counter() - start
    start = time.perf_counter()
    pinterest_with_networkx(state)
    theirs = time.perf_counter() - start
    return [
        Row("leaders only, 2,000 partitions, 60 brokers", "", f"{ours:.3f} s"),
        Row(
            "the same by Pinterest's flows in networkx", "", f"{theirs:.2f} s", f"{theirs / ours:,.0f} × ours"
        ),
    ]


def program(scratch: Path) -> Rows:
    states = [cluster(n, 20, 1, 4, rf=2) for n in (50, 100, 200, 400, 800, 1_600, 3_200)]
    found = largest_program(states, PROGRAM_LIMIT_S)
    if found is None:
        return [Row("0-1 program (HiGHS)", "", f"finished none within {PROGRAM_LIMIT_S:g} s")]
    state, theirs = found
    start = time.perf_counter()
    make_plan(state, Request(goals=("racks", "replicas", "moves", "leaders", "elections")))
    ours = time.perf_counter() - start
    what = f"{state.n_partitions} partitions, 20 brokers"
    beside = f"{what}: 0-1 program with HiGHS, the largest it finished"
    return [
        Row(f"{what}: ours", "", f"{ours:.2f} s"),
        Row(beside, "", f"{theirs:.2f} s", f"{theirs / ours:,.1f} × ours"),
    ]


ROWS: dict[str, Measure] = {"pinterest": pinterest, "program": program}
