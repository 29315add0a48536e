"""How much memory there is, and how much of it a process may take."""

from __future__ import annotations

import os
import resource
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CGROUP = Path("/sys/fs/cgroup/memory.max")
"""How much memory a container may have, or "max"."""
STATUS = Path("/proc/self/status")
"""What Linux tells of this process."""


@contextmanager
def bounded(n_bytes: int) -> Iterator[None]:
    """Have the system refuse this process more memory than so much, for as long as this lasts."""
    before, most = resource.getrlimit(resource.RLIMIT_DATA)
    if most != resource.RLIM_INFINITY:
        n_bytes = min(n_bytes, most)
    resource.setrlimit(resource.RLIMIT_DATA, (n_bytes, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (before, most))


def memory_held() -> int:
    """Bytes of this process that such a bound counts; 0 where the system does not tell."""
    try:
        lines = STATUS.read_text().splitlines()
    except OSError:
        return 0
    return sum(1024 * int(line.split()[1]) for line in lines if line.startswith("VmData:"))


def memory_there() -> int:
    """Bytes of memory of this machine or container."""
    there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        told = CGROUP.read_text().strip()
    except OSError:
        told = ""
    return min(there, int(told) if told.isdecimal() else there)


def tasks_at_once(spark: SparkSession) -> int:
    """How many tasks one machine works on at a time, at most as far as is known."""
    context = spark.sparkContext
    hosts = Counter(info.host() for info in context._jsc.sc().statusTracker().getExecutorInfos())
    hosts[spark.conf.get("spark.driver.host")] -= 1  # the driver is among them
    cores = -(-context.defaultParallelism // max(1, len(+hosts)))
    return max(1, cores // int(spark.conf.get("spark.task.cpus", "1") or 1))
