"""The command, stuck in the middle of something: ``stuck.main()`` with WHERE, NOTE and what to run.

The file NOTE gets the number of the process that is stuck.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterable
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from equipoise.cli import main as command


def hold(note: str, connection: Connection, *given: Any) -> None:
    """A solver that does not answer, nor lets go of the interpreter's lock."""
    tell(note)
    sum(range(10**15))


def tell(note: str) -> None:
    """Of two that are stuck at once the last one is told."""
    new = Path(f"{note}.{os.getpid()}")
    new.write_text(str(os.getpid()))
    new.rename(note)


def flows(note: str) -> None:
    """In the process that solves large networks."""
    from equipoise.planning.driver import solve
    from equipoise.planning.flow import solver
    from equipoise.planning.problem.params import Params

    class Apart(Params):
        """Every flow is a large one."""

        @classmethod
        def of(cls, effort: Any) -> Params:
            return Params(effort=effort, apart_arcs=-1)

    solve.Params, solver.serve = Apart, partial(hold, note)


def strategies(note: str) -> None:
    """In the process that runs strategies."""
    from equipoise.comparing import run

    run.serve = partial(hold, note)


def integers(note: str) -> None:
    """In HiGHS, in the main thread: the planner's own search, given a market split that takes it hours."""
    import numpy as np

    from equipoise.planning.driver import solve
    from equipoise.planning.programs.relaxation import least_integral
    from equipoise.planning.programs.rows import RowWriter, total

    rng, hard = np.random.default_rng(1), RowWriter()
    chosen = [hard.column() for _ in range(60)]
    for _ in range(10):
        weight = rng.integers(1, 100, len(chosen)).tolist()
        hard.equal(total(w * x for w, x in zip(weight, chosen, strict=True)), sum(weight) // 2)
    sheet = hard.sheet(total(chosen))

    def forever(problem: Any, free: Any) -> Any:
        tell(note)
        return least_integral(sheet)

    solve.start = forever


def writing(note: str) -> None:
    """With a part of the plan written."""
    from equipoise.files import plan_directory

    def half(folder: Path, contents: Iterable[tuple[str, bytes]]) -> None:
        path, data = next(iter(contents))
        (folder / path).write_bytes(data)
        tell(note)
        time.sleep(3600)

    plan_directory.write_files = half


def main() -> None:
    where, note, *arguments = sys.argv[1:]
    signal.alarm(300)  # the end, if the test that waits for it is gone
    globals()[where](note)
    command.main(arguments)
