"""``equipoise version``: which version this is, and what it runs on."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as version_of

import typer

from equipoise import __version__

BESIDE = ("ortools", "scipy", "numpy", "pyspark", "kafka-python")
"""Packages on whose version an answer may depend."""


def register(app: typer.Typer) -> None:
    app.command("version", help="Which version this is, and what it runs on.")(version)


def version() -> None:
    from equipoise.cli.output import say
    from equipoise.cli.voice import is_quiet

    say(f"equipoise {__version__}")
    if not is_quiet():
        say(f"Python {platform.python_version()}, {platform.system()} {platform.machine()}")
        say(", ".join(f"{name} {installed(name)}" for name in BESIDE))


def installed(name: str) -> str:
    """The version of a package; of an extra that is not there, that."""
    try:
        return version_of(name)
    except PackageNotFoundError:
        return "not installed"
