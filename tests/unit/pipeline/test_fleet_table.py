"""What a terminal shows of a run over a fleet."""

from __future__ import annotations

from pathlib import Path

import pytest

from equipoise.cli.fleet_table import show
from equipoise.pipeline.jobs.fleet import FleetRun


def test_names_are_shown_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A cluster called ``prod[eu]`` is not shown as ``prod``, in the table, in what is said below it, and in
    the path of the page."""
    row = {"cluster": "prod[eu]", "outcome": "set aside", "reason": "no [bold]state", "set_aside": 2}
    show(FleetRun([row], tmp_path / "out[1]"))
    table, reason, pieces, page = capsys.readouterr().out.splitlines()[-4:]
    assert table.split() == ["prod[eu]", "set", "aside"]
    assert reason == "prod[eu]: set aside: no [bold]state"
    assert pieces == "prod[eu]: 1 piece of input set aside (table quarantine)"
    assert page == f"Open {tmp_path}/out[1]/index.html"
