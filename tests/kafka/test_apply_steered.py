"""A run on real brokers that is steered from outside, and killed in each state that it is steered into."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from subprocess import Popen

import pytest
from harness.cluster import KafkaCluster
from harness.flights import begun, ended, in_flight, rates
from harness.runs import Plan, equipoise, plan_for, well
from harness.throttles import throttles
from harness.traffic import fill
from harness.waiting import wait_until

pytestmark = pytest.mark.kafka


def shown(plan: Plan, *lines: str) -> None:
    """``status`` comes to say all of this."""

    def told() -> bool:
        out = plan.run("status").out
        return all(line in out for line in lines)

    wait_until(told, " and ".join(lines), seconds=120)


def taken_up(plan: Plan, *options: str) -> Popen[str]:
    """A process that has begun to go on."""
    before = begun(plan)
    process = plan.start("apply", "--yes", "--resume", *options)
    wait_until(lambda: begun(plan) > before or process.poll() is not None, "taken up")
    return process


def killed(process: Popen[str]) -> None:
    process.kill()
    ended(process)


def test_killed_in_each_state_it_is_taken_up_in_it(cluster: KafkaCluster, tmp_path: Path) -> None:
    """Moving, paused, with another rate, outside its hours: SIGKILL, and the next process is in the same
    state. At the end the lists are the plan's, and no throttle is left."""
    cluster.create("steered", {0: [1, 0, 2], 1: [2, 1, 3], 2: [3, 1, 0]})
    fill(cluster, "steered", [0, 1, 2], 8_000_000)
    plan = plan_for(cluster, tmp_path, "--drain", "1", "--topics", "steered", "--throttle", "50kB")
    killed(in_flight(plan, "--max-inflight", "1"))

    process = taken_up(plan)
    well(equipoise("pause", str(plan.folder)))
    shown(plan, "apply running", "held: paused, no move begins")
    killed(process)
    shown(plan, "apply interrupted", "held: paused, no move begins", "still throttled: ")

    process = taken_up(plan)
    well(equipoise("throttle", str(plan.folder), "40kB"))
    wait_until(lambda: rates(cluster) == {"40000"}, "the other rate in force")
    shown(plan, "apply running", "held: paused, no move begins")
    killed(process)

    well(equipoise("continue", str(plan.folder)))
    begin, end = (datetime.now() + timedelta(hours=hours) for hours in (2, 3))
    hours = f"{begin:%H:%M}-{end:%H:%M}"
    outside = f"held: outside {hours}, no move begins", f"moves begin in {hours} alone", "its time ends at"
    process = taken_up(plan, "--between", hours, "--for", "1h")
    shown(plan, "apply running", *outside)
    killed(process)
    process = taken_up(plan)
    shown(plan, "apply running", *outside)
    killed(process)
    assert rates(cluster) == {"40000"} and len(cluster.in_flight()) == 1

    well(plan.run("apply", "--yes", "--resume", "--between", "always", "--throttle", "20MB"))
    plan.assert_applied()
    assert throttles(cluster, ["steered"]) == {}
