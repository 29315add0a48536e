"""``equipoise snapshot`` on real brokers: what it writes is what Kafka's own tools say."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from harness.certificates import PASSWORD
from harness.cluster import KafkaCluster
from harness.settings import USERS
from harness.throttles import crawl, speed_up
from harness.tools import log_dirs, tool
from harness.traffic import fill
from harness.waiting import wait_until

from equipoise.cli.main import main
from equipoise.cluster import Cluster
from equipoise.files.sources import parse_file, read_sources

pytestmark = pytest.mark.kafka

Run = tuple[int, str, str]


def snapshot(capsys: pytest.CaptureFixture[str], *arguments: object) -> Run:
    """Exit code, standard output and standard error of ``equipoise snapshot``."""
    with pytest.raises(SystemExit) as ended:
        main(["snapshot", *map(str, arguments)])
    printed = capsys.readouterr()
    return int(ended.value.code or 0), printed.out, printed.err


def lists(cluster: Cluster) -> dict[str, list[int]]:
    """Replica list by ``topic-partition``."""
    ids = cluster.ids_of(cluster.replicas)
    return {
        cluster.label(row): [i for i in ids[row].tolist() if i >= 0] for row in range(cluster.n_partitions)
    }


@pytest.mark.parametrize(
    ("listener", "choices"),
    [
        ("PLAIN", {}),
        ("SASL", {"mechanism": "SCRAM-SHA-256"}),
        ("SASL", {"mechanism": "SCRAM-SHA-512"}),
        ("TLS", {}),
        ("SASL_TLS", {"mechanism": "PLAIN"}),
    ],
)
def test_over_every_listener_it_equals_what_kafka_prints(
    cluster: KafkaCluster,
    snapshot_folder: Path,
    capsys: pytest.CaptureFixture[str],
    listener: str,
    choices: dict[str, str],
) -> None:
    """Replica lists, leaders, racks, sizes and min ISR, against kafka-topics and kafka-log-dirs."""
    cluster.create("orders", {0: [0, 1, 2], 1: [3, 4, 0]}, min_insync_replicas="2")
    cluster.create("with-dashes.and.dots", {0: [4, 3]})
    fill(cluster, "orders", [0], 300_000)
    config = cluster.client_file(listener, **choices)
    code, out, err = snapshot(
        capsys,
        "--bootstrap-server",
        cluster.bootstrap(listener),
        "--command-config",
        config,
        "--out",
        snapshot_folder,
    )
    assert (code, err) == (0, "") and "5 brokers in 3 racks, 2 topics, 3 partitions" in out
    ours = read_sources([snapshot_folder])
    theirs = read_sources([kafka_topics(cluster, snapshot_folder)])
    assert lists(ours) == lists(theirs)
    assert ours.ids_of(ours.leader).tolist() == theirs.ids_of(theirs.leader).tolist()
    assert ours.cluster_id == cluster.admin.describe_cluster()["cluster_id"]
    assert ours.brokers.racks == ("a", "b", "c", "a", "b")
    assert ours.min_isr.tolist() == [2, 2, 1]
    assert ours.retention_s.tolist() == [7 * 86_400.0] * 3
    assert ours.size_bytes.tolist() == [kafka_size(cluster, "orders-0"), 0, 0]
    assert ours.missing == ("rates",) and ours.notes == ()
    assert np.all(ours.brokers.disk_bytes > 1e9)


def test_a_java_truststore_is_read_through_keytool(
    cluster: KafkaCluster,
    snapshot_folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """PKCS12 as Kafka's operators have it; with a wrong password one line with the cure."""
    store = cluster.certificates.broker_keystore
    server = cluster.bootstrap("TLS")
    for password, expected in ((PASSWORD, 0), ("wrong-secret", 2)):
        config = cluster.folder / "pkcs12.properties"
        config.write_text(
            f"security.protocol=SSL\nssl.truststore.type=PKCS12\nssl.truststore.location={store}\n"
            f"ssl.truststore.password={password}\n"
        )
        options = ["--bootstrap-server", server, "--command-config", config, "--out", snapshot_folder]
        code, _, err = snapshot(capsys, *options)
        assert code == expected, err
    assert "cannot be opened with ssl.truststore.password. Make it PEM: keytool -list" in err
    assert "wrong-secret" not in err


def kafka_topics(cluster: KafkaCluster, folder: Path) -> Path:
    """What kafka-topics --describe prints, as a file beside the snapshot."""
    path = folder.parent / "kafka-topics.txt"
    path.write_text(tool(cluster, "kafka-topics", "--describe"))
    return path


def kafka_size(cluster: KafkaCluster, partition: str) -> float:
    """Size of a partition by kafka-log-dirs, the same on every broker that holds it."""
    brokers = log_dirs(cluster, partition.rpartition("-")[0])
    (size,) = {
        p["size"]
        for b in brokers
        for d in b["logDirs"]
        for p in d["partitions"]
        if p["partition"] == partition
    }
    return float(size)


def test_during_a_move_the_true_replication_factor_is_read(
    cluster: KafkaCluster, snapshot_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Kafka shows four replicas while a partition of three moves; the snapshot reads as three."""
    cluster.create("orders", {0: [0, 1, 2], 1: [1, 2, 3]})
    fill(cluster, "orders", [0], 3_000_000)
    crawl(cluster, "orders")
    cluster.move("orders", {0: [4, 2, 1]})
    code, out, _ = snapshot(capsys, "--bootstrap-server", cluster.bootstrap(), "--out", snapshot_folder)
    assert code == 0 and "1 in flight" in out
    text = (snapshot_folder / "topics.txt").read_text()
    assert "Replicas: 4,2,1,0" in text and "Adding Replicas: 4\tRemoving Replicas: 0" in text
    assert "ReplicationFactor: 3" in text
    listed = tool(cluster, "kafka-reassign-partitions", "--list")
    assert (snapshot_folder / "reassignments.txt").read_text().strip() == listed.strip()
    ours = read_sources([snapshot_folder])
    assert sorted(lists(ours)["orders-0"]) == [0, 1, 2]
    assert any("in flight: orders-0" in note for note in ours.notes)
    speed_up(cluster)
    wait_until(lambda: not cluster.in_flight(), "the move done")
    snapshot(capsys, "--bootstrap-server", cluster.bootstrap(), "--out", snapshot_folder)
    assert lists(read_sources([snapshot_folder]))["orders-0"] == [4, 2, 1]


def test_a_dead_broker_costs_its_own_figures_only(
    cluster: KafkaCluster, snapshot_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is reported, its disk is unknown, everything else is as before; dead at once and fenced later."""
    cluster.create("orders", {0: [0, 4], 1: [1, 2]})
    fill(cluster, "orders", [0, 1], 100_000)
    cluster.kill(4)
    code, _, err = snapshot(capsys, "--bootstrap-server", cluster.bootstrap(), "--out", snapshot_folder)
    assert code == 0 and "broker 4 does not answer: its sizes are unknown (UNREACHABLE)" in err
    ours = read_sources([snapshot_folder])
    assert np.isnan(ours.brokers.disk_bytes).tolist() == [False] * 4 + [True]
    assert np.all(ours.size_bytes > 0)
    assert any("broker 4 does not answer" in note for note in ours.notes)
    wait_until(lambda: 4 not in cluster.unfenced(), "broker 4 fenced")
    _, _, err = snapshot(capsys, "--bootstrap-server", cluster.bootstrap(), "--out", snapshot_folder)
    assert "broker 4 is fenced" in err
    fenced = parse_file(snapshot_folder / "endpoints.txt")
    assert [broker for broker, facts in fenced.brokers.items() if not facts.is_up] == [4]
    assert lists(read_sources([snapshot_folder]))["orders-0"] == [0, 4]


def refusals(cluster: KafkaCluster) -> dict[str, tuple[str, Path | None, str]]:
    """Server, client properties, and what must be said."""

    def file(name: str, listener: str, **choices: object) -> Path:
        return cluster.client_file(listener, f"{name}.properties", **choices)

    stranger = cluster.certificates.stranger_pem
    tls, sasl = cluster.bootstrap("TLS"), cluster.bootstrap("SASL_TLS")
    visitor = file("visitor", "SASL_TLS", user="visitor")
    return {
        "no such server": ("127.0.0.1:1", None, "cannot reach 127.0.0.1:1: connection refused"),
        "no port": ("localhost", None, "'localhost' is not host:port"),
        "wrong password": (
            sasl,
            file("w", "SASL_TLS", password="wrong-secret"),
            "authentication failed for user admin",
        ),
        "unknown user": (
            sasl,
            file("u", "SASL_TLS", user="nobody", password="x-secret", mechanism="PLAIN"),
            "authentication failed for user nobody (PLAIN)",
        ),
        "no right": (sasl, visitor, "not authorised (CLUSTER_AUTHORIZATION_FAILED)"),
        "untrusted": (tls, file("s", "TLS", trusted=stranger), "its certificate is not trusted"),
        "TLS expected": (
            tls,
            None,
            "does not answer as a broker does with PLAINTEXT. Is security.protocol right?",
        ),
        "login expected": (cluster.bootstrap("SASL"), None, "Is security.protocol right?"),
        "no TLS there": (cluster.bootstrap(), file("t", "TLS"), "does not answer in TLS"),
        "no login there": (cluster.bootstrap(), file("l", "SASL"), "this listener takes no login"),
    }


def test_refusals_are_one_clear_line_and_nothing_is_written(
    cluster: KafkaCluster,
    snapshot_folder: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Unreachable, wrong password, no right, wrong protocol: exit 2, one line, no secret in it."""
    caplog.set_level(logging.DEBUG)
    for story, (server, config, said) in refusals(cluster).items():
        options = ["--command-config", config] if config else []
        code, out, err = snapshot(capsys, "--bootstrap-server", server, *options, "--out", snapshot_folder)
        assert (code, out) == (2, ""), story
        assert err.startswith("equipoise: ") and err.count("\n") == 1 and said in err, (story, err)
        assert "secret" not in err, story
    assert "secret" not in caplog.text
    assert not snapshot_folder.exists()


def test_secrets_stay_out_of_debug_logs(
    cluster: KafkaCluster,
    snapshot_folder: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A PLAIN login sends the password itself: even the client's debug records do not show it."""
    caplog.set_level(logging.DEBUG)
    config = cluster.client_file("SASL", mechanism="PLAIN")
    server = cluster.bootstrap("SASL")
    code, out, err = snapshot(
        capsys, "--bootstrap-server", server, "--command-config", config, "--out", snapshot_folder
    )
    assert code == 0 and "kafka.net" in {record.name.rpartition(".")[0] for record in caplog.records}
    written = "".join(path.read_text() for path in snapshot_folder.iterdir())
    for secret in USERS.values():
        assert secret not in out + err + caplog.text + written


def test_as_a_command_it_prints_the_summary_and_nothing_else(
    cluster: KafkaCluster, snapshot_folder: Path
) -> None:
    """The client's own chatter (retries, a dead bootstrap server) reaches neither output."""
    cluster.create("orders", {0: [0, 1]})
    servers = f"127.0.0.1:1,{cluster.bootstrap(brokers=[2])}"
    arguments = ["snapshot", "--bootstrap-server", servers, "--out", str(snapshot_folder)]
    command = [sys.executable, "-m", "equipoise.cli.main", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("orders: 5 brokers in 3 racks, 1 topic, 1 partition, 0 in flight, Kafka")
    facts = json.loads((snapshot_folder / "cluster.json").read_text())
    assert facts["kafka"]["features"]["metadata.version"] > 20
