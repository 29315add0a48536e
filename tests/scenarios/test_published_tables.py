"""The tables of docs/published.md are what `compare` says of the example fleet, but for its seconds."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from equipoise.cli.main import app
from equipoise.report import words

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "published.md").read_text(encoding="utf-8")
COLUMNS = {
    "replicas apart": "replicas_apart",
    "bytes apart": "bytes_apart",
    "against racks": "rack_violations",
    "leaders apart": "leaders_apart",
    "after a failure": "worst_leaders_after_one_failure",
    "data moves": "data_moves",
    "bytes": "bytes_moved",
    "leadership changes": "leadership_changes",
}
REQUESTS = {
    "removal, broker 19 leaves": ("removal", "--brokers", "0-18"),
    "skewed-leaders": ("skewed-leaders",),
    "racks": ("racks",),
    "growth": ("growth",),
}


def shown(title: str) -> list[dict[str, str]]:
    """The rows of the table under a heading, by the names of its columns."""
    section = PAGE.split(f"### {title}\n")[1].split("\n#")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    head, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
    return [dict(zip(head, row, strict=True)) for row in rows]


def told(row: dict[str, Any], column: str) -> str:
    """What the page has to show of a row of `compare --json`."""
    if column == "same twice":
        return "yes" if row["same_twice"] else "**no**"
    if column.startswith("second run"):
        return f"{row['moves_on_second_run']:,}, {row['changes_on_second_run']:,}"
    if column == "falls behind at":
        return row["behind"] or "nowhere"
    value = row[COLUMNS[column]]
    if value is None:
        return "–"
    return words.size(value) if column.startswith("bytes") else f"{value:,}"


@pytest.mark.parametrize(
    "title",  # two minutes for `growth`, which has 87,859 partitions
    [pytest.param(title, marks=[pytest.mark.long] if title == "growth" else []) for title in REQUESTS],
)
def test_every_figure_but_seconds_is_what_compare_says(title: str) -> None:
    """Each strategy of the page has its row; the others are said to have found no plan."""
    cluster, *options = REQUESTS[title]
    source = str(ROOT / "examples" / "fleet" / cluster)
    run = CliRunner().invoke(app(), ["compare", source, *options, "--json"])
    assert run.exit_code == 0, run.output
    rows = {row["strategy"]: row for row in json.loads(run.stdout)["rows"]}
    table = shown(title)
    planned = {name for name, row in rows.items() if not row["reason"]}
    assert {row["strategy"].strip("`") for row in table} == planned
    for row in table:
        name = row.pop("strategy").strip("`")
        assert re.fullmatch(r"\d+\.\d\d", row.pop("s")), name
        assert row == {column: told(rows[name], column) for column in row}, name
