"""Stopped, cancelled, rolled back, killed: on real brokers."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest
from harness.cluster import KafkaCluster
from harness.inside import Eye, carried, copying, killed, once
from harness.runs import Plan, plan_for, well
from harness.throttles import assert_throttles, configure, throttles
from harness.traffic import Traffic, fill
from harness.waiting import wait_until

pytestmark = pytest.mark.kafka

MB = 1_000_000
SLOW = 100_000
"""What is copied at this rate is in flight for as long as a test needs it."""


@pytest.fixture
def plan(cluster: KafkaCluster, tmp_path: Path) -> Plan:
    """Two moves of 3 MB at 1 MB/s, one of them of a leader, and a reorder."""
    cluster.create("back", {0: [1, 0, 2], 1: [2, 1, 3], 2: [0, 2, 3], 3: [0, 3, 2]})
    fill(cluster, "back", [0, 1], 3 * MB)
    return plan_for(cluster, tmp_path, "--drain", "1", "--topics", "back", "--throttle", "1MB")


def test_killed_at_every_journal_step_then_resumed(cluster: KafkaCluster, tmp_path: Path) -> None:
    """SIGKILL right after each entry, there and back: the next process ends it, no throttle is left."""
    cluster.create("kill", {0: [1, 2, 3], 1: [2, 1, 3]})
    fill(cluster, "kill", [0], MB // 2)
    plan = plan_for(cluster, tmp_path, "--replace", "1=0", "--topics", "kill", "--throttle", "2MB")
    ended: set[str] = set()
    step = 0
    while len(ended) < 2:
        for operation in ("apply", "rollback"):
            if not killed(plan, step, operation, poll_s=0.1):
                ended.add(operation)
            end, _ = carried(plan, operation, poll_s=0.1)
            assert (end.outcome, end.reasons) == ("finished", ()), f"{operation} killed at step {step}"
            (plan.assert_applied_quickly if operation == "apply" else plan.assert_undone)()
        step += 1
    assert step >= 7


def test_cancel_restores_order_and_leaders(plan: Plan) -> None:
    """Ctrl-C in mid-move, answered with cancel: lists, order and leaders from before, no throttle."""
    end, _ = carried(plan, eye=Eye(once(lambda: "cancel", copying)), throttle=SLOW)
    assert end.outcome == "cancelled"
    assert ("back", 0) in plan.assert_cancelled()


def test_cancel_from_another_process_after_a_kill(plan: Plan) -> None:
    """While it lives no second one begins; then it is gone, and ``equipoise cancel`` undoes what it left."""
    fill(plan.cluster, "back", [0], 8 * MB)  # a fetch is 256 kB: a minute at least, on a busy machine too
    process = plan.start("apply", "--yes", "--throttle", "100kB")
    wait_until(lambda: plan.cluster.in_flight(), "moves in flight")
    assert "apply running" in well(plan.run("status")).out
    second = plan.run("apply", "--yes")
    assert second.code == 2 and "another run of this plan is under way" in second.err, second
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert throttles(plan.cluster, ["back"])
    left = plan.run("status")
    assert left.code == 1 and "apply interrupted" in left.out and "still throttled" in left.out
    assert "Cancelled" in well(plan.run("cancel", "--yes")).out
    assert ("back", 0) in plan.assert_cancelled()


def test_a_signal_without_a_terminal_lets_what_flies_land(plan: Plan) -> None:
    """Then it stops; ``--resume`` does the rest, a plain ``apply`` is refused."""
    process = plan.start("apply", "--yes", "--max-inflight", "1", "--throttle", "300kB")
    wait_until(lambda: plan.cluster.in_flight(), "a move in flight")
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 1 and "Stopped" in out
    plan.assert_clean()
    again = plan.run("apply", "--yes")
    assert again.code == 2 and "--resume" in again.err
    well(plan.run("apply", "--yes", "--resume", "--throttle", "5MB"))
    plan.assert_applied()


def test_rollback_under_traffic(plan: Plan) -> None:
    """After the whole plan, back to exactly the lists and leaders from before; no record is lost."""
    cluster = plan.cluster
    cluster.create("live", {0: [2, 0], 1: [0, 2]})  # the drained broker 1 is to be empty
    with Traffic(cluster, "live") as traffic:
        well(plan.run("apply", "--yes"))
        plan.assert_applied()
        well(plan.run("rollback", "--yes"))
    plan.assert_undone()
    assert traffic.check()
    assert "roll back finished" in well(plan.run("status")).out


def test_what_others_had_set_is_still_set(plan: Plan) -> None:
    """Another tool's rate and pairs survive the run."""
    rate = "follower.replication.throttled.rate"
    theirs = {"leader.replication.throttled.replicas": "2:0"}
    configure(plan.cluster, "broker", "2", {rate: "123456"})
    configure(plan.cluster, "topic", "back", theirs)
    assert carried(plan)[0].outcome == "refused"
    carried(plan, keep_rates=True)
    wanted = {("broker", "2"): {rate: "123456"}, ("topic", "back"): theirs}
    assert_throttles(plan.cluster, wanted, ["back"])


def test_the_predicted_time_is_the_time_that_it_takes(cluster: KafkaCluster, tmp_path: Path) -> None:
    """12 MB into one broker at 2 MB/s: predicted 6 s."""
    cluster.create("timed", {0: [0], 1: [2], 2: [3]})
    fill(cluster, "timed", [0, 1, 2], 4 * MB)
    plan = plan_for(cluster, tmp_path, "--brokers", "1", "--topics", "timed", "--throttle", "2MB")
    import json

    predicted = json.loads((plan.folder / "waves" / "schedule.json").read_text())["copy_seconds"]
    moments: list[float] = []
    look = lambda machine: moments.append(time.monotonic()) if machine.run.flying else None  # noqa: E731
    carried(plan, eye=Eye(look))
    measured = moments[-1] - moments[0]
    print(f"predicted {predicted:.1f} s, measured {measured:.1f} s")
    plan.assert_applied()
    assert measured > 0.5 * predicted  # the throttle held; how much longer a busy machine takes is not tested
