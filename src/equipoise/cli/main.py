"""The ``equipoise`` command: one file for each verb, errors in one line, exit codes of the design."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from equipoise import __version__
from equipoise.cli.progress import interruptible, tell
from equipoise.cli.streams import Gone, Unwritable, guarded
from equipoise.errors import NO_MEMORY, EquipoiseError, is_out_of_memory
from equipoise.wording import cut, printable

with interruptible():  # what takes a tenth of a second and more, before there is a command to stop
    import typer
    from typer._click.exceptions import ClickException, NoArgsIsHelpError, UsageError

    from equipoise.cli.plain_help import App

NAME = "equipoise"
FAULT = 70
"""Exit code of a fault of ours, as sysexits.h has it: no other end of a command is one."""
VERBS = (
    *("demo", "run", "fleet-report", "pack"),
    *("show", "plan", "explain", "check", "compare", "frontier", "serve"),
    *("snapshot", "apply", "status", "pause", "continue", "throttle", "cancel", "rollback", "watch"),
    "version",
)
"""In the order of the help: each is a module of this package, but for those in :data:`SHARED`."""
SHARED = dict.fromkeys(("pause", "continue", "throttle"), "steer") | {"fleet-report": "fleet_report"}
"""Verbs whose module has another name; every module has ``register(app)``."""


def version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"{NAME} {__version__}")
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
        name=NAME,
        help="Plans, proves and carries out Kafka partition reassignments.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
    )
    made.callback()(common)
    for module in dict.fromkeys(SHARED.get(verb, verb) for verb in verbs):
        importlib.import_module(f"equipoise.cli.{module}").register(made)
    return made


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; ends the process with the exit code, and with one line for what went wrong."""
    # Nearly all is sums of whole numbers: a second thread of OpenBLAS has little to do, and waits busily.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    with guarded():
        try:
            code = run(sys.argv[1:] if arguments is None else arguments)
            sys.stdout.flush()
        except Gone as end:
            code = end.exit_code
        except Unwritable as error:
            code = told(str(error), error.exit_code)
    sys.exit(code)


def run(given: list[str]) -> int:
    """The exit code of a command line.

    A known verb is built alone: the others and their options would cost a small plan a tenth of its time.
    """
    verbs = given[:1] if given and given[0] in VERBS else VERBS
    try:
        with interruptible():
            command = app(verbs)
        return command(given, prog_name=NAME, standalone_mode=False) or 0
    except (Gone, Unwritable):
        raise
    except EquipoiseError as error:
        return told(str(error), error.exit_code)
    except NoArgsIsHelpError as error:
        typer.echo(error.format_message())
        return error.exit_code
    except ClickException as error:
        return told(sentence(error), error.exit_code)
    except OSError as error:  # a file that is there and cannot be used, wherever that shows
        if is_out_of_memory(error):
            return broken(error)
        place = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
        return told(f"{place}cannot be used ({error.strerror or error})", 2)
    except Exception as error:
        return broken(error)


def broken(error: Exception) -> int:
    """The exit code where memory ran out, or of a fault of ours; one line, with ``--verbose`` in full."""
    if "--verbose" in sys.argv or "-v" in sys.argv:
        traceback.print_exception(error)
    if is_out_of_memory(error):
        advice = "Plan with --effort quick or fewer --goals, or on a machine with more of it"
        return told(f"memory ran out. {advice}", NO_MEMORY)
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(last.filename).name}, line {last.lineno}"
    what = cut(f"{type(error).__name__}: {error}")
    advice = "Please report it with the command; --verbose shows all of it"
    return told(f"this is a fault of {NAME} ({what}; {where}). {advice}", FAULT)


def told(problem: str, code: int) -> int:
    """One line on standard error, and the exit code."""
    tell("")
    print(f"{NAME}: {printable(problem)}", file=sys.stderr)
    return code


def sentence(error: ClickException) -> str:
    """What is wrong with a command line, and where to read on."""
    problem = " ".join(error.format_message().split()).rstrip(".")
    where = error.ctx.command_path if isinstance(error, UsageError) and error.ctx is not None else NAME
    return f"{problem}. Try '{where} --help'"


if __name__ == "__main__":
    main()
