"""``apply``, ``status``, ``rollback`` as commands, on the simulated cluster."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from commands import AFTER, BEFORE, interrupted, lists, run
from typer.testing import CliRunner

from equipoise.cli.main import app
from equipoise.errors import UnusableInput
from equipoise.execution.journal import Journal
from equipoise.execution.moves import Job, Move
from equipoise.execution.port import Failure, TopicPartition
from equipoise.execution.simulated import SimulatedCluster
from equipoise.files.plan_directory import read_plan, write_plan
from equipoise.scheduling import schedule
from equipoise.scheduling.rounds import BATCH_S, ROUND_S


def test_apply_says_what_it_will_do_and_does_it(model: SimulatedCluster, folder: Path) -> None:
    """The sentence has copies, bytes, the plan's own throttle and the time."""
    code, told = run("apply", folder, "--yes")
    assert code == 0, told
    assert "2 partitions will change, 1 replica be copied, 4.8 MiB in all, at 1 MB/s" in told
    assert "about 8.0 s (never less than 5.0 s)" in told and "Finished: 2 moves, 2 done." in told
    assert lists(model) == AFTER and not any(model.settings.values())


def test_a_throttle_between_bounds_is_taken_up_as_it_was(model: SimulatedCluster, folder: Path) -> None:
    """A kill changes neither the bounds nor the rate of then; another throttle overrules them."""
    interrupted(folder, throttle=2_000_000, bounds=[1_000_000, 5_000_000])
    told = run("status", folder)[1]
    assert "throttle between 1 MB/s and 5 MB/s a broker each way, now 2 MB/s" in told
    anew = run("apply", folder, "--resume", "--throttle", "3MB", "--dry-run")[1]
    assert "at 3 MB/s a broker each way" in anew
    told = run("apply", folder, "--yes", "--resume")[1]
    assert "at 1 MB/s to 5 MB/s a broker each way, now 2 MB/s" in told
    entries = map(json.loads, (folder / "journal.jsonl").read_text().splitlines())
    assert [entry["bounds"] for entry in entries if entry["type"] == "begin"] == [[1_000_000, 5_000_000]] * 2


def begins(folder: Path) -> list[dict[str, object]]:
    """The "begin" entries of a journal."""
    entries = map(json.loads, (folder / "journal.jsonl").read_text().splitlines())
    return [entry for entry in entries if entry["type"] == "begin"]


@pytest.mark.slow
def test_a_number_in_flight_between_bounds_is_taken_up_as_it_was(
    model: SimulatedCluster, folder: Path
) -> None:
    """Another number overrules bounds and number."""
    interrupted(folder, inflight_bounds=[5, 20])
    assert "5 to 20 partitions in flight at most, now 7" in run("status", folder)[1]
    anew = run("apply", folder, "--resume", "--max-inflight", "9", "--dry-run")[1]
    assert "partitions at a time" not in anew
    told = run("apply", folder, "--yes", "--resume")[1]
    assert "5 to 20 partitions at a time, now 7" in told
    told_twice = [(begin["max_inflight"], begin["inflight_bounds"]) for begin in begins(folder)]
    assert told_twice == [(7, [5, 20])] * 2


def test_where_figures_of_brokers_are_read_is_taken_up_and_shown(
    model: SimulatedCluster, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file by its whole path, so that the next process may begin in another folder; another source, or a
    throttle that nothing holds down, overrules it."""
    interrupted(folder, bounds=[1_000_000, 5_000_000], health=str(folder / "kafka.prom"))
    held = "held down by what"
    assert f"{held} {folder}/kafka.prom shows of brokers" in run("status", folder)[1]
    monkeypatch.chdir(folder.parent)
    told = run("apply", folder, "--yes", "--resume", "--max-inflight", "auto:1-2")[1]
    assert f"--health {folder}/kafka.prom: cannot be read (No such file or directory)" in told
    for options, source in (
        (("--throttle", "auto:1MB-2MB", "--health", "other.prom"), str(folder.parent / "other.prom")),
        (("--throttle", "1MB"), None),
        (("--throttle", "auto:1MB-2MB"), None),
    ):
        run("apply", folder, "--yes", *options)
        assert begins(folder)[-1]["health"] == source
    assert held not in run("status", folder)[1]


@pytest.mark.slow
def test_who_is_told_of_a_run_is_taken_up_and_shown(
    model: SimulatedCluster, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A metrics file goes on, by its whole path; a command may hold a secret, so it is asked for again."""
    interrupted(folder, metrics_file=str(folder.parent / "run.prom"), on_event=True)
    told = run("status", folder)[1]
    assert f"its metrics are written to {folder.parent}/run.prom" in told
    assert "a command is run for each of its events" in told
    assert "commands are not kept" in run("apply", folder, "--yes", "--resume")[1]
    assert "equipoise_run_outcome" in (folder.parent / "run.prom").read_text()
    assert [(begin["metrics_file"], begin["on_event"]) for begin in begins(folder)] == [
        (f"{folder.parent}/run.prom", True), (f"{folder.parent}/run.prom", False),
    ]  # fmt: skip
    monkeypatch.chdir(folder.parent)
    assert "not kept" not in run(
        "apply", folder, "--yes", "--metrics-file", "a.prom", "--on-event", "true planted-secret"
    )[1]
    assert begins(folder)[-1]["metrics_file"] == f"{folder.parent}/a.prom"
    assert begins(folder)[-1]["on_event"] is True
    assert "planted-secret" not in (folder / "journal.jsonl").read_text()


@pytest.mark.slow
def test_hours_and_time_are_taken_up_and_shown(model: SimulatedCluster, folder: Path) -> None:
    """Unless given anew; how long is left is said, to programs too."""
    until = (datetime.now(UTC) + timedelta(hours=2)).isoformat(timespec="seconds")
    interrupted(folder, between="00:00-23:59", until=until)
    told = run("status", folder)[1]
    assert "moves begin in 00:00-23:59 alone" in told and f"its time ends at {until}, in " in told
    found = json.loads(run("status", folder, "--json")[1])
    assert (found["max_inflight"], found["inflight_bounds"]) == (7, None)
    assert (found["between"], found["until"]) == ("00:00-23:59", until)
    assert 0 < found["seconds_left"] <= 7200
    run("apply", folder, "--yes", "--resume", "--between", "always")
    assert [(begin["between"], begin["until"]) for begin in begins(folder)] == [
        ("00:00-23:59", until), (None, until),
    ]  # fmt: skip
    assert lists(model) == AFTER


@pytest.mark.parametrize(("outcome", "kept"), [("", True), ("stopped", False)])
@pytest.mark.slow
def test_a_time_that_is_over_binds_until_its_run_has_ended(
    model: SimulatedCluster, folder: Path, outcome: str, kept: bool
) -> None:
    """Killed and taken up too late, nothing more begins; the next ``--resume`` goes on."""
    until = "2026-01-01T00:00:00+00:00"
    interrupted(folder, outcome, until=until)
    assert ("its time ends at" in run("status", folder)[1]) is kept
    code, told = run("apply", folder, "--yes", "--resume")
    assert begins(folder)[1]["until"] == (until if kept else None)
    assert (code, "Stopped: " in told) == ((1, True) if kept else (0, False)), told
    if kept:
        assert run("apply", folder, "--yes", "--resume")[0] == 0
    assert lists(model) == AFTER


def test_a_run_can_be_told_elsewhere(model: SimulatedCluster, folder: Path, tmp_path: Path) -> None:
    """JSON alone on standard output, a file of metrics, and a command that fails, which is said."""
    file = tmp_path / "apply.prom"
    options = ("--yes", "--log", "json", "--metrics-file", str(file), "--on-event", "false")
    code, told = run("apply", folder, *options)
    lines = [json.loads(line) for line in told.splitlines()]
    assert code == 0 and lists(model) == AFTER
    assert [line["text"] for line in lines if line["event"] == "ended"] == ["finished: 2 moves, 2 done"]
    assert sum("false ended with 1" in line["text"] for line in lines) == 1
    assert 'equipoise_run_moves{plan="' in file.read_text()
    with pytest.raises(UnusableInput, match="--log: 'yaml' is no such log"):
        run("rollback", folder, "--log", "yaml")
    assert run("status", folder)[1].startswith(str(folder))


def test_in_json_nobody_is_asked(model: SimulatedCluster, folder: Path) -> None:
    """A program reads it; a refusal is an end with its reasons."""
    code, told = run("apply", folder, "--log", "json")
    kinds = [json.loads(line)["event"] for line in told.splitlines()]
    assert code == 2 and kinds == ["note", "note", "ended"]
    model.kill(3)
    code, told = run("apply", folder, "--yes", "--log", "json")
    (line,) = map(json.loads, told.splitlines())
    assert (code, line["outcome"]) == (2, "refused") and "broker 3" in line["reasons"][0]


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


def test_rollback_restores(model: SimulatedCluster, folder: Path) -> None:
    """Lists and leaders from before."""
    run("apply", folder, "--yes")
    code, told = run("rollback", folder, "--yes")
    assert code == 0, told
    assert lists(model) == BEFORE
    assert [model.leader[TopicPartition("pay", p)] for p in range(3)] == [0, 1, 2]


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


def test_a_drained_broker_that_fills_up_again_is_named(
    model: SimulatedCluster, folder: Path, tmp_path: Path
) -> None:
    """At the end and by ``status``, until it is empty; what the plan left there on purpose is not counted."""
    plan = replace(read_plan(folder), eligible=np.array([False, True, True, True]))
    write_plan(plan, tmp_path / "drained", schedule=schedule(plan))
    model.create("new", 0, (0, 2))
    code, told = run("apply", tmp_path / "drained", "--yes")
    assert code == 1 and "Finished: 2 moves, 2 done." in told
    assert "broker 0 is not empty: it holds 1 replica (new-0); plan --drain 0 again" in told
    code, told = run("status", tmp_path / "drained")
    assert code == 1 and "broker 0 is not empty: it holds new-0" in told
    model.delete_topic("new")
    assert run("status", tmp_path / "drained")[0] == 0


def test_a_dry_run_says_which_rights_are_missing(model: SimulatedCluster, folder: Path) -> None:
    """Grouped, with exit 2, after all requests were shown."""
    refused = Failure("CLUSTER_AUTHORIZATION_FAILED")
    model.would_refuse = lambda changes: dict.fromkeys(changes, refused)  # type: ignore[method-assign]
    model.may_alter = lambda: False  # type: ignore[method-assign]
    code, told = run("apply", folder, "--dry-run")
    assert code == 2 and "AlterPartitionReassignments pay-0" in told
    assert "not authorised to move partitions and elect leaders (Alter on the cluster)" in told
    assert "no throttle could be set on broker 0 and 2 more (CLUSTER_AUTHORIZATION_FAILED)" in told
    assert "no throttle could be set on topic pay (CLUSTER_AUTHORIZATION_FAILED)" in told


def test_a_dry_run_says_what_may_not_be_read(
    model: SimulatedCluster, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without it a run would begin and skip every move; a broker that does not answer is another matter, and
    without a throttle no config is needed."""
    refused, silent = Failure("CLUSTER_AUTHORIZATION_FAILED"), Failure("NO_ANSWER")
    configs = model.configs
    monkeypatch.setattr(
        model, "configs",
        lambda some, keys: configs(some, keys) | {of: refused for of in some if of.kind == "broker"},
    )  # fmt: skip
    code, told = run("apply", folder, "--dry-run")
    every = "throttles cannot be read of broker 0 and 3 more (DescribeConfigs: CLUSTER_AUTHORIZATION_FAILED)"
    assert code == 2 and every in told, told
    monkeypatch.setattr(model, "configs", configs)
    monkeypatch.setattr(model, "log_dirs", lambda brokers, names: dict.fromkeys(brokers, refused))
    code, told = run("apply", folder, "--dry-run")
    assert code == 2 and "log dirs cannot be read of broker 3 (Describe on the cluster: CLUSTER" in told, told
    monkeypatch.setattr(model, "log_dirs", lambda brokers, names: dict.fromkeys(brokers, silent))
    assert run("apply", folder, "--dry-run")[0] == 0


def test_many_small_moves_are_not_called_quick() -> None:
    """Three hundred empty partitions take rounds of requests, thirty take one; so does their way back."""
    moves = [Move(TopicPartition("t", p), (0,), (1,), 0.0) for p in range(300)]
    few, many = (Job("apply", "", None, tuple(moves[:n])).seconds(1e6, 50) for n in (30, 300))
    assert (few, many) == (ROUND_S, 6 * ROUND_S)
    assert Job("apply", "", None, tuple(moves)).way_back.seconds(1e6, 50) == many


def test_the_time_of_a_job_is_that_of_its_busiest_link_and_of_rounds_and_elections() -> None:
    """An election where the leader stays and follows; where it leaves Kafka elects by itself."""
    moves = (
        Move(TopicPartition("t", 0), (0, 1), (1, 2), 5e6),
        Move(TopicPartition("t", 1), (0, 1), (2, 0), 5e6),
    )
    job = Job("apply", "", None, moves)
    assert job.n_elections == 1 and job.seconds(1e6, 50) == 10 + ROUND_S + BATCH_S
    unknown = Job("apply", "", None, (*moves, Move(TopicPartition("t", 2), (0,), (1,))))
    assert np.isnan(unknown.seconds(1e6, 50)) and np.isnan(job.seconds(None, 50))


@pytest.mark.slow
def test_a_run_is_steered_from_another_terminal(model: SimulatedCluster, folder: Path) -> None:
    """Orders wait for the run, `status` shows them, and they end with it."""
    steer = CliRunner()

    def ordered(*command: str) -> str:
        return steer.invoke(app(), [*command]).output

    assert "no further move begins, no run is under way" in ordered("pause", str(folder))
    assert "moves begin again" in ordered("continue", str(folder))
    assert "2.5 MB/s a broker each way" in ordered("throttle", str(folder), "2.5MB")
    with Journal(folder):
        assert "no further move begins, from its next look on" in ordered("pause", str(folder))
    _, told = run("status", folder)
    assert "a pause is ordered; continue ends it" in told and "ordered throttle: 2.5 MB/s" in told
    ordered("continue", str(folder))
    seen: list[str] = []
    alter = model.alter_configs

    def noted(changes):  # type: ignore[no-untyped-def]
        seen.extend(value for values in changes.values() for value in values.values() if value)
        return alter(changes)

    model.alter_configs = noted  # type: ignore[method-assign]
    assert run("apply", folder, "--yes")[0] == 0
    assert "2500000" in seen and not (folder / "steering.json").exists()
