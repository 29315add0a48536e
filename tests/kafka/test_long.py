"""What takes many minutes on real brokers: ``make test-long``, with KILLS, MINUTES and SEED."""

from __future__ import annotations

import os
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from harness.cluster import BROKER_THROTTLES, KafkaCluster
from harness.inside import apart, carried, killed_after
from harness.runs import Plan, plan_for, well
from harness.throttles import configure
from harness.traffic import Traffic, fill
from harness.waiting import soon, wait_until
from kafka.errors import KafkaError

from equipoise.files.steering import Steering, write_steering

pytestmark = [pytest.mark.kafka, pytest.mark.long, pytest.mark.timeout(3 * 3600)]

MB = 1_000_000
KILLS = int(os.environ.get("KILLS", "100"))
MINUTES = float(os.environ.get("MINUTES", "30"))
SEED = int(os.environ.get("SEED", "1"))
LISTS = {p: [[0, 4, 2], [4, 2, 0], [4, 3, 1], [0, 1, 2]][p % 4] for p in range(12)}


@soon
def assert_here_or_there(plan: Plan) -> None:
    """Every list is exactly the one from before or the plan's; nothing moves, no throttle is left."""
    lists = plan.lists()
    for move in plan.moves:
        assert lists[move["topic"], move["partition"]] in (move["before"], move["after"]), move
    plan.assert_clean()


def taken_up(plan: Plan, operation: str, how: str) -> None:
    """The process after the one that was killed, and a roll back where it left the plan half done."""
    end, _ = carried(plan, operation, stop="cancel" if how == "cancel" else None)
    assert end.reasons == (), end
    if how == "cancel":
        assert end.outcome == "cancelled"
        assert_here_or_there(plan)
        end, _ = carried(plan, "rollback")
        operation = "rollback"
    assert (end.outcome, end.reasons) == ("finished", ())
    (plan.assert_applied_quickly if operation == "apply" else plan.assert_undone)()


def test_killed_at_random_moments_under_traffic(cluster: KafkaCluster, tmp_path: Path) -> None:
    """SIGKILL at any moment of a run or of its roll back, each taken up by the next process or cancelled:
    exact lists, no throttle, and in the end every record is there once and in order."""
    cluster.create("live", LISTS, min_insync_replicas="2")
    cluster.create("heavy", LISTS)
    fill(cluster, "heavy", LISTS, MB)
    plan = plan_for(cluster, tmp_path, "--drain", "4", "--topics", "live|heavy", "--throttle", "500kB")
    chance, told, operation = Random(SEED), Counter[str](), "apply"
    with Traffic(cluster, "live", records_per_s=60, size=100) as traffic:
        wait_until(lambda: traffic.acknowledged > 50, "some records")
        longest = seconds_of_a_run(plan)
        while told.total() < KILLS:
            moment, how = chance.random() * longest, chance.choice(["resume", "cancel"])
            if killed_after(plan, moment, operation):
                told[f"{operation}, {how}"] += 1
                print(f"kill {told.total()} after {moment:.1f} s: {operation}, {how}", flush=True)
                taken_up(plan, operation, how)
            else:
                how = "resume"
            operation = "rollback" if how == "resume" and operation == "apply" else "apply"
    n_records = traffic.check()
    print(f"{told.total()} kills ({dict(told)}), {n_records} records, a run takes {longest:.1f} s")


def seconds_of_a_run(plan: Plan) -> float:
    """There and back, without a kill."""
    begin = time.monotonic()
    for operation in ("apply", "rollback"):
        process = apart(plan, operation)
        process.join()
        assert process.exitcode == 0
    return (time.monotonic() - begin) / 2


class Faults:
    """What may happen to a run, each counted; whoever was killed or frozen is back when it returns."""

    def __init__(self, plan: Plan, chance: Random) -> None:
        self.plan, self.cluster, self.chance = plan, plan.cluster, chance
        self.happened = Counter[str]()

    def strike(self, process: Any) -> None:
        """One of them; what cannot be done at this moment is left."""
        kind = self.chance.choice(["kill", "hang", "restart", "cancel", "clear", "pause"])
        self.happened[kind] += 1
        if kind == "kill":
            process.kill()
            return
        with suppress(KafkaError, AssertionError):
            getattr(self, kind)()

    def hang(self) -> None:
        """A broker says nothing, for less and for more than its session."""
        broker = self.chance.randrange(5)
        self.cluster.freeze(broker)
        try:
            time.sleep(self.chance.uniform(1, 10))
        finally:
            self.cluster.thaw(broker)

    def restart(self) -> None:
        broker = self.chance.randrange(5)
        self.cluster.kill(broker)
        time.sleep(self.chance.uniform(0, 8))
        self.cluster.start(broker, wait=False)

    def cancel(self) -> None:
        """Somebody cancels one of the moves."""
        if moving := sorted(self.cluster.in_flight()):
            one = self.chance.choice(moving)
            self.cluster.move(one.topic, {one.partition: None})

    def clear(self) -> None:
        """Somebody takes the rates off."""
        for node in self.cluster.nodes:
            configure(self.cluster, "broker", str(node.id), dict.fromkeys(BROKER_THROTTLES[:2]))

    def pause(self) -> None:
        """Another terminal pauses the run for a while."""
        write_steering(self.plan.folder, Steering(paused=True))
        time.sleep(self.chance.uniform(1, 5))
        write_steering(self.plan.folder, Steering())


def ended_well(plan: Plan, operation: str) -> None:
    """After whatever happened the cluster is well again, and one of the next processes ends the run."""
    plan.cluster.wait_for_brokers(seconds=180)
    for topic in plan.topics():
        wait_until(lambda: plan.cluster.in_sync(topic) or plan.cluster.in_flight(), "in sync", seconds=180)  # noqa: B023
    for _ in range(4):  # what was given up in one is tried again in the next
        end, _ = carried(plan, operation)
        if (end.outcome, end.reasons) == ("finished", ()):
            break
    assert (end.outcome, end.reasons) == ("finished", ())
    (plan.assert_applied_quickly if operation == "apply" else plan.assert_undone)()


def test_random_faults_under_traffic(cluster: KafkaCluster, tmp_path: Path) -> None:
    """Kills, frozen and restarted brokers, foreign cancels, cleared configs and pauses, some in each run,
    there and back for half an hour: the run after them ends as planned, and every record is
    there once and in order."""
    cluster.create("live", LISTS, min_insync_replicas="2")
    cluster.create("heavy", LISTS)
    fill(cluster, "heavy", LISTS, MB)
    plan = plan_for(cluster, tmp_path, "--drain", "4", "--topics", "live|heavy", "--throttle", "500kB")
    faults, operation, runs, until = Faults(plan, Random(SEED)), "apply", 0, time.monotonic() + 60 * MINUTES
    with Traffic(cluster, "live", records_per_s=60, size=100) as traffic:
        wait_until(lambda: traffic.acknowledged > 50, "some records")
        while time.monotonic() < until:
            process = apart(plan, operation)
            for _ in range(faults.chance.randrange(1, 4)):
                process.join(timeout=faults.chance.uniform(0, 6))
                faults.strike(process)
            process.join(timeout=faults.chance.uniform(0, 60))
            process.kill()
            process.join()
            ended_well(plan, operation)
            runs, operation = runs + 1, "rollback" if operation == "apply" else "apply"
            print(f"run {runs}: {dict(faults.happened)}", flush=True)
    print(f"{runs} runs, {dict(faults.happened)}, {traffic.check()} records, seed {SEED}")


def test_2000_partitions_are_drained_under_traffic(cluster: KafkaCluster, tmp_path: Path) -> None:
    """Every record is there once and in order, and the brokers show the plan's lists and no throttle."""
    cluster.create("live", LISTS, min_insync_replicas="2")
    many = {p: [p % 5, (p + 1 + p // 5 % 4) % 5] for p in range(200)}
    for topic in (f"many-{k}" for k in range(10)):  # small brokers take their time with each
        cluster.create(topic, many)
        fill(cluster, topic, many, 20_000)
    plan = plan_for(cluster, tmp_path, "--drain", "4", "--topics", "many.*|live", "--throttle", "5MB")
    assert len(plan.moves) > 700
    with Traffic(cluster, "live", records_per_s=200) as traffic:
        wait_until(lambda: traffic.acknowledged > 50, "some records")
        begin = time.monotonic()
        process = plan.start("apply", "--yes")
        out, err = process.communicate()
        seconds = time.monotonic() - begin
    assert process.returncode == 0, err
    print(f"{len(plan.moves)} changes in {seconds:.0f} s, {traffic.check()} records; {out.splitlines()[0]}")
    plan.assert_applied_quickly()
    assert "apply finished" in well(plan.run("status")).out
