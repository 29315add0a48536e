"""What a JMX exporter in a real broker shows of it holds a run down."""

from __future__ import annotations

from pathlib import Path
from urllib.request import urlopen

import pytest
from harness.cluster import KafkaCluster
from harness.exporter import DEFAULT, RULES, exporting
from harness.flights import ended, rates
from harness.runs import equipoise, plan_for, well
from harness.traffic import fill
from harness.waiting import wait_until

from equipoise.formats.burden import LIMITS, figures
from kafka import KafkaConsumer, TopicPartition

pytestmark = pytest.mark.kafka

MB = 1_000_000
LOW = 50_000


def told_by(address: str) -> set[str]:
    """The figures that are found in what an exporter shows."""
    with urlopen(address, timeout=10) as answer:
        return {name for name, _, _ in figures(answer.read().decode())}


def wait_for_nothing(cluster: KafkaCluster, topic: str) -> None:
    """A consumer that lets the leader of an empty partition keep its request for three seconds."""
    patient = KafkaConsumer(
        bootstrap_servers=cluster.bootstrap(), fetch_max_wait_ms=3000, fetch_min_bytes=MB
    )
    try:
        patient.assign([TopicPartition(topic, 0)])
        assert patient.poll(timeout_ms=8000) == {}
    finally:
        patient.close()


def at_least(cluster: KafkaCluster, rate: int) -> bool:
    """Whether all brokers that copy have the same rate, and so high a one."""
    found = rates(cluster)
    return len(found) == 1 and all(one and int(one) >= rate for one in found)


def test_what_an_exporter_shows_slows_a_run_down(cluster: KafkaCluster, tmp_path: Path) -> None:
    """Each figure is found in its default form and in that of its example rules. Calm raises the rate; when
    requests take too long on a broker that has nothing to do with the moves it is halved, and it is said why.
    A rate that is ordered ends it."""
    cluster.create("auto", {0: [0, 1], 1: [1, 0]})
    cluster.create("idle", {0: [4]})
    fill(cluster, "auto", [0, 1], 8 * MB)
    with exporting(cluster, {4: DEFAULT, 3: RULES}) as addresses:
        for address in addresses:
            assert told_by(address) == {limit.name for limit in LIMITS}
        plan = plan_for(cluster, tmp_path, "--replace", "1=2", "--topics", "auto", "--throttle", "1MB")
        process = plan.start("apply", "--yes", "--throttle", "auto:50kB-550kB", "--health", addresses[0])
        wait_until(lambda: at_least(cluster, 2 * LOW), "raised", seconds=240)
        wait_for_nothing(cluster, "idle")
        wait_until(lambda: rates(cluster) == {str(LOW)}, "halved", seconds=60)
        well(equipoise("throttle", str(plan.folder), "20MB"))
        done = ended(process)
        assert done.code == 0, done
        slowed = "the throttle is 50,000 bytes a second from now on"
        assert f"{slowed}: the 99th percentile of FetchConsumer in ms is 3" in done.out
        plan.assert_applied()
