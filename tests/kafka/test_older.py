"""An older 4.x and the last 3.x: the main stories, what they answer, and what is read of them."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from harness.cluster import RATES, TOPIC_THROTTLES, KafkaCluster
from harness.flights import assert_adopted, assert_steered, in_flight
from harness.inside import Eye, carried, copying, once
from harness.runs import next_plan_is_empty, plan_for, well
from harness.throttles import crawl, throttles
from harness.traffic import Traffic, fill
from harness.waiting import wait_until

from equipoise.cli.main import main
from equipoise.execution.kafka import KafkaPort
from equipoise.execution.port import Failure, Reassignment, Resource, TopicPartition
from equipoise.files.sources import read_sources

pytestmark = pytest.mark.kafka

ALL = range(5)
DRAIN = ("--drain", "1", "--topics", "old.*")


def test_drained_cancelled_and_rolled_back(older_cluster: KafkaCluster, tmp_path: Path) -> None:
    """Cancelled in mid-move, applied under traffic, confirmed by its own tool, and put back."""
    cluster = older_cluster
    cluster.create("old", {0: [1, 0, 2], 1: [2, 1, 3], 2: [0, 2, 3]})
    cluster.create("old-heavy", {0: [1, 2, 3]})
    fill(cluster, "old-heavy", [0], 3_000_000)
    plan = plan_for(cluster, tmp_path, *DRAIN, "--throttle", "1MB")
    end, _ = carried(plan, eye=Eye(once(lambda: "cancel", copying)), throttle=100_000)
    assert end.outcome == "cancelled" and ("old-heavy", 0) in plan.assert_cancelled()
    with Traffic(cluster, "old") as traffic:
        well(plan.run("apply", "--yes", "--throttle", "5MB"))
    assert traffic.check()
    plan.assert_applied()
    assert next_plan_is_empty(cluster, tmp_path, DRAIN)
    well(plan.run("rollback", "--yes"))
    plan.assert_undone()


def test_steered_and_adopted(older_cluster: KafkaCluster, tmp_path: Path) -> None:
    """Outside its hours nothing begins; in flight it gets another rate, and is paused and let go; killed, its
    journal lost, it is adopted and cancelled."""
    cluster = older_cluster
    cluster.create("old", {0: [1, 0, 2], 1: [2, 1, 3]})
    fill(cluster, "old", [0, 1], 8_000_000)
    plan = plan_for(cluster, tmp_path, *DRAIN, "--throttle", "50kB")
    begin, end = (datetime.now() + timedelta(hours=hours) for hours in (2, 3))
    done = plan.run("apply", "--yes", "--between", f"{begin:%H:%M}-{end:%H:%M}", "--for", "2s")
    assert done.code == 1 and "Stopped: 2 moves, 0 done, 2 pending." in done.out, done
    plan.assert_undone()
    process = in_flight(plan, "--resume", "--between", "always")
    assert_steered(plan)
    process.kill()
    process.communicate()
    assert_adopted(plan)


def test_the_port_answers_alike(older_cluster: KafkaCluster, topic: str) -> None:
    """The same port on an older 4.x and the last 3.x: move, list, cancel, elect, dirs, throttles."""
    older_cluster.create(topic, {0: [0, 1, 2]})
    name = TopicPartition(topic, 0)
    fill(older_cluster, topic, [0], 3_000_000)
    crawl(older_cluster, topic)
    with KafkaPort(older_cluster.bootstrap()) as port:
        assert len(port.cluster().ids) == 5
        assert port.alter_reassignments({name: [4, 2, 1]}) == {name: None}
        assert port.reassignments()[name] == Reassignment((4, 2, 1, 0), (4,), (0,))
        assert port.alter_reassignments({name: None}) == {name: None}
        wait_until(lambda: port.partitions()[name].replicas == (2, 1, 0), "cancelled")
        assert port.elect_preferred([name]) == {name: None}
        assert all(not isinstance(dirs, Failure) for dirs in port.log_dirs(ALL).values())
        clear = {Resource.broker(i): dict.fromkeys(RATES) for i in ALL}
        clear[Resource.topic(topic)] = dict.fromkeys(TOPIC_THROTTLES)
        assert set(port.alter_configs(clear).values()) == {None}
        wait_until(lambda: throttles(older_cluster, [topic]) == {}, "no throttle left")


def test_they_wait_for_a_kept_replica_that_is_sick(older_cluster: KafkaCluster, topic: str) -> None:
    """Up to Kafka 4.2 every replica of the target has to be in the ISR, also one that is only kept."""
    cluster, name = older_cluster, TopicPartition(topic, 0)
    cluster.create(topic, {0: [0, 4, 1]})
    cluster.kill(4)
    wait_until(lambda: 4 not in cluster.describe(topic)[0]["isr_nodes"], "the ISR without broker 4")
    with KafkaPort(cluster.bootstrap()) as port:
        port.alter_reassignments({name: [3, 4, 1]})
        wait_until(lambda: 3 in cluster.describe(topic)[0]["isr_nodes"], "the copy complete")
        assert name in port.reassignments()
        cluster.start(4)
        wait_until(lambda: not port.reassignments(), "the end, once the broker is back")


def test_they_are_read_alike(
    older_cluster: KafkaCluster, snapshot_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An older 4.x and the last 3.x, the latter without fenced brokers and cordons in its answers."""
    older_cluster.create("orders", {0: [0, 1, 2]}, min_insync_replicas="2")
    with pytest.raises(SystemExit) as ended:
        main(["snapshot", "--bootstrap-server", older_cluster.bootstrap(), "--out", str(snapshot_folder)])
    assert (ended.value.code or 0, capsys.readouterr().err) == (0, "")
    ours = read_sources([snapshot_folder])
    assert ours.ids_of(ours.replicas).tolist() == [[0, 1, 2]] and ours.min_isr.tolist() == [2]
    assert ours.brokers.racks == ("a", "b", "c", "a", "b") and np.all(ours.brokers.disk_bytes > 1e9)
