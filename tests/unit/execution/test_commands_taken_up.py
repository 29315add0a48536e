"""A run that was left in the middle, or is under way: taken up, undone, or left alone, by commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import AFTER, BEFORE, interrupted, lists, run, throttled

from equipoise.errors import UnusableInput
from equipoise.execution.journal import Journal
from equipoise.execution.port import TopicPartition
from equipoise.execution.simulated import SimulatedCluster


@pytest.mark.parametrize(
    ("verb", "options"), [("apply", ()), ("apply", ("--resume",)), ("rollback", ()), ("cancel", ())]
)
@pytest.mark.slow
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


@pytest.mark.parametrize(("outcome", "word"), [("", "interrupted"), ("stopped", "stopped"), ("lost", "lost")])
@pytest.mark.slow
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


def test_there_is_nothing_to_cancel(model: SimulatedCluster, folder: Path) -> None:
    """Without a journal nothing was begun, as far as is known."""
    with pytest.raises(UnusableInput, match=r"no run of it was ever begun.*--adopt"):
        run("cancel", folder, "--yes")


def test_a_supervisor_may_always_say_resume(model: SimulatedCluster, folder: Path) -> None:
    """Where nothing was begun, or the first process died before its first entry, the run begins."""
    code, told = run("apply", folder, "--yes", "--resume")
    assert code == 0 and lists(model) == AFTER, told


def test_an_unfinished_roll_back_is_finished_first(model: SimulatedCluster, folder: Path) -> None:
    """Applying in the middle of a way back would go to and fro."""
    interrupted(folder)
    text = (folder / "journal.jsonl").read_text().replace('"apply"', '"rollback"')
    (folder / "journal.jsonl").write_text(text)
    with pytest.raises(UnusableInput, match="Run rollback again"):
        run("apply", folder, "--yes")


def test_limits_are_those_of_the_plan_after_a_run_that_ended(model: SimulatedCluster, folder: Path) -> None:
    """Neither a finished run nor one of the other operation says how fast the next one is."""
    assert "at 1 MB/s" in run("apply", folder, "--yes")[1]
    run("rollback", folder, "--yes", "--throttle", "50MB")
    assert "at 1 MB/s" in run("apply", folder, "--yes")[1]
    assert lists(model) == AFTER


@pytest.mark.slow
def test_status_ends_with_1_where_a_throttle_is_left(model: SimulatedCluster, folder: Path) -> None:
    """A supervisor need not read it; while a run is under way all is as it should be."""
    throttled(folder, model)
    code, told = run("status", folder)
    assert code == 1 and "still throttled: broker 3" in told
    with Journal(folder):
        code, told = run("status", folder)
        assert code == 0 and "throttled: broker 3" in told
    assert run("apply", folder, "--yes", "--resume")[0] == 0
    assert run("status", folder)[0] == 0


@pytest.mark.parametrize("operation", ["apply", "rollback"])
def test_a_cancel_that_is_killed_loses_no_limits(
    model: SimulatedCluster, folder: Path, operation: str
) -> None:
    """It begins as the run that it undoes, so that whoever takes that up goes on between the same bounds."""
    interrupted(folder, operation=operation, throttle=2_000_000, bounds=[1_000_000, 5_000_000])
    run("cancel", folder, "--yes")
    path = folder / "journal.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    begins = [json.loads(line) for line in lines if '"type":"begin"' in line.replace(" ", "")]
    assert [(b["throttle"], b["bounds"]) for b in begins] == [(2_000_000, [1_000_000, 5_000_000])] * 2
    path.write_text("".join(lines[: 1 + lines.index(next(li for li in lines[1:] if '"begin"' in li))]))
    resume = ("--resume",) if operation == "apply" else ()
    run(operation, folder, "--yes", *resume)
    assert json.loads(path.read_text().splitlines()[3])["bounds"] == [1_000_000, 5_000_000]
