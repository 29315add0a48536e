"""Spark: many clusters, many samples; and a plan carried out on the model of a cluster."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

from bench import faulty
from bench.instances import cluster, write
from bench.processes import watched
from bench.row import Measure, Row, Rows, memory, passed, seconds
from equipoise.pipeline.jobs.published import published, rows


def fleet(scratch: Path) -> Rows:
    """The whole process is held to its cores: with `local[1]` the JVM would still compile on another."""
    for k in range(200):
        write(cluster(400 + 3 * k, 12, 3, 8, new=1), scratch / "fleet" / f"cluster-{k:03d}")
    taken = []
    for cores in (1, 2):
        command = [sys.executable, "-m", "equipoise.cli.main", "run", str(scratch / "fleet")]
        start = time.perf_counter()
        subprocess.run(
            [*command, "--out", str(scratch / f"out{cores}")],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=partial(hold_to, cores),
        )  # fmt: skip
        taken.append(time.perf_counter() - start)
    ratio = taken[0] / taken[1]
    figure = f"{taken[0]:.1f} s on 1 core, {taken[1]:.1f} s on 2"
    return [
        Row(
            "200 clusters planned by run", "1.8 × as fast", figure, f"{ratio:.2f} ×", "", passed(ratio >= 1.8)
        )
    ]


def hold_to(cores: int) -> None:
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])


def faults(scratch: Path) -> Rows:
    """Rates within the stated error, and every injected fault found, with nothing found beside."""
    truths = faulty.make(scratch / "faulty", 300)
    out = scratch / "faulty-out"
    command = [sys.executable, "-m", "equipoise.cli.main", "run", str(scratch / "faulty"), "--out", str(out)]
    cost = watched(command, fine=(1,))  # broken files are set aside
    wrong = faulty.judged(truths, published(out), rows(out, "partition_load"))
    for line in wrong:
        print(line, file=sys.stderr)
    figure = f"{len(wrong)} wrong figures or findings"
    work = "300 clusters with faults of known truth"
    return [Row(work, "all found, nothing else", figure, seconds(cost), memory(cost), passed(not wrong))]


def again(scratch: Path) -> Rows:
    """One of 200 clusters has changed: CPU seconds beside those of the whole, each a whole process."""
    for k in range(200):
        write(cluster(400 + 3 * k, 12, 3, 8, new=1), scratch / "again" / f"cluster-{k:03d}")
    command = [sys.executable, "-m", "equipoise.cli.main", "run", str(scratch / "again")]
    costs = []
    for wish in ("", "max-moves = 5"):
        (scratch / "again" / "cluster-100" / "equipoise.toml").write_text(wish)
        costs.append(watched([*command, "--out", str(scratch / "again-out")]))
    ratio = costs[1].cpu_s / costs[0].cpu_s
    work = "one changed cluster among 200, beside all of them"
    beside = f"{ratio:.2f} × {seconds(costs[0])}"
    return [Row(work, "0.1 ×", seconds(costs[1]), beside, memory(costs[1]), passed(ratio <= 0.1))]


def samples(scratch: Path) -> Rows:
    """Whole processes, the start of Spark among them; making the samples is not counted."""
    many, costs = [10_000_000, 100_000_000], []
    for n in many:
        folder = scratch / f"samples-{n}"
        command = [sys.executable, "-m", "bench.samples"]
        subprocess.run([*command, "make", str(folder), str(n)], check=True)
        costs.append(watched([*command, "load", str(folder), str(scratch / f"load-{n}")]))
        shutil.rmtree(folder)
    rows = [
        Row(f"{n:,} metric samples to partition_load, whole process", "", seconds(cost), "", memory(cost))
        for n, cost in zip(many, costs, strict=True)
    ]
    ratio = costs[1].wall_s / costs[0].wall_s
    slope = math.log10(ratio)
    return [
        *rows,
        Row("ten times the samples", "slope 1.05", f"{ratio:.1f} × the time", f"slope {slope:.2f}"),
    ]


def simulated(scratch: Path) -> Rows:
    start = time.perf_counter()
    script = "from bench.simulation import carry_out; print(*carry_out(1_000_000, 200))"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    over_bound, over_schedule, megabytes = map(float, done.stdout.split())
    taken = time.perf_counter() - start
    return [
        Row(
            "1,000,000 copies among 200 brokers scheduled, then carried out on the model",
            "within 5 % of the bound and of the schedule",
            f"{taken:.2f} s",
            f"{over_bound:+.1%} and {over_schedule:+.1%}",
            f"{megabytes:,.0f} MB",
            passed(max(over_bound, over_schedule) <= 0.05),
        )
    ]


ROWS: dict[str, Measure] = {
    "fleet": fleet, "faults": faults, "again": again, "samples": samples, "simulated": simulated,
}  # fmt: skip
