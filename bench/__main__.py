"""``make bench``: the speed table, every row beside its aim, ratios from the same run.

Whole processes are measured from outside, with all that they start; ratios are of CPU seconds. Clusters are
made once and kept in ``bench/out``.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench import beside, copies, examples, families, fleets, grid, loads
from bench.row import HEAD, Measure, Row, Rows

ROWS: dict[str, Measure] = (
    examples.ROWS | families.ROWS | copies.ROWS | grid.ROWS | beside.ROWS | loads.ROWS | fleets.ROWS
)
WIDTH = 200
"""Of the table where it does not go to a terminal."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument(
        "rows", nargs="*", help=f"rows, or what is before the / (default all): {', '.join(ROWS)}"
    )
    names = chosen(parser, parser.parse_args().rows)
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH)
    table = Table(*HEAD, title=f"{platform.machine()}, {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as scratch:
        for name in names:
            for row in measured(name, Path(scratch)):
                console.print(f"{name}: {row.figure} {row.ratio} {row.memory} {row.verdict}", style="dim")
                table.add_row(*row.cells)
    console.print(table)


def measured(name: str, scratch: Path) -> Rows:
    """The rows of a name; a command that fails is a row too, and the others go on."""
    try:
        return ROWS[name](scratch)
    except subprocess.CalledProcessError as error:
        return [Row(name, figure=f"ended with {error.returncode}", verdict="miss")]


def chosen(parser: argparse.ArgumentParser, asked: list[str]) -> list[str]:
    """The rows that are asked for, in the order of the table."""
    known = {*ROWS, *(name.partition("/")[0] for name in ROWS)}
    for name in asked:
        if name not in known:
            parser.error(f"there is no row {name}")
    return [name for name in ROWS if not asked or {name, name.partition("/")[0]} & set(asked)]


if __name__ == "__main__":
    main()
