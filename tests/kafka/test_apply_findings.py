"""What once went wrong on real brokers: other hands on throttles and moves, runs beside runs, a log dir that
fails."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from harness.cluster import KafkaCluster
from harness.flights import LISTS, RATES, draining, ended, in_flight, rates
from harness.runs import Plan, equipoise, plan_for, well
from harness.throttles import configure, throttles
from harness.tools import reassignment_file, tool
from harness.traffic import fill
from harness.waiting import wait_until

pytestmark = pytest.mark.kafka

MB = 1_000_000


def faster(plan: Plan) -> None:
    """What is in flight has been so for long enough."""
    well(equipoise("throttle", str(plan.folder), "20MB"))


def test_rates_that_somebody_clears_are_set_again(cluster: KafkaCluster, tmp_path: Path) -> None:
    """While moves are in flight, and it is said who lost what; in the end none is left.

    The rates of leaders stay, or all would have landed before the last broker is asked.
    """
    plan = draining(cluster, tmp_path, "cleared", n_bytes=6 * MB, rate="50kB")
    process = in_flight(plan)
    for node in cluster.nodes:
        configure(cluster, "broker", str(node.id), {RATES[1]: None})
    wait_until(lambda: rates(cluster) == {"50000"}, "the rates set again")
    assert cluster.in_flight()
    faster(plan)
    done = well(ended(process))
    assert "somebody took our throttle off broker" in done.out and "set again" in done.out
    plan.assert_applied_quickly()


@pytest.mark.parametrize("way", ["apply", "rollback"])
def test_what_a_foreign_cancel_leaves_is_mended(cluster: KafkaCluster, tmp_path: Path, way: str) -> None:
    """Kafka's own tool cancels one move, which leaves its replicas in another order: noticed, skipped with
    exit 1; `--resume` does it after all, and `rollback` gives the order from before back."""
    plan = draining(cluster, tmp_path, "ktool", n_bytes=6 * MB, rate="50kB")
    process = in_flight(plan)
    after = next(move["after"] for move in plan.moves if move["partition"] == 0)
    theirs = reassignment_file(tmp_path / "theirs.json", "ktool", {0: after})
    told = ("--cancel", "--preserve-throttles", "--reassignment-json-file", str(theirs))
    tool(cluster, "kafka-reassign-partitions", *told)
    assert cluster.replicas("ktool")[0] not in (LISTS[0], after)
    faster(plan)
    done = ended(process)
    assert done.code == 1 and "ktool-0 was skipped: somebody else put it on" in done.err, done
    told_of = plan.run("status")
    assert told_of.code == 1 and "apply incomplete" in told_of.out, told_of
    resume = ["--resume"] if way == "apply" else []
    well(plan.run(way, "--yes", *resume, "--throttle", "20MB"))
    (plan.assert_applied if way == "apply" else plan.assert_undone)()


def test_a_killed_run_is_taken_up_beside_another(cluster: KafkaCluster, tmp_path: Path) -> None:
    """The rates that it left are named before another begins; kept on purpose they are put back aloud; the
    first one's next run takes them off."""
    first = draining(cluster, tmp_path, "alpha", n_bytes=MB, rate="100kB")
    second = draining(cluster, tmp_path, "beta", n_bytes=6 * MB, rate="50kB")
    process = in_flight(first)
    process.kill()
    ended(process)
    wait_until(lambda: not cluster.in_flight(), "its moves landed", seconds=120)
    refused = second.run("apply", "--yes")
    assert refused.code == 2 and "=100000, which no run of this plan set" in refused.err, refused
    process = in_flight(second, "--keep-rates")
    resumed = first.run("apply", "--yes", "--resume")
    assert resumed.code == 1 and "=50000, which somebody else set over ours" in resumed.err, resumed
    status = first.run("status")
    assert status.code == 1 and "=50000, which somebody else set over ours" in status.out, status
    faster(second)
    done = ended(process)
    assert "put back leader.replication.throttled.rate=100000 on broker" in done.out, done
    well(first.run("cancel", "--yes"))
    assert throttles(cluster, ["alpha", "beta"]) == {}
    second.assert_applied_quickly()


def test_limits_of_a_run_that_ended_are_not_those_of_the_next(cluster: KafkaCluster, tmp_path: Path) -> None:
    """The plan's own throttle, however fast it was rolled back."""
    plan = draining(cluster, tmp_path, "rate", n_bytes=20_000, rate="300kB")
    assert "at 300 kB/s" in well(plan.run("apply", "--yes")).out
    assert "Finished" in well(plan.run("rollback", "--yes", "--throttle", "50MB")).out
    assert "at 300 kB/s" in well(plan.run("apply", "--yes")).out
    plan.assert_applied_quickly()


def test_a_topic_that_grows_is_never_more_than_whole(cluster: KafkaCluster, tmp_path: Path) -> None:
    """Producers write three times what there was while it is copied: at no time is more told to be copied
    than there is to copy, and in the end that is all of it."""
    plan = draining(cluster, tmp_path, "grown", n_bytes=MB, rate="50kB")
    process = in_flight(plan, "--log", "json")
    fill(cluster, "grown", LISTS, 3 * MB)
    faster(plan)
    done = well(ended(process))
    told = [json.loads(line) for line in done.out.splitlines()]
    assert all(line["copied_bytes"] <= line["planned_bytes"] for line in told if "copied_bytes" in line), done
    assert told[-1]["event"] == "ended"
    assert told[-1]["copied_bytes"] > 3 * sum(move["bytes"] for move in plan.moves) > 0, done
    assert "-" not in "".join(line["text"] for line in told if line["event"] == "progress")
    plan.assert_applied_quickly()


@contextmanager
def without(cluster: KafkaCluster, broker: int, path: Path) -> Iterator[None]:
    """A log dir that cannot be written any more; afterwards it is back, and its broker with it."""
    away = path.with_name(f"{path.name}-away")
    path.rename(away)
    try:
        yield
    finally:
        cluster.kill(broker)
        away.rename(path)
        cluster.start(broker)


def test_a_log_dir_that_fails_is_named_once(cluster: KafkaCluster, tmp_path: Path) -> None:
    """The broker that receives loses the dir in mid-move: one line says which; the move is given up where
    that was chosen, the list from before is back, and another day it is done."""
    cluster.create("ldir", {0: [0, 1]})
    fill(cluster, "ldir", [0], 6 * MB)
    plan = plan_for(cluster, tmp_path, "--replace", "1=4", "--topics", "ldir", "--throttle", "50kB")
    lost = Path(cluster.nodes[4].log_dirs[1])
    rows = [{"topic": "ldir", "partition": 0, "replicas": [0, 4], "log_dirs": ["any", str(lost)]}]
    chosen = tmp_path / "dirs.json"
    chosen.write_text(json.dumps({"version": 1, "partitions": rows}))
    process = in_flight(plan, "--log-dirs", str(chosen), "--if-stuck", "skip", "--stuck-after", "15")
    wait_until(lambda: list(lost.glob("ldir-0*/*.log")), "the copy begun")
    with without(cluster, 4, lost):
        done = ended(process)
    assert done.code == 1 and "Incomplete: 1 moves, 0 done, 1 skipped." in done.out, done
    failed = f"log dir {lost} of broker 4 has failed"
    assert sum(failed in line for line in done.out.splitlines() if "is stuck" in line) == 1, done
    plan.assert_undone()
    well(plan.run("apply", "--yes", "--resume", "--throttle", "20MB"))
    plan.assert_applied()
