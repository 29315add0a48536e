"""Runs that another process takes up, whatever became of the journal of the first: on real brokers."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.cluster import KafkaCluster
from harness.flights import draining, ended, in_flight
from harness.runs import well
from harness.throttles import throttles
from harness.waiting import wait_until

pytestmark = pytest.mark.kafka

MB = 1_000_000


def test_a_supervisor_may_always_say_resume(cluster: KafkaCluster, tmp_path: Path) -> None:
    """Where nothing was begun it begins, where the first process died before its first entry too; where all
    is done there is nothing to do."""
    plan = draining(cluster, tmp_path, "begun", n_bytes=20_000)
    for journal in ("none", "empty"):
        if journal == "empty":
            well(plan.run("rollback", "--yes"))
            (plan.folder / "journal.jsonl").write_bytes(b"")
        assert "Finished: 2 moves, 2 done." in well(plan.run("apply", "--yes", "--resume")).out
        plan.assert_applied_quickly()
    assert "Finished: 2 moves, 2 done." in well(plan.run("apply", "--yes", "--resume")).out
    plan.assert_applied_quickly()


def test_a_damaged_journal_is_read_up_to_its_damage_and_adopted(
    cluster: KafkaCluster, tmp_path: Path
) -> None:
    """Killed in flight, and the disk has lost what follows the first line: what stands is named, nothing goes
    on from a part unless it is told to, and then it ends as planned, without a throttle."""
    plan = draining(cluster, tmp_path, "torn", n_bytes=6 * MB)
    process = in_flight(plan)
    process.kill()
    ended(process)
    path = plan.folder / "journal.jsonl"
    first, *rest = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(first + b"\0" * 512 + b"\n" + b"".join(rest))
    told = plan.run("status")
    assert told.code == 1 and "the journal is damaged: line 2 of" in told.out, told
    assert "as this plan would" in told.out and "=50000, which no run of this plan set" in told.out, told
    for verb, *options in (("apply", "--resume"), ("cancel",), ("rollback",)):
        refused = plan.run(verb, "--yes", *options)
        assert refused.code == 2 and "is not an entry" in refused.err and "--adopt" in refused.err, refused
    assert len(cluster.in_flight()) == 2
    well(plan.run("apply", "--yes", "--resume", "--adopt", "--throttle", "20MB"))
    plan.assert_applied_quickly()


def test_what_a_killed_run_left_over_ends_with_another(cluster: KafkaCluster, tmp_path: Path) -> None:
    """Its moves have landed, its rates and lists stand and nothing needs them: another plan names them and
    begins nothing; with `--adopt` it clears them all."""
    first = draining(cluster, tmp_path, "alpha", n_bytes=MB)
    second = draining(cluster, tmp_path, "beta", n_bytes=20_000)
    process = in_flight(first)
    process.kill()
    ended(process)
    wait_until(lambda: not cluster.in_flight(), "its moves landed", seconds=120)
    assert throttles(cluster, ["alpha"])
    refused = second.run("apply", "--yes")
    assert refused.code == 2 and "=50000, which no run of this plan set: --adopt" in refused.err, refused
    assert "Finished: 2 moves, 2 done." in well(second.run("apply", "--yes", "--adopt")).out
    assert throttles(cluster, ["alpha", "beta"]) == {}
    second.assert_applied_quickly()
