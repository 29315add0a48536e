"""``make bench``: the speed table, every row beside its aim, ratios from the same run.

Whole processes are timed from outside; their memory is the most that all of one command's hold at a time.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.baselines import largest_program, pinterest_with_networkx, slope
from bench.instances import cluster, describe, write
from equipoise.files.sources import read_sources
from equipoise.planning import Request, make_plan

FLEET = Path(__file__).parent.parent / "examples" / "fleet"
PROGRAM_LIMIT_S = 30.0
LOOK_S = 0.02
"""Between two looks at a process's memory."""


def main() -> None:
    chosen = argparse.ArgumentParser(prog="bench", description=__doc__)
    chosen.add_argument("rows", nargs="*", help=f"rows to measure (default all): {', '.join(ROWS)}")
    names = chosen.parse_args().rows or list(ROWS)
    console = Console()
    table = Table("work", "aim", "measured", title=f"{platform.machine()}, {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as scratch:
        for name in names:
            console.print(f"measuring {name}", style="dim")
            for row in ROWS[name](Path(scratch)):
                table.add_row(*row)
    console.print(table)


def plan_process(sources: list[str], out: Path, *options: str) -> tuple[float, float]:
    """Seconds and peak megabytes of one `equipoise plan`, everything written to a folder that stays.

    Where thousands of files were deleted a moment before, some file systems take seconds to make others.
    """
    return watched(
        [sys.executable, "-m", "equipoise.cli.main", "plan", *sources, "--out", str(out), *options]
    )


def watched(command: list[str]) -> tuple[float, float]:
    """Seconds and peak megabytes of one command."""
    start, peak = time.perf_counter(), 0.0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            peak = max(peak, megabytes(process.pid))
            time.sleep(LOOK_S)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return time.perf_counter() - start, peak


def megabytes(pid: int) -> float:
    """Memory of a process and of those it started, as far as they are there; 0 where there is no /proc."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * resource.getpagesize() / 2**20 + sum(megabytes(int(child)) for child in children)


def told(seconds: float, megabytes: float) -> str:
    return f"{seconds:.2f} s, {megabytes:,.0f} MB"


Rows = list[tuple[str, str, str]]


def small(scratch: Path) -> Rows:
    plan_process([str(FLEET / "removal")], scratch / "warm", "--drain", "19")
    figures = plan_process([str(FLEET / "removal")], scratch / "small", "--drain", "19")
    return [("plan, 10 partitions, whole process", "under 1 s", told(*figures))]


def growth(scratch: Path) -> Rows:
    figures = plan_process([str(FLEET / "growth")], scratch / "growth")
    return [("263,577 replicas, 40 brokers, all default goals, files written", "under 4 s", told(*figures))]


def large(scratch: Path) -> Rows:
    folder = write(cluster(933_334, 216, 3, 4_000, new=21), scratch / "large")
    figures = plan_process([str(folder)], scratch / "large-plan")
    work = "2.8 million replicas, 216 brokers, 4,000 topics, 3 racks, all default goals, files written"
    return [(work, "under 20 s, under 2 GB", told(*figures))]


def reading(scratch: Path) -> Rows:
    state = cluster(1_000_000, 200, 3, 4_000)
    rows = []
    for what, source in (
        ("reassignment JSON", write(state, scratch / "json") / "current.json"),
        ("describe text", describe(state, scratch / "topics.txt")),
    ):
        start = time.perf_counter()
        read_sources([source])
        seconds, size = time.perf_counter() - start, source.stat().st_size / 2**20
        work = f"a million partitions read: {what}, {size:,.0f} MB"
        rows.append((work, "a few seconds", f"{seconds:.2f} s"))
    return rows


def leaders(scratch: Path) -> Rows:
    state = cluster(100_000, 200, 3, 500)
    start = time.perf_counter()
    make_plan(state, Request(leaders_only=True))
    ours = time.perf_counter() - start
    beside = cluster(2_000, 60, 3, 10)
    start = time.perf_counter()
    make_plan(beside, Request(leaders_only=True, goals=("leaders", "elections")))
    same = time.perf_counter() - start
    start = time.perf_counter()
    pinterest_with_networkx(beside)
    theirs = time.perf_counter() - start
    return [
        ("leaders only, 100,000 partitions, 200 brokers", "under 2 s", f"{ours:.2f} s"),
        ("leaders only, 2,000 partitions, 60 brokers", "", f"{same:.3f} s"),
        ("the same by Pinterest's flows in networkx", "", f"{theirs:.2f} s: {theirs / same:,.0f} × ours"),
    ]


def program(scratch: Path) -> Rows:
    states = [cluster(n, 20, 1, 4, rf=2) for n in (50, 100, 200, 400, 800, 1_600, 3_200)]
    found = largest_program(states, PROGRAM_LIMIT_S)
    if found is None:
        return [("0-1 program (HiGHS)", "", f"finished none within {PROGRAM_LIMIT_S:g} s")]
    state, theirs = found
    start = time.perf_counter()
    make_plan(state, Request(goals=("racks", "replicas", "moves", "leaders", "elections")))
    ours = time.perf_counter() - start
    what = f"{state.n_partitions} partitions, 20 brokers"
    return [
        (f"{what}: ours", "", f"{ours:.2f} s"),
        (
            f"{what}: 0-1 program with HiGHS, the largest it finished",
            "",
            f"{theirs:.2f} s: {theirs / ours:,.1f} × ours",
        ),
    ]


def sizes(scratch: Path) -> Rows:
    replicas, seconds = [10_000, 31_623, 100_000, 316_228, 1_000_000], []
    for n in replicas:
        state = cluster(n // 3, 60, 3, max(10, n // 1_000), new=6)
        start = time.perf_counter()
        make_plan(state, Request())
        seconds.append(time.perf_counter() - start)
    points = ", ".join(f"{s:.2f}" for s in seconds)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    work = "planning 10⁴ to 10⁶ replicas, 60 brokers"
    return [
        (work, "slope at most 1.15", f"slope {slope(replicas, seconds):.2f} ({points} s; {peak:,.0f} MB)")
    ]


def fleet(scratch: Path) -> Rows:
    """The whole process is held to its cores: with `local[1]` the JVM would still compile on another."""
    for k in range(200):
        write(cluster(400 + 3 * k, 12, 3, 8, new=1), scratch / "fleet" / f"cluster-{k:03d}")
    seconds = []
    for cores in (1, 2):
        command = [sys.executable, "-m", "equipoise.cli.main", "run", str(scratch / "fleet")]
        start = time.perf_counter()
        subprocess.run(
            [*command, "--out", str(scratch / f"out{cores}")],
            check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=lambda n=cores: os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:n]),
        )  # fmt: skip
        seconds.append(time.perf_counter() - start)
    ratio = f"{seconds[0]:.1f} s on 1 core, {seconds[1]:.1f} s on 2: {seconds[0] / seconds[1]:.2f} ×"
    return [("200 clusters planned by run", "at least 1.6 ×", ratio)]


def samples(scratch: Path) -> Rows:
    """Whole processes, the start of Spark among them; making the samples is not counted."""
    many, figures = [10_000_000, 100_000_000], []
    for n in many:
        folder = scratch / f"samples-{n}"
        command = [sys.executable, "-m", "bench.samples"]
        subprocess.run([*command, "make", str(folder), str(n)], check=True)
        figures.append(watched([*command, "load", str(folder), str(scratch / f"load-{n}")]))
        shutil.rmtree(folder)
    aim = "linear, memory bounded, spilling allowed"
    rows = [
        (f"{n:,} metric samples to partition_load, whole process", aim if n == many[-1] else "", told(*f))
        for n, f in zip(many, figures, strict=True)
    ]
    ratio = figures[1][0] / figures[0][0]
    return [*rows, ("ten times the samples", "", f"{ratio:.1f} × the time, slope {math.log10(ratio):.2f}")]


def simulated(scratch: Path) -> Rows:
    start = time.perf_counter()
    script = "from bench.simulation import carry_out; print(*carry_out(1_000_000, 200))"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    over_bound, over_schedule, megabytes = map(float, done.stdout.split())
    seconds = time.perf_counter() - start
    return [
        (
            "1,000,000 copies among 200 brokers scheduled, then carried out on the model",
            "within 5 % of the bound and of the schedule",
            f"{over_bound:+.1%} and {over_schedule:+.1%}; {told(seconds, megabytes)}",
        )
    ]


ROWS: dict[str, Callable[[Path], Rows]] = {
    "small": small,
    "growth": growth,
    "large": large,
    "reading": reading,
    "leaders": leaders,
    "program": program,
    "sizes": sizes,
    "fleet": fleet,
    "samples": samples,
    "simulated": simulated,
}

if __name__ == "__main__":
    main()
