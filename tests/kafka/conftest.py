"""Real clusters: one of the newest Kafka for most tests, older ones for the main stories."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.cluster import KafkaCluster
from harness.jars import LAST_3, NEWEST, OLDER_4
from harness.reset import reset


@pytest.fixture(scope="session")
def newest(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    """The newest Kafka, started once for the whole run; tests take ``cluster`` instead."""
    with KafkaCluster(NEWEST, tmp_path_factory.mktemp("kafka") / NEWEST) as started:
        yield started


@pytest.fixture
def cluster(newest: KafkaCluster) -> Iterator[KafkaCluster]:
    """Five running brokers of the newest Kafka with no topics; put in order again afterwards."""
    yield newest
    reset(newest)


@pytest.fixture(scope="session", params=[OLDER_4, LAST_3])
def older(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaCluster]:
    """An older 4.x and the last 3.x, each started once for all its tests."""
    with KafkaCluster(request.param, tmp_path_factory.mktemp("kafka") / request.param) as started:
        yield started


@pytest.fixture
def older_cluster(older: KafkaCluster) -> Iterator[KafkaCluster]:
    yield older
    reset(older)


@pytest.fixture
def topic(request: pytest.FixtureRequest) -> str:
    """A topic name of the test's own."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", request.node.name).strip("-")[:200]


@pytest.fixture
def snapshot_folder(tmp_path: Path) -> Path:
    """Where a test writes a snapshot: FLEET/CLUSTER."""
    return tmp_path / "fleet" / "orders"
