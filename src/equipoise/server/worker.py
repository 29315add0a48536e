"""The process that does the work: one job after the other, told what to do and ended by the service."""

from __future__ import annotations

import importlib
import logging
import resource
from multiprocessing.connection import Connection

from equipoise.server.failures import Failure, failure_of
from equipoise.server.work import VERBS, Parts, Query, Told

HEARD = ("equipoise.planning", "equipoise.files")
"""Rooms that say what they are at."""
NEEDED = (
    "equipoise.comparing.beside", "equipoise.files.contents", "equipoise.files.plan_archive",
    "equipoise.planning.driver.solve", "equipoise.planning.linear.growing", "equipoise.report",
    "equipoise.report.cluster_data", "equipoise.scheduling", "ortools.graph.python.min_cost_flow",
)  # fmt: skip
"""What a job would otherwise wait for."""


class Heard(logging.Handler):
    """Sends on what is said."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(logging.INFO)
        self.connection = connection

    def emit(self, record: logging.LogRecord) -> None:
        self.told(record.getMessage())

    def told(self, what: str) -> None:
        self.connection.send(("at", what))


def work(connection: Connection, memory_bytes: int) -> None:
    """In the process: answer each job with what it is at, and with its parts or its failure."""
    for module in NEEDED:
        importlib.import_module(module)
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    heard = Heard(connection)
    for room in map(logging.getLogger, HEARD):
        room.addHandler(heard)
        room.setLevel(logging.INFO)
    connection.send(("up", None))
    while True:
        verb, body, query = connection.recv()
        connection.send(("end", answered(verb, body, query, heard.told)))
        del body


def answered(verb: str, body: bytes, query: Query, told: Told) -> Parts | Failure:
    """What comes of a job."""
    try:
        return VERBS[verb](body, query, told)
    except Exception as error:
        return failure_of(error)
