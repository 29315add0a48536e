"""What kills the worker that reads it is read again in a process of its own, and costs itself alone.

Spark tries a task twice. The first try works in the worker, which costs nothing more; where that died the
second one hands one piece of work after the other to a process beside it, within a bound of memory.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, TypeVar

from equipoise.pipeline.transforms.memory import bounded, memory_there
from equipoise.solver_process import NoAnswer, SolverProcess

if TYPE_CHECKING:
    import pyarrow as pa

Given = TypeVar("Given")
Step = Callable[[Given], Iterator["pa.RecordBatch"]]
"""Rows of a piece of work; a function of a module, which another process can import."""


class Reader(SolverProcess):
    """A process that does a step for one piece of work after the other."""

    called = "reading it"


def each(
    work: Iterable[Given],
    step: Step[Given],
    lost: Callable[[Given, str], pa.RecordBatch],
    at_once: int,
    *,
    whole: bool = False,
) -> Iterator[pa.RecordBatch]:
    """The rows of each piece; ``lost`` gives the row that says why there are none, or no more, of one.

    ``whole``: there are all or none, and all are in memory. So many tasks may be at work ``at_once`` on this
    machine, which has one memory.
    """
    if not is_second_try():
        for given in work:
            yield from step(given)
        return
    reader: Reader | None = None
    for given in work:
        try:
            reader = reader or Reader(serve, step, memory_there() // at_once)
            reader.send(given)
            rows = iter(reader.received, None)
            yield from list(rows) if whole else rows
        except NoAnswer as error:
            if reader is not None:
                reader.end()
            reader = None
            yield lost(given, f"cannot be read: {error}")
    if reader is not None:
        reader.end()


def is_second_try() -> bool:
    """Whether this task of Spark failed before."""
    from pyspark import TaskContext

    task = TaskContext.get()
    return task is not None and task.attemptNumber() > 0


def serve(connection: Connection, step: Step[Given], n_bytes: int) -> None:
    """In the process: do the step with at most so much memory, for as long as work comes."""
    logging.disable()  # nobody reads what would be said
    while True:
        given = connection.recv()
        with bounded(n_bytes):
            for rows in step(given):
                connection.send(rows)
        connection.send(None)
