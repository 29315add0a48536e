"""``equipoise watch`` on real brokers: rounds that plan, carry out, and then have nothing to do."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

import pytest
from harness.cluster import KafkaCluster
from harness.runs import COMMAND, equipoise, well
from harness.throttles import throttles
from harness.traffic import fill
from harness.waiting import wait_until

pytestmark = pytest.mark.kafka


def test_a_broker_is_emptied_in_the_first_round_and_left_alone_in_the_second(
    cluster: KafkaCluster, tmp_path: Path
) -> None:
    """Then it waits for an hour, until SIGTERM ends it in good order."""
    cluster.create("watched", {0: [4, 1, 2], 1: [1, 4, 2]})
    options = [
        "--bootstrap-server", cluster.bootstrap(), "--topics", "watched", "--drain", "4", "--required-only",
        "--apply", "--yes", "--out", str(tmp_path / "rounds"),
    ]  # fmt: skip
    done = well(equipoise("watch", *options, "--rounds", "2", "--every", "1s"))
    first, second, last = [line for line in done.out.splitlines() if ": " not in line[:9] and line][-3:]
    assert first.endswith("; carried out") and "2 data moves" in first
    assert second.endswith("nothing to do") and last == "Stopped after 2 rounds."
    assert all(4 not in state["replica_nodes"] for state in cluster.describe("watched").values())
    assert len(list((tmp_path / "rounds").iterdir())) == 1

    waiting = subprocess.Popen(
        [*COMMAND, "watch", *options, "--every", "1h"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert waiting.stdout is not None
    assert waiting.stdout.readline().endswith("nothing to do\n")
    waiting.send_signal(signal.SIGTERM)
    out, err = waiting.communicate(timeout=60)
    assert (waiting.returncode, out, err) == (0, "Stopped after 1 round.\n", "")


def test_sigterm_ends_a_run_and_the_watch_with_it(cluster: KafkaCluster, tmp_path: Path) -> None:
    """What flies stays, throttled, and no later round takes it up: the next watch does."""
    cluster.create("left", {0: [4, 1, 2], 1: [1, 4, 2]})
    fill(cluster, "left", [0, 1], 8_000_000)
    options = [
        "--bootstrap-server", cluster.bootstrap(), "--topics", "left", "--drain", "4", "--required-only",
        "--apply", "--yes", "--out", str(tmp_path / "rounds"), "--every", "1s",
    ]  # fmt: skip
    flying = subprocess.Popen(
        [*COMMAND, "watch", *options, "--throttle", "200kB"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    wait_until(cluster.in_flight, "in flight")
    flying.send_signal(signal.SIGTERM)
    out, err = flying.communicate(timeout=60)
    assert flying.returncode == 1 and out.endswith("left (exit code 1)\nStopped after 1 round.\n"), (out, err)
    assert cluster.in_flight() and throttles(cluster, ["left"])
    done = well(equipoise("watch", *options, "--rounds", "1", "--throttle", "50MB"))
    assert "taken up; carried out" in done.out
    assert cluster.in_flight() == {} and throttles(cluster, ["left"]) == {}
