"""What verbs put out: pages for a terminal or a pipe, JSON, files."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from equipoise.cli.voice import is_json
from equipoise.errors import UnusableInput
from equipoise.wording import printable

if TYPE_CHECKING:
    from rich.console import RenderableType

OUTPUT = "Output"
NOTHING: Mapping[str, Any] = MappingProxyType({})
WIDEST = 1 << 20
"""Columns that a line may take where no terminal limits it."""

AsJson = Annotated[
    bool, typer.Option("--json", help="Print JSON instead of the table.", rich_help_panel=OUTPUT)
]
Html = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write a page with charts.", rich_help_panel=OUTPUT)
]


def show(*parts: RenderableType, stream: TextIO | None = None) -> None:
    """Put pages, tables and lines on standard output, or another stream.

    A terminal gets lines of its width, and colours unless ``NO_COLOR`` is set. Everything else gets each line
    whole, whatever its length, without blanks at its end: what is searched for stands on one line.
    """
    stream = stream or sys.stdout
    stream.write(rendered(parts, stream))
    stream.flush()


def rendered(parts: Iterable[RenderableType], stream: TextIO) -> str:
    """The text that goes to a stream."""
    from rich.console import Console, Group
    from rich.measure import Measurement

    from equipoise.cli.printed import Printed

    page = Printed(Group(*parts))
    terminal = stream.isatty()
    console = Console(
        file=StringIO(),
        force_terminal=terminal,
        width=terminal_width(stream) if terminal else WIDEST,
        highlight=False,
        markup=False,
        emoji=False,
        color_system="auto" if terminal and not os.environ.get("NO_COLOR") else None,
    )
    if not terminal:
        console.width = max(1, Measurement.get(console, console.options, page.thing).maximum)
    with console.capture() as capture:
        console.print(page, crop=False)
    text = capture.get()
    return text if terminal else "".join(f"{line.rstrip()}\n" for line in text.splitlines())


def terminal_width(stream: TextIO) -> int:
    """Columns of the terminal; ``COLUMNS`` overrides what it says."""
    try:
        return int(os.environ.get("COLUMNS", "")) or 80
    except ValueError:
        pass
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def say(text: str, *, error: bool = False) -> None:
    """One or more lines as they are, or one of JSON for ``--log json``; on standard error for ``error``."""
    if is_json() and not error:
        say_event("note", text)
        return
    stream = sys.stderr if error else sys.stdout
    stream.write("\n".join(map(printable, text.split("\n"))) + "\n")
    stream.flush()


def say_event(kind: str, text: str, facts: Mapping[str, Any] = NOTHING) -> None:
    """One line of JSON on standard output."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    line = {"version": 1, "time": now, "event": kind, "text": text, **facts}
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def print_bytes(data: bytes) -> None:
    """Bytes on standard output."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def print_json(data: Mapping[str, Any]) -> None:
    """The data on standard output, under a version."""
    sys.stdout.write(json.dumps({"version": 1, **data}, indent=1) + "\n")
    sys.stdout.flush()


def print_warnings(warnings: Iterable[str]) -> None:
    """What to know before anything else, each on a line of its own."""
    from rich.text import Text

    for line in warnings:
        show(Text(line, style="yellow"))


def write_text(file: Path, content: str) -> None:
    """Write a file; raises `UnusableInput` where that is not possible."""
    try:
        if file.is_fifo():  # opened as a file it would wait for a reader for ever
            with os.fdopen(os.open(file, os.O_WRONLY | os.O_NONBLOCK), "w", encoding="utf-8") as pipe:
                os.set_blocking(pipe.fileno(), True)
                pipe.write(content)
        else:
            file.write_text(content, encoding="utf-8")
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise UnusableInput("nobody reads from this pipe", source=str(file)) from None
        raise UnusableInput(f"cannot be written ({error.strerror})", source=str(file)) from None
