"""One service for all tests of this folder: its processes take a second to start."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pytest
from starlette.testclient import TestClient

from equipoise.server.app import make_app
from equipoise.server.guard import Guard
from equipoise.server.limits import Limits

Result = TypeVar("Result")
ADDRESS = "http://127.0.0.1:8080"
ORDERS = (Path(__file__).parents[3] / "examples" / "orders.txt").read_bytes()
"""A describe text: one topic of six partitions on five brokers, without racks."""
LISTS = [[7, 18], [8, 19], [9, 10], [0, 11], [1, 12], [2, 13], [3, 14], [4, 15], [5, 16], [6, 17]]
ASSIGNMENT = {
    "version": 1,
    "partitions": [{"topic": "x.y.z.t", "partition": k, "replicas": held} for k, held in enumerate(LISTS)],
}
"""Kafka Partitions Assignment Optimizer's demonstration: 20 brokers, of which 19 is to go."""


@pytest.fixture(scope="session")
def service() -> Guard:
    """Small limits of size, the usual ones of time."""
    return make_app(Limits(body_bytes=1 << 20, jobs=2))


@pytest.fixture(scope="session")
def client(service: Guard) -> Iterator[TestClient]:
    """The service, running."""
    with TestClient(service, base_url=ADDRESS) as running:
        yield running


def awaited(work: Coroutine[Any, Any, Result]) -> Result:
    """What comes of a coroutine; in a thread, for a browser of other tests may have a loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


def call(text: bytes = ORDERS, **more: object) -> str:
    """A call for one source."""
    return json.dumps({"sources": [{"name": "orders.txt", "text": text.decode()}], **more})
