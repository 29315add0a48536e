"""Cases planned side by side: each lane is a process that takes the next case when it has finished one."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from bench.processes import adopt_orphans
from tools.corpus.cases import Case
from tools.corpus.planning import planned
from tools.corpus.processes import Limits

NUMBER = 4
"""Bytes of a case's number in the queue."""


def run_lanes(cases: list[Case], out: Path, jobs: int) -> None:
    """Write a line for each case to the end of ``out``."""
    queue, ends = os.pipe()  # the kernel gives each number to one reader
    os.write(ends, b"".join(k.to_bytes(NUMBER, "big") for k in range(len(cases))))
    os.close(ends)
    lanes = []
    for _ in range(jobs):
        lanes.append(os.fork())
        if lanes[-1] == 0:
            status = 1
            try:
                lane(cases, queue, out)
                status = 0
            finally:
                sys.stderr.flush()
                os._exit(status)
    if any(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in lanes):
        sys.exit("a lane ended before its cases did")


def lane(cases: list[Case], queue: int, out: Path) -> None:
    adopt_orphans()
    for k in taken(queue):
        line = planned(cases[k], Limits())
        with out.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")  # one write: lanes do not mix their lines
        print(f"{line['cpu_s']:8.2f} s  {line['exit']:10} {line['name']}", file=sys.stderr)


def taken(queue: int) -> Iterator[int]:
    """Numbers from the queue until it is empty."""
    while number := os.read(queue, NUMBER):
        yield int.from_bytes(number, "big")
