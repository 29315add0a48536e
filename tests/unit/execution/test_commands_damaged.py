"""Journals and limits that are damaged, lost or of another plan: what commands make of them."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest
from commands import AFTER, BEFORE, interrupted, lists, run, throttled

from equipoise.errors import UnusableInput
from equipoise.execution.simulated import SimulatedCluster


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


@pytest.mark.parametrize("damage", [b"\0" * 300 + b"\n", b"[1,2]\n"])
@pytest.mark.slow
def test_a_damaged_journal_is_read_up_to_its_damage(
    model: SimulatedCluster, folder: Path, damage: bytes
) -> None:
    """``status`` says so, with exit 1; nothing else goes on from a part, unless it is told to."""
    throttled(folder, model)
    path = folder / "journal.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + damage + b"".join(lines[1:]))
    code, told = run("status", folder)
    assert code == 1 and "the journal is damaged: line 2 of 4 is not an entry" in told
    assert "broker 3 has leader.replication.throttled.rate=1000, which no run of this plan set" in told
    assert "pay-0: somebody else is moving it to [3,1], as this plan would: --adopt takes it up" in told
    for verb, *options in (("apply", "--resume"), ("cancel",), ("rollback",)):
        with pytest.raises(UnusableInput, match=r"journal.jsonl: line 2 of 4 is not an entry.*--adopt"):
            run(verb, folder, "--yes", *options)
    code, told = run("apply", folder, "--yes", "--resume", "--adopt")
    assert code == 0 and lists(model) == AFTER, told
    assert not any(model.settings.values()) and (folder / "journal.damaged.jsonl").exists()


def test_a_lost_journal_is_no_reason_to_leave_what_stands(model: SimulatedCluster, folder: Path) -> None:
    """``status`` names it, ``cancel --adopt`` undoes it."""
    throttled(folder, model)
    (folder / "journal.jsonl").unlink()
    _, told = run("status", folder)
    assert "run not begun" in told and "cancel --adopt" in told
    assert json.loads(run("status", folder, "--json")[1])["adoptable"] == ["pay-0"]
    assert run("cancel", folder, "--yes", "--adopt")[0] == 0
    assert lists(model) == BEFORE and model.moving == {} and not any(model.settings.values())


@pytest.mark.parametrize("log", ["text", "json"])
@pytest.mark.slow
def test_a_line_that_a_crash_cut_short_is_told(model: SimulatedCluster, folder: Path, log: str) -> None:
    """By ``status``, and by the run that goes on without it."""
    throttled(folder, model)
    path = folder / "journal.jsonl"
    path.write_bytes(path.read_bytes() + b'{"type":"do')
    torn = "line 4 was cut short, so it was never acted on and is left out"
    assert f"the journal: {torn}" in run("status", folder)[1]
    code, told = run("apply", folder, "--yes", "--resume", "--log", log)
    assert code == 0 and f"journal.jsonl: {torn}" in told
    assert torn not in run("status", folder)[1]
