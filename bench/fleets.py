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
from bench.processes import Cost, watched
from bench.row import Measure, Row, Rows, memory, passed, seconds
from equipoise.pipeline.jobs.published import published
from equipoise.pipeline.jobs.shown import table

MANY = (1_000_000, 10_000_000, 100_000_000)
"""Samples."""
MOST_OF_DUCKDB, STEEPEST = 4.0, 1.05
FLEETS = ({"least": 400, "step": 3, "brokers": 12}, {"least": 2000, "step": 30, "brokers": 24})
"""See `write_clusters`. Of the first Spark's own work is a third, of the second a tenth."""
SAMPLES: dict[int, Cost] = {}
"""What so many samples cost, of those that this process has measured."""


def write_clusters(folder: Path, least: int, step: int, brokers: int) -> None:
    """A fleet of 200: the first has ``least`` partitions, each other ``step`` more than the one before it."""
    for k in range(200):
        write(cluster(least + step * k, brokers, 3, 8, new=1), folder / f"cluster-{k:03d}")


def fleet(scratch: Path, least: int, step: int, brokers: int) -> Rows:
    """The whole process is held to its cores: with `local[1]` the JVM would still compile on another."""
    folder, taken = scratch / f"fleet-{least}", []
    write_clusters(folder, least, step, brokers)
    for cores in (1, 2):
        command = [sys.executable, "-m", "equipoise.cli.main", "run", str(folder)]
        start = time.perf_counter()
        subprocess.run(
            [*command, "--out", str(scratch / f"fleet-{least}-out{cores}")],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=partial(hold_to, cores),
        )  # fmt: skip
        taken.append(time.perf_counter() - start)
    ratio = taken[0] / taken[1]
    figure = f"{taken[0]:.1f} s on 1 core, {taken[1]:.1f} s on 2"
    work = f"200 clusters of {least:,} partitions or more planned by run"
    return [Row(work, "1.8 × as fast", figure, f"{ratio:.2f} ×", "", passed(ratio >= 1.8))]


def hold_to(cores: int) -> None:
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:cores])


def faults(scratch: Path) -> Rows:
    """Rates within the stated error, and every injected fault found, with nothing found beside."""
    truths = faulty.make(scratch / "faulty", 300)
    out = scratch / "faulty-out"
    command = [sys.executable, "-m", "equipoise.cli.main", "run", str(scratch / "faulty"), "--out", str(out)]
    cost = watched(command, fine=(1,))  # broken files are set aside
    wrong = faulty.judged(truths, published(out), table(out / "tables", "partition_load").to_pylist())
    for line in wrong:
        print(line, file=sys.stderr)
    figure = f"{len(wrong)} wrong figures or findings"
    work = "300 clusters with faults of known truth"
    return [Row(work, "all found, nothing else", figure, seconds(cost), memory(cost), passed(not wrong))]


def again(scratch: Path, least: int, step: int, brokers: int) -> Rows:
    """One of 200 clusters has changed: CPU seconds beside those of the whole, each a whole process."""
    folder, out = scratch / f"again-{least}", scratch / f"again-{least}-out"
    write_clusters(folder, least, step, brokers)
    command = [sys.executable, "-m", "equipoise.cli.main", "run", str(folder), "--out", str(out)]
    costs = []
    for wish in ("", "max-moves = 5"):
        (folder / "cluster-100" / "equipoise.toml").write_text(wish)
        costs.append(watched(command))
    ratio = costs[1].cpu_s / costs[0].cpu_s
    work = f"one changed cluster among 200 of {least:,} partitions or more, beside all of them"
    beside = f"{ratio:.2f} × {seconds(costs[0])}"
    return [Row(work, "0.1 ×", seconds(costs[1]), beside, memory(costs[1]), passed(ratio <= 0.1))]


def samples(scratch: Path, n: int) -> Rows:
    """Whole processes, the start of Spark among them, beside DuckDB on the same files.

    Making the samples is not counted. What a tenth of them cost is known where it was measured before.
    """
    folder = scratch / f"samples-{n}"
    subprocess.run([sys.executable, "-m", "bench.samples", "make", str(folder), str(n)], check=True)
    ours = [sys.executable, "-m", "bench.samples", "load", str(folder), str(scratch / f"load-{n}")]
    theirs = [sys.executable, "-m", "bench.duck", str(folder), str(scratch / f"duck-{n}.parquet")]
    cost, beside = watched(ours), watched(theirs)
    shutil.rmtree(folder)
    SAMPLES[n] = cost
    ratio = cost.cpu_s / beside.cpu_s
    row = Row(
        f"{n:,} metric samples to partition_load, beside DuckDB",
        f"{MOST_OF_DUCKDB:g} ×" if n == max(MANY) else "",
        seconds(cost),
        f"{ratio:.1f} × {seconds(beside)}, {memory(beside)}",
        memory(cost),
        passed(ratio <= MOST_OF_DUCKDB) if n == max(MANY) else "",
    )
    if n // 10 not in SAMPLES:
        return [row]
    slope = math.log10(cost.cpu_s / SAMPLES[n // 10].cpu_s)
    figure = f"slope {slope:.2f} from {n // 10:,}"
    return [row, Row("ten times the samples, in CPU seconds", f"slope {STEEPEST}", figure, "", "",
                     passed(slope <= STEEPEST))]  # fmt: skip


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
    **{f"fleet/{shape['least']}": partial(fleet, **shape) for shape in FLEETS},
    "faults": faults,
    **{f"again/{shape['least']}": partial(again, **shape) for shape in FLEETS},
    **{f"samples/{n}": partial(samples, n=n) for n in MANY},
    "simulated": simulated,
}  # fmt: skip
