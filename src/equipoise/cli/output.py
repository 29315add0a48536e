"""What `compare` and `frontier` put out: a table, the same as JSON, or as a page with charts."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equipoise.errors import UnusableInput

if TYPE_CHECKING:
    from rich.table import Table

OUTPUT = "Output"

AsJson = Annotated[
    bool, typer.Option("--json", help="Print JSON instead of the table.", rich_help_panel=OUTPUT)
]
Html = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write a page with charts.", rich_help_panel=OUTPUT)
]


def print_json(data: Mapping[str, Any]) -> None:
    """The data on standard output, under a version."""
    json.dump({"version": 1, **data}, sys.stdout, indent=1)
    print()


def print_table(table: Table, notes: Iterable[str], width: int) -> None:
    """A table and the lines below it; ``width`` is in columns, where no terminal has one of its own."""
    from rich.console import Console

    console = Console(width=None if sys.stdout.isatty() else width, highlight=False)
    console.print(table)
    for note in notes:
        console.print(note, markup=False)


def write_text(file: Path, content: str) -> None:
    """Write a file; raises `UnusableInput` where that is not possible."""
    try:
        file.write_text(content, encoding="utf-8")
    except OSError as error:
        raise UnusableInput(f"cannot be written ({error.strerror})", source=str(file)) from None
