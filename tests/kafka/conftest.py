"""Real clusters: one of the newest Kafka for most tests, older ones for the main stories."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from fake import FakeKafka, Model
from fake.small import RACKS, partitions
from harness.archive import archive_classes
from harness.certificates import Certificates, make_certificates
from harness.cluster import KafkaCluster
from harness.jars import LAST_3, NEWEST, OLDER_4
from harness.reset import reset

from equipoise.execution.client_config import ClientConfig
from equipoise.execution.kafka import KafkaPort


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    """Of the TLS listeners of all clusters."""
    return make_certificates(tmp_path_factory.mktemp("certificates"))


@pytest.fixture(scope="session")
def newest(
    tmp_path_factory: pytest.TempPathFactory, certificates: Certificates
) -> Iterator[KafkaCluster]:
    """The newest Kafka, started once for the whole run; tests take ``cluster`` instead."""
    folder = tmp_path_factory.mktemp("kafka") / NEWEST
    archive_classes(NEWEST, folder, certificates)
    with KafkaCluster(NEWEST, folder, certificates=certificates) as started:
        yield started


@pytest.fixture
def cluster(newest: KafkaCluster) -> Iterator[KafkaCluster]:
    """Five running brokers of the newest Kafka with no topics; put in order again afterwards."""
    yield newest
    reset(newest)


@pytest.fixture(scope="module", params=[OLDER_4, LAST_3])
def older(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, certificates: Certificates
) -> Iterator[KafkaCluster]:
    """An older 4.x and the last 3.x, each started once for all its tests, which are in one file."""
    folder = tmp_path_factory.mktemp("kafka") / request.param
    with KafkaCluster(request.param, folder, certificates=certificates) as started:
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


@pytest.fixture
def fake() -> Iterator[FakeKafka]:
    """Two hundred partitions on six brokers of the fake cluster."""
    with FakeKafka(Model(RACKS, partitions(200))) as serving:
        yield serving


@pytest.fixture
def port(fake: FakeKafka) -> Iterator[KafkaPort]:
    """A connection to it."""
    with KafkaPort(fake.bootstrap, ClientConfig({"request.timeout.ms": "5000"})) as opened:
        yield opened
