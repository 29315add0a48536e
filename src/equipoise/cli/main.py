"""The ``equipoise`` command: one file for each verb, errors in one line, exit codes of the design."""

from __future__ import annotations

import importlib
import sys

import typer

from equipoise import __version__
from equipoise.cli.plain_help import App
from equipoise.errors import EquipoiseError

VERBS = (
    *("demo", "run", "plan", "check", "compare", "frontier"),
    *("snapshot", "apply", "status", "cancel", "rollback"),
)
"""Modules of this package, in the order of the help; each has ``register(app)``."""

app = App(
    name="equipoise",
    help="Plans, proves and carries out Kafka partition reassignments.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"equipoise {__version__}")
        raise typer.Exit


@app.callback()
def common(
    show_version: bool = typer.Option(
        False, "--version", callback=version, is_eager=True, help="Show the version."
    ),
) -> None:
    pass


for verb in VERBS:
    importlib.import_module(f"equipoise.cli.{verb}").register(app)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; ends the process with the exit code."""
    try:
        code = app(arguments, standalone_mode=True)
    except EquipoiseError as error:
        print(f"equipoise: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.exit(141)
    sys.exit(code or 0)


if __name__ == "__main__":
    main()
