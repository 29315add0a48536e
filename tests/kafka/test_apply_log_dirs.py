"""Replicas moved between the log dirs of real brokers."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from harness.cluster import BROKER_THROTTLES, KafkaCluster
from harness.flights import ended
from harness.runs import Plan, next_plan_is_empty, plan_for, well
from harness.throttles import assert_throttles, configure
from harness.tools import log_dirs
from harness.traffic import Traffic, fill
from harness.waiting import wait_until

pytestmark = pytest.mark.kafka


def places(cluster: KafkaCluster) -> dict[int, str]:
    """The log dir that the partition has on each broker, as Kafka's own tool tells it."""
    return {
        found["broker"]: one["logDir"]
        for found in log_dirs(cluster, "dirs")
        for one in found["logDirs"]
        if one["partitions"]
    }


DIR_RATE = BROKER_THROTTLES[2]


def coming(cluster: KafkaCluster) -> dict[int, str]:
    """The log dir that the partition is being copied to on each broker."""
    return {
        found["broker"]: one["logDir"]
        for found in log_dirs(cluster, "dirs")
        for one in found["logDirs"]
        if any(replica["isFuture"] for replica in one["partitions"])
    }


def settling(plan: Plan, *options: str) -> subprocess.Popen[str]:
    """A run that has a copy between log dirs under way."""
    process = plan.start("apply", "--yes", *options)
    wait_until(lambda: process.poll() is not None or coming(plan.cluster), "a copy between log dirs")
    return process


@contextmanager
def slow_to_forget(cluster: KafkaCluster, broker: int) -> Iterator[None]:
    """A broker that takes its rate between log dirs over ten minutes: once it has passed a very low one, it
    copies nothing for the rest of them."""
    file, windows = cluster.nodes[broker].properties, "alter.log.dirs.replication.quota.window.num="
    before = file.read_text()
    assert f"{windows}2\n" in before
    try:
        file.write_text(before.replace(f"{windows}2\n", f"{windows}600\n"))
        cluster.stop(broker)
        cluster.start(broker)
        yield
    finally:
        file.write_text(before)
        cluster.stop(broker)


def to_another_dir(cluster: KafkaCluster, folder: Path, broker: int) -> tuple[str, str, tuple[str, str]]:
    """Where the replica of a broker lies, where it is to go, and the option that says so."""
    lies = places(cluster)[broker]
    goes = next(path for path in cluster.nodes[broker].log_dirs if path != lies)
    replicas = cluster.replicas("dirs")[0]
    dirs = [goes if one == broker else "any" for one in replicas]
    rows = [{"topic": "dirs", "partition": 0, "replicas": replicas, "log_dirs": dirs}]
    (folder / "dirs.json").write_text(json.dumps({"version": 1, "partitions": rows}))
    return lies, goes, ("--log-dirs", str(folder / "dirs.json"))


def test_a_copy_that_somebody_slows_down_to_nothing_is_called_stuck(
    cluster: KafkaCluster, tmp_path: Path
) -> None:
    """A rate of theirs is named and left alone. With ``--if-stuck skip`` the copy is ended and the replica
    stays where it lies; the next run waits, and sees it to its end once they take their rate off."""
    cluster.create("dirs", {0: [0, 1]})
    fill(cluster, "dirs", [0], 3_000_000)
    plan = plan_for(cluster, tmp_path, "--required-only", "--topics", "dirs")
    lies, goes, chosen = to_another_dir(cluster, tmp_path, 0)
    stuck = f"dirs-0 on broker 0 is stuck: nothing is copied to {goes}"
    with slow_to_forget(cluster, 0):
        configure(cluster, "broker", "0", {DIR_RATE: "1"})
        assert_throttles(cluster, {("broker", "0"): {DIR_RATE: "1"}})
        done = plan.run("apply", "--yes", "--stuck-after", "5", "--if-stuck", "skip", *chosen)
        assert done.code == 1 and f"did not come to {goes}: nothing is copied" in done.err, done
        assert stuck in done.out and f"{DIR_RATE}=1, which no run of this plan set" in done.out
        assert (coming(cluster), places(cluster)[0]) == ({}, lies)
        process = plan.start("apply", "--yes", "--resume", "--stuck-after", "5", *chosen)
        assert process.stdout is not None
        said = next(line for line in process.stdout if "is stuck" in line)
        assert stuck in said and coming(cluster) == {0: goes}
        assert_throttles(cluster, {("broker", "0"): {DIR_RATE: "1"}})
        configure(cluster, "broker", "0", {DIR_RATE: None})
        assert ended(process).code == 0
        assert (coming(cluster), places(cluster)[0]) == ({}, goes)


def test_who_leaves_copies_between_dirs_keeps_their_throttle_on(
    cluster: KafkaCluster, tmp_path: Path
) -> None:
    """SIGTERM: the copy goes on throttled, `status` names it, `cancel` ends it and takes the throttle off;
    left once more, the next run sees it to its end."""
    cluster.create("dirs", {0: [0, 1]})
    fill(cluster, "dirs", [0], 6_000_000)
    plan = plan_for(cluster, tmp_path, "--required-only", "--topics", "dirs", "--throttle", "50kB")
    lay, goes, chosen = to_another_dir(cluster, tmp_path, 0)
    throttled = {("broker", "0"): {DIR_RATE: "50000"}}
    for resume in ((), ("--resume",)):
        process = settling(plan, *chosen, *resume)
        process.send_signal(signal.SIGTERM)
        done = ended(process)
        assert done.code == 1 and "1 copy between log dirs goes on in Kafka and the throttle" in done.err
        assert coming(cluster) == {0: goes}
        assert_throttles(cluster, throttled)
        told = plan.run("status")
        assert told.code == 1 and "still throttled: broker 0" in told.out, told
        assert "1 copy between log dirs" in told.out
        if not resume:
            assert well(plan.run("cancel", "--yes")).out.startswith("What is in flight")
            assert (coming(cluster), places(cluster)[0]) == ({}, lay)
            assert_throttles(cluster, {})
    well(plan.run("apply", "--yes", "--resume", *chosen, "--throttle", "20MB"))
    assert (coming(cluster), places(cluster)[0]) == ({}, goes)
    assert_throttles(cluster, {})
    assert "apply finished" in well(plan.run("status")).out


def test_replicas_go_to_the_log_dirs_that_were_asked_for(cluster: KafkaCluster, tmp_path: Path) -> None:
    """One comes from another broker, one stays on its own; ``kafka-log-dirs`` finds both in place."""
    cluster.create("dirs", {0: [0, 1]})
    cluster.create("live", {0: [0, 1]})
    fill(cluster, "dirs", [0], 1_000_000)
    wanted = ("--replace", "1=4", "--topics", "dirs")
    plan = plan_for(cluster, tmp_path, *wanted, "--throttle", "2MB")
    stays = next(path for path in cluster.nodes[0].log_dirs if path != places(cluster)[0])
    comes = cluster.nodes[4].log_dirs[1]
    rows = [{"topic": "dirs", "partition": 0, "replicas": [0, 4], "log_dirs": [stays, comes]}]
    (tmp_path / "dirs.json").write_text(json.dumps({"version": 1, "partitions": rows}))
    with Traffic(cluster, "live") as traffic:
        well(plan.run("apply", "--yes", "--log-dirs", str(tmp_path / "dirs.json")))
    assert traffic.check()
    assert places(cluster) == {0: stays, 4: comes}
    plan.assert_applied()
    assert next_plan_is_empty(cluster, tmp_path, wanted)
