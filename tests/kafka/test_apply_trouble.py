"""Trouble in the middle of a run, on real brokers."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.cluster import KafkaCluster
from harness.inside import Eye, carried, copying, once
from harness.runs import Plan, plan_for
from harness.throttles import assert_throttles, throttles
from harness.traffic import fill
from harness.waiting import wait_until

pytestmark = pytest.mark.kafka

MB = 1_000_000


@pytest.fixture
def plan(cluster: KafkaCluster, tmp_path: Path) -> Plan:
    """Broker 4 takes the place of broker 1 in one 4 MB partition of three replicas: 8 s at 500 kB/s."""
    cluster.create("trouble", {0: [0, 1, 2]})
    fill(cluster, "trouble", [0], 4 * MB)
    return plan_for(cluster, tmp_path, "--replace", "1=4", "--topics", "trouble", "--throttle", "500kB")


def test_the_target_is_killed_and_comes_back(plan: Plan) -> None:
    """The run says why it waits, ends once the broker is back, and leaves no throttle on it."""
    cluster = plan.cluster
    dies = once(lambda: cluster.kill(4), copying)
    comes_back = once(
        lambda: cluster.start(4, wait=False), lambda m: any(f.told for f in m.run.flying.values())
    )
    end, heard = carried(plan, eye=Eye(lambda machine: dies(machine) or comes_back(machine)))
    said = {line.partition(", for ")[0] for line in heard}  # once more after a minute
    assert said == {"trouble-0 is stuck: broker 4 is down: its copy waits until it is back"}
    assert end.outcome == "finished"
    plan.assert_lists({0: [0, 4, 2]})
    if end.reasons:  # it was not yet answering when its throttle was to be taken off
        cluster.wait_for_brokers()
        carried(plan)
    plan.assert_applied()


def test_the_target_stays_dead_and_is_skipped_its_throttle_goes_when_it_is_back(plan: Plan) -> None:
    """The exact order is restored; the dead broker's throttle is remembered, and the next run pays."""
    cluster = plan.cluster
    end, _ = carried(
        plan, eye=Eye(once(lambda: cluster.kill(4), copying)), if_stuck="skip", stuck_after_s=3.0
    )
    plan.assert_lists({0: [0, 1, 2]})
    assert any("broker 4 may still carry our throttle" in reason for reason in end.reasons)
    cluster.start(4)
    assert ("broker", "4") in throttles(cluster)
    status = plan.run("status").out
    assert "skipped: trouble-0" in status and "still throttled: broker 4" in status
    carried(plan, stop="cancel")
    plan.assert_undone()


def test_the_target_stays_dead_and_is_exchanged(cluster: KafkaCluster, tmp_path: Path) -> None:
    """A broker of a rack that is still free takes the copy, which is what the end is judged by."""
    cluster.create("trouble", {0: [2, 1]})
    fill(cluster, "trouble", [0], 4 * MB)
    plan = plan_for(cluster, tmp_path, "--replace", "1=4", "--topics", "trouble", "--throttle", "500kB")
    end, heard = carried(
        plan, eye=Eye(once(lambda: cluster.kill(4), copying)), if_stuck="retarget", stuck_after_s=3.0
    )
    assert "trouble-0 goes to [2,0] instead of [2,4]" in heard
    assert end.outcome == "finished"
    plan.assert_lists({0: [2, 0]})


def test_the_leader_is_killed_while_it_is_copied_from(cluster: KafkaCluster, tmp_path: Path) -> None:
    """Another replica leads on and the copy ends; nothing new starts until the cluster is well again."""
    cluster.create("trouble", {0: [1, 2, 3], 1: [2, 3, 1]})
    fill(cluster, "trouble", [0, 1], 3 * MB)
    plan = plan_for(cluster, tmp_path, "--replace", "3=0", "--topics", "trouble", "--throttle", "500kB")
    first: list[int] = []

    def kill_leader() -> None:
        first.append(int(cluster.describe("trouble")[0]["leader_id"]))
        cluster.kill(1)

    dies = once(kill_leader, copying)
    comes_back = once(
        lambda: cluster.start(1, wait=False),
        lambda machine: bool(first) and (bool(machine.run.said) or not machine.run.flying),
    )
    end, heard = carried(plan, eye=Eye(lambda m: dies(m) or comes_back(m)), max_inflight=1)
    assert end.outcome == "finished" and first
    assert any("under-replicated" in line for line in heard)
    cluster.wait_for_brokers()
    carried(plan)
    plan.assert_applied()


def test_the_controller_is_killed(plan: Plan) -> None:
    """Its successor knows the move; the run goes on by itself."""
    cluster = plan.cluster
    fallen: list[int] = []

    def kill_controller() -> None:
        fallen.append(cluster.controller())
        cluster.kill(*fallen)

    end, _ = carried(plan, eye=Eye(once(kill_controller, copying)))
    cluster.start(*fallen)
    assert end.outcome == "finished"
    plan.assert_lists({0: [0, 4, 2]})
    wait_until(lambda: cluster.in_sync("trouble"), "the old controller able to lead")
    carried(plan)
    plan.assert_applied()


def test_the_topic_is_deleted_in_mid_move(plan: Plan) -> None:
    """That is the end of its move; the throttles of the brokers are taken off all the same."""
    cluster = plan.cluster
    end, _ = carried(plan, eye=Eye(once(lambda: cluster.admin.delete_topics(["trouble"]), copying)))
    assert (end.outcome, end.reasons) == ("finished", ())
    assert_throttles(cluster, {})


def test_somebody_else_starts_a_move_in_mid_run(plan: Plan) -> None:
    """It is told and left alone; what flies lands."""
    cluster = plan.cluster
    cluster.create("foreign", {0: [3]})
    fill(cluster, "foreign", [0], MB)
    begin = once(lambda: cluster.move("foreign", {0: [2]}) and None, copying)
    end, _ = carried(plan, eye=Eye(begin))
    wait_until(lambda: not cluster.in_flight(), "the foreign move done")
    assert (end.outcome, end.reasons) == ("finished", ())
    plan.assert_applied()
    wait_until(lambda: cluster.replicas("foreign") == {0: [2]}, "the foreign move told")


def test_somebody_else_redirects_our_move(plan: Plan) -> None:
    """It is theirs then: skipped, reported, no throttle of ours left."""
    cluster = plan.cluster
    begin = once(lambda: cluster.move("trouble", {0: [0, 3, 2]}) and None, copying)
    end, _ = carried(plan, eye=Eye(begin))
    wait_until(lambda: not cluster.in_flight(), "the foreign move done")
    assert end.reasons[0] == "trouble-0 was skipped: somebody else put it on [0,3,2]"
    for still in end.reasons[1:]:  # where their move was not over when the run looked
        assert still.startswith("broker 1 is not empty: it holds 1 replica (trouble-0)"), still
    plan.assert_clean()
