"""``apply``, ``status``, ``cancel``, ``rollback`` as commands, on the simulated cluster."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from equipoise.cli import carrying
from equipoise.cli.main import app
from equipoise.cluster import Brokers, Plan, build_cluster
from equipoise.errors import UnusableInput
from equipoise.execution import carrier
from equipoise.execution.journal import Journal
from equipoise.execution.port import TopicPartition
from equipoise.execution.simulated import SimulatedCarrier, SimulatedCluster
from equipoise.files.plan_directory import write_plan
from equipoise.scheduling import schedule

BEFORE = {"pay-0": (0, 1), "pay-1": (1, 2), "pay-2": (2, 0)}
AFTER = {"pay-0": (3, 1), "pay-1": (1, 2), "pay-2": (0, 2)}


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> SimulatedCluster:
    """The cluster that every command finds, whatever server it is given."""
    cluster = SimulatedCluster({0: "a", 1: "b", 2: "c", 3: "a"}, cluster_id="orders")
    for number, replicas in enumerate(BEFORE.values()):
        cluster.create("pay", number, replicas, 5_000_000)

    @contextmanager
    def cluster_at(bootstrap_server: str, command_config: Path | None) -> Iterator[SimulatedCluster]:
        yield cluster

    for verb in ("apply", "status", "cancel", "rollback"):
        monkeypatch.setattr(f"equipoise.cli.{verb}.cluster_at", cluster_at)
    monkeypatch.setattr(carrier, "Carrier", SimulatedCarrier)
    return cluster


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A plan directory: one copy of 5 MB at 1 MB/s, one reorder."""
    cluster = build_cluster(
        "orders",
        Brokers.of([0, 1, 2, 3], {0: "a", 1: "b", 2: "c", 3: "a"}),
        ["pay"] * 3,
        [0, 1, 2],
        list(BEFORE.values()),
        size_bytes=[5e6] * 3,
        cluster_id="orders",
    )
    plan = Plan(
        cluster,
        np.array(list(AFTER.values()), dtype=np.int32),
        np.ones(4, dtype=bool),
        why={0: "broker 0 has too many", 2: "broker 2 leads too many"},
    )
    write_plan(plan, tmp_path / "plan", schedule=schedule(plan, throttle=1e6, max_inflight=7))
    return tmp_path / "plan"


def run(verb: str, folder: Path, *options: str) -> tuple[int, str]:
    """Exit code and everything that was printed."""
    done = CliRunner().invoke(app(), [verb, str(folder), "--bootstrap-server", "nobody:1", *options])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.output


def lists(model: SimulatedCluster) -> dict[str, tuple[int, ...]]:
    return {str(name): replicas for name, replicas in sorted(model.replicas.items())}


def test_apply_says_what_it_will_do_and_does_it(model: SimulatedCluster, folder: Path) -> None:
    """The sentence has copies, bytes, the plan's own throttle and the time."""
    code, told = run("apply", folder, "--yes")
    assert code == 0, told
    assert "2 partitions will change, 1 replica be copied, 4.8 MiB in all, at 1 MB/s" in told
    assert "about 5.0 s" in told and "Finished: 2 moves, 2 done." in told
    assert lists(model) == AFTER and not any(model.settings.values())


def test_without_yes_nothing_is_done(model: SimulatedCluster, folder: Path) -> None:
    """With nobody at a terminal to answer, it ends with exit 2, and no journal is left behind."""
    code, told = run("apply", folder)
    assert code == 2 and "give --yes" in told
    assert lists(model) == BEFORE and not (folder / "journal.jsonl").exists()


def test_the_throttle_of_the_plan_can_be_overruled(model: SimulatedCluster, folder: Path) -> None:
    """``--throttle`` takes the sizes that people write."""
    _, told = run("apply", folder, "--throttle", "2.5MB", "--dry-run")
    assert "follower.replication.throttled.rate=2500000" in told


def test_a_dry_run_shows_every_request_in_order_and_touches_nothing(
    model: SimulatedCluster, folder: Path
) -> None:
    """Throttle on, submit, throttle off, elect."""
    code, told = run("apply", folder, "--dry-run")
    assert code == 0 and lists(model) == BEFORE and not model.settings
    requests = [line for line in told.splitlines() if line.startswith(("Inc", "Alter", "Elect"))]
    where = [
        next(i for i, line in enumerate(requests) if start in line)
        for start in (
            "set leader.replication.throttled.replicas=0:0,0:1",
            "pay-0: [3, 1]",
            "delete leader",
            "Elect",
        )
    ]
    assert where == sorted(where)


def test_status_follows_a_plan(model: SimulatedCluster, folder: Path) -> None:
    """Before, after, and after the way back; as text and as JSON."""
    assert "run not begun" in run("status", folder)[1]
    run("apply", folder, "--yes")
    assert "apply finished\n2 of 2 done, 0 in flight, 0 pending" in run("status", folder)[1]
    run("rollback", folder, "--yes")
    found = json.loads(run("status", folder, "--json")[1])
    assert (found["operation"], found["outcome"], found["done"]) == ("rollback", "finished", 2)


@pytest.mark.parametrize(
    ("verb", "options"), [("apply", ()), ("apply", ("--resume",)), ("rollback", ()), ("cancel", ())]
)
def test_one_run_at_a_time(
    model: SimulatedCluster, folder: Path, verb: str, options: tuple[str, ...]
) -> None:
    """While a process holds the journal, status says that it runs, and no other begins."""
    interrupted(folder)
    with Journal(folder):
        assert "apply running" in run("status", folder)[1]
        assert json.loads(run("status", folder, "--json")[1])["outcome"] == "running"
        with pytest.raises(UnusableInput, match="another run of this plan is under way"):
            run(verb, folder, "--yes", *options)
    assert "apply interrupted" in run("status", folder)[1]


def test_rollback_restores(model: SimulatedCluster, folder: Path) -> None:
    """Lists and leaders from before."""
    run("apply", folder, "--yes")
    code, told = run("rollback", folder, "--yes")
    assert code == 0, told
    assert lists(model) == BEFORE
    assert [model.leader[TopicPartition("pay", p)] for p in range(3)] == [0, 1, 2]


def interrupted(folder: Path, outcome: str = "") -> None:
    """A journal as a killed run leaves it, with the first move submitted."""
    of = carrying.opened(folder)
    entries = [
        {"type": "begin", "operation": "apply", "plan": of.job.plan, "throttle": 1000, "max_inflight": 7},
        {"type": "submit", "partitions": {"pay-0": [3, 1]}, "leaders": {"pay-0": 0}},
    ]
    if outcome:
        entries.append({"type": "end", "outcome": outcome, "left": []})
    (folder / "journal.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))


@pytest.mark.parametrize(("outcome", "word"), [("", "interrupted"), ("stopped", "stopped"), ("lost", "lost")])
def test_an_interrupted_run_is_only_taken_up_on_purpose(
    model: SimulatedCluster, folder: Path, outcome: str, word: str
) -> None:
    """A plain ``apply`` says how to go on; ``--resume`` goes on with the limits of then."""
    interrupted(folder, outcome)
    with pytest.raises(UnusableInput, match=f"{word} after 0 of 2 changes.*--resume"):
        run("apply", folder, "--yes")
    code, told = run("apply", folder, "--yes", "--resume")
    assert code == 0, told
    assert "at 1 kB/s" in told and lists(model) == AFTER


def test_cancel_undoes_what_is_in_flight(model: SimulatedCluster, folder: Path) -> None:
    """The order from before is back."""
    interrupted(folder)
    model.alter_reassignments({TopicPartition("pay", 0): (3, 1)})
    model.advance(0.001)
    code, told = run("cancel", folder, "--yes")
    assert code == 0 and "Cancelled" in told
    assert lists(model) == BEFORE and model.moving == {}


@pytest.mark.parametrize(("verb", "option"), [("apply", "--resume"), ("cancel", "--yes")])
def test_there_is_nothing_to_take_up(model: SimulatedCluster, folder: Path, verb: str, option: str) -> None:
    """Without a journal nothing was begun."""
    with pytest.raises(UnusableInput, match="no run of it was ever begun"):
        run(verb, folder, option)


def test_an_unfinished_roll_back_is_finished_first(model: SimulatedCluster, folder: Path) -> None:
    """Applying in the middle of a way back would go to and fro."""
    interrupted(folder)
    text = (folder / "journal.jsonl").read_text().replace('"apply"', '"rollback"')
    (folder / "journal.jsonl").write_text(text)
    with pytest.raises(UnusableInput, match="Run rollback again"):
        run("apply", folder, "--yes")


def test_the_journal_of_another_plan_is_refused(model: SimulatedCluster, folder: Path) -> None:
    """A copied folder with somebody else's journal in it is not taken up."""
    interrupted(folder)
    text = (folder / "journal.jsonl").read_text().replace("sha256:", "sha256:f")
    (folder / "journal.jsonl").write_text(text)
    with pytest.raises(UnusableInput, match="belongs to another plan"):
        run("apply", folder, "--yes", "--resume")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[]", "[] is not a JSON object"),
        ('{"max_inflight": "x"}', 'max_inflight: "x" is not a whole number from 0 on'),
        ('{"max_inflight": 0}', "max_inflight: 0 is less than 1"),
        ('{"throttle_bytes_per_s": true}', "throttle_bytes_per_s: true is not a number"),
        ('{"throttle_bytes_per_s": -1e9}', "throttle_bytes_per_s: -1000000000.0 is less than 1"),
    ],
)
def test_crafted_limits_are_refused(model: SimulatedCluster, folder: Path, content: str, said: str) -> None:
    """Whoever mended the digests of ``waves/schedule.json`` too is told what is wrong with it."""
    path, sums = folder / "waves/schedule.json", (folder / "SHA256SUMS").read_text()
    before, after = (hashlib.sha256(data).hexdigest() for data in (path.read_bytes(), content.encode()))
    path.write_text(content)
    (folder / "SHA256SUMS").write_text(sums.replace(before, after))
    with pytest.raises(UnusableInput, match=f"waves/schedule.json.*{re.escape(said)}"):
        run("apply", folder, "--yes")


def test_a_drifted_cluster_ends_with_exit_2(model: SimulatedCluster, folder: Path) -> None:
    """One line for each partition, nothing changed."""
    model.replicas[TopicPartition("pay", 2)] = (2, 1)
    code, told = run("apply", folder, "--yes")
    assert code == 2 and "nothing was changed" in told
    assert "pay-2: has [2,1], the plan was made from [2,0]" in told
    assert not (folder / "journal.jsonl").exists()


@pytest.mark.parametrize(
    ("option", "value"), [("--if-stuck", "pray"), ("--throttle", "fast"), ("--per-broker", "0")]
)
def test_options_that_cannot_be_meant(model: SimulatedCluster, folder: Path, option: str, value: str) -> None:
    """Refused with the option and the value."""
    with pytest.raises(UnusableInput, match=option):
        run("apply", folder, "--yes", option, value)


def test_log_dirs_come_from_kafkas_own_json(model: SimulatedCluster, folder: Path, tmp_path: Path) -> None:
    """What ``kafka-reassign-partitions`` would take: "any" is left free."""
    rows = [{"topic": "pay", "partition": 1, "replicas": [1, 2], "log_dirs": ["any", "/data/b"]}]
    (tmp_path / "dirs.json").write_text(json.dumps({"version": 1, "partitions": rows}))
    code, told = run("apply", folder, "--yes", "--log-dirs", str(tmp_path / "dirs.json"))
    assert code == 0, told
    assert {str(replica.broker): path for replica, path in model.dirs.items()} == {"2": "/data/b"}
    rows[0]["replicas"] = [1, 3]
    (tmp_path / "dirs.json").write_text(json.dumps({"version": 1, "partitions": rows}))
    with pytest.raises(UnusableInput, match="pay-1 is not on broker 3 once the plan is carried out"):
        run("apply", folder, "--yes", "--log-dirs", str(tmp_path / "dirs.json"))
    rows[0]["log_dirs"] = ["any", "any"]
    (tmp_path / "dirs.json").write_text(json.dumps({"version": 1, "partitions": rows}))
    with pytest.raises(UnusableInput, match="names no log dirs"):
        run("apply", folder, "--yes", "--log-dirs", str(tmp_path / "dirs.json"))
