"""Runs in processes of their own that have moves in flight, and what is done to them from outside."""

from __future__ import annotations

import subprocess
from pathlib import Path

from harness.cluster import BROKER_THROTTLES, KafkaCluster
from harness.runs import Done, Plan, equipoise, plan_for, well
from harness.throttles import throttles
from harness.traffic import fill
from harness.waiting import wait_until

RATES = BROKER_THROTTLES[:2]
LISTS = {0: [3, 4, 2], 1: [4, 2, 0]}


def draining(cluster: KafkaCluster, folder: Path, topic: str, *, n_bytes: int, rate: str = "50kB") -> Plan:
    """A new topic of two partitions, which leave broker 4."""
    cluster.create(topic, LISTS)
    fill(cluster, topic, LISTS, n_bytes)
    return plan_for(cluster, folder, "--drain", "4", "--topics", topic, "--throttle", rate, name=topic)


def in_flight(plan: Plan, *options: str, **how: object) -> subprocess.Popen[str]:
    """A run that has something in flight, and all its throttles set."""
    before = begun(plan)
    command = plan.start("apply", "--yes", *options, **how)
    wait_until(lambda: begun(plan) > before or command.poll() is not None, "the run begun")
    wait_until(lambda: plan.cluster.in_flight() and throttles(plan.cluster), "moves in flight")
    return command


def begun(plan: Plan) -> int:
    """How often a run of it was begun."""
    return sum(entry["type"] == "begin" for entry in plan.journal)


def ended(process: subprocess.Popen[str]) -> Done:
    out, err = process.communicate(timeout=90)
    return Done(process.returncode, out, err)


def rates(cluster: KafkaCluster) -> set[str]:
    """Every rate of the brokers that have to do with what is in flight, "" where one has none."""
    busy = {broker for move in cluster.in_flight().values() for broker in move["replicas"]}
    found = throttles(cluster)
    return {found.get(("broker", str(broker)), {}).get(key, "") for broker in busy for key in RATES}


def assert_steered(plan: Plan) -> None:
    """Another terminal gives the run in flight another rate, and pauses it."""
    well(equipoise("throttle", str(plan.folder), "40kB"))
    well(equipoise("pause", str(plan.folder)))
    wait_until(lambda: rates(plan.cluster) == {"40000"}, "the other rate in force")
    held = "held: paused, no move begins"
    told = wait_until(lambda: held in (out := well(plan.run("status")).out) and out, "the pause heard of")
    assert "ordered throttle: 40 kB/s" in str(told), told
    well(equipoise("continue", str(plan.folder)))


def assert_adopted(plan: Plan) -> None:
    """Killed, and its journal is gone: what stands is named, refused without a word more, and adopted."""
    well(plan.run("cancel", "--yes"))
    well(plan.run("rollback", "--yes", "--throttle", "5MB"))
    plan.assert_undone()
    process = in_flight(plan, "--throttle", "50kB")
    process.kill()
    ended(process)
    (plan.folder / "journal.jsonl").unlink()
    told = plan.run("status")
    assert "run not begun" in told.out and "which no run of this plan set" in told.out, told
    assert "as this plan would" in told.out and "cancel --adopt" in told.out
    assert "--adopt" in plan.run("cancel", "--yes").err and "--adopt" in plan.run("apply", "--yes").err
    well(plan.run("cancel", "--yes", "--adopt"))
    plan.assert_undone()
