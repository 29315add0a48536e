"""The ``equipoise`` command: one file for each verb, errors in one line, exit codes of the design."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence

from equipoise import __version__
from equipoise.cli.progress import interruptible, tell
from equipoise.errors import EquipoiseError

with interruptible():  # what takes a tenth of a second and more, before there is a command to stop
    import typer

    from equipoise.cli.plain_help import App

VERBS = (
    *("demo", "run", "plan", "check", "compare", "frontier"),
    *("snapshot", "apply", "status", "cancel", "rollback"),
)
"""Modules of this package, in the order of the help; each has ``register(app)``."""


def version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"equipoise {__version__}")
        raise typer.Exit


def common(
    show_version: bool = typer.Option(
        False, "--version", callback=version, is_eager=True, help="Show the version."
    ),
) -> None:
    pass


def app(verbs: Sequence[str] = VERBS) -> App:
    """The command line with some of its verbs."""
    made = App(
        name="equipoise",
        help="Plans, proves and carries out Kafka partition reassignments.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    made.callback()(common)
    for verb in verbs:
        importlib.import_module(f"equipoise.cli.{verb}").register(made)
    return made


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; ends the process with the exit code.

    A known verb is built alone: the others and their options would cost a small plan a tenth of its time.
    """
    given = sys.argv[1:] if arguments is None else arguments
    verbs = given[:1] if given and given[0] in VERBS else VERBS
    try:
        with interruptible():
            command = app(verbs)
        code = command(given, standalone_mode=True)
    except EquipoiseError as error:
        tell("")
        print(f"equipoise: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.exit(141)
    sys.exit(code or 0)


if __name__ == "__main__":
    main()
