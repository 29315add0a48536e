"""What a command costs: CPU seconds, seconds on the clock, and memory, its children's included.

Ratios are of CPU seconds (user and system): a busy machine makes a command wait, not work.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

PR_SET_CHILD_SUBREAPER = 36
"""Of prctl(2)."""
LOOK_S = 0.02
"""Between two looks at a process's memory."""
TIMES = 3
"""That commands are run which are measured against each other."""
LOADED = "import json, sys, time; start = time.process_time(); json.load(open(sys.argv[1])); \
print(time.process_time() - start)"
ONE_PARTITION = '{"version": 1, "partitions": [{"topic": "t", "partition": 0, "replicas": [1, 2]}]}'


@dataclass(frozen=True)
class Cost:
    """Of one command."""

    cpu_s: float
    wall_s: float
    peak_mb: float
    """The most that it and its children held at a time, in 2²⁰ bytes."""


def adopt_orphans() -> None:
    """Have processes whose parent has ended become children of this one: else nobody knows their time."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def children_cpu_s() -> float:
    """CPU seconds of all processes that this one has waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def children() -> set[int]:
    return {int(pid) for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()}


def end_children(kept: set[int]) -> None:
    """End what a command has left behind, so that its time is counted and nothing goes on beside the next.

    Children that were there before it are ``kept``.
    """
    while left := children() - kept:
        for pid in left:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def watched(command: list[str], fine: tuple[int, ...] = (0,)) -> Cost:
    """The cost of one command; raises `CalledProcessError` where its exit code is none of ``fine``."""
    adopt_orphans()
    kept, before, start, peak = children(), children_cpu_s(), time.perf_counter(), 0.0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            peak = max(peak, megabytes(process.pid))
            time.sleep(LOOK_S)
    wall_s = time.perf_counter() - start
    end_children(kept)
    if process.returncode not in fine:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Cost(children_cpu_s() - before, wall_s, peak)


def megabytes(pid: int, starter: str = "") -> float:
    """Memory of a process and of those it started, as far as they are there; 0 where there is no /proc.

    ``starter``: the same of the process that started it, whose memory it has until it runs its own program.
    """
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        told = Path(f"/proc/{pid}/statm").read_text()
    except OSError:
        return 0.0
    if told == starter:
        return 0.0
    own = int(told.split()[1]) * resource.getpagesize() / 2**20
    return own + sum(megabytes(int(child), told) for child in children)


def plan_process(sources: list[str], out: Path, *options: str) -> Cost:
    """One `equipoise plan`, everything written to a folder that stays.

    Where thousands of files were deleted a moment before, some file systems take seconds to make others.
    """
    return watched(
        [sys.executable, "-m", "equipoise.cli.main", "plan", *sources, "--out", str(out), "--force", *options]
    )


def json_load_s(file: Path) -> float:
    """The least CPU seconds of the standard library's `json.load` of a file, in processes of their own."""
    command = [sys.executable, "-c", LOADED, str(file)]
    runs = [subprocess.run(command, check=True, capture_output=True, text=True) for _ in range(TIMES)]
    return min(float(run.stdout) for run in runs)


def one_partition(scratch: Path) -> Cost:
    """A plan of one partition, whole process."""
    source = scratch / "one.json"
    source.write_text(ONE_PARTITION)
    return plan_process([str(source)], scratch / "one")


def one_partition_s(scratch: Path) -> float:
    """CPU seconds of a plan of one partition."""
    return median(one_partition(scratch).cpu_s for _ in range(TIMES))


def python_start_s() -> float:
    """CPU seconds of Python that does nothing."""
    return median(watched([sys.executable, "-c", "pass"]).cpu_s for _ in range(TIMES))
