"""What takes many minutes on real brokers: ``make test-long``, with KILLS and SEED."""

from __future__ import annotations

import os
import time
from collections import Counter
from pathlib import Path
from random import Random

import pytest
from harness.cluster import KafkaCluster
from harness.inside import apart, carried, killed_after
from harness.runs import Plan, plan_for, well
from harness.traffic import Traffic, fill
from harness.waiting import soon, wait_until

pytestmark = [pytest.mark.kafka, pytest.mark.long, pytest.mark.timeout(3 * 3600)]

MB = 1_000_000
KILLS = int(os.environ.get("KILLS", "100"))
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


def test_2000_partitions_are_drained_under_traffic(cluster: KafkaCluster, tmp_path: Path) -> None:
    """Every record is there once and in order, and the brokers show the plan's lists and no throttle."""
    many = {p: [p % 5, (p + 1 + p // 5 % 4) % 5] for p in range(2000)}
    many = {p: ids if len(set(ids)) == 2 else [p % 5, (p + 1) % 5] for p, ids in many.items()}
    cluster.create("many", many)
    cluster.create("live", LISTS, min_insync_replicas="2")
    fill(cluster, "many", many, 20_000)
    plan = plan_for(cluster, tmp_path, "--drain", "4", "--topics", "many|live", "--throttle", "5MB")
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
