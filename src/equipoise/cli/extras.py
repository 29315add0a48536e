"""Verbs that need more than the small install, and how to get it."""

from __future__ import annotations

from importlib.util import find_spec

from equipoise.errors import MissingExtra


def required(verb: str, module: str, library: str, extra: str) -> None:
    """Raise `MissingExtra` unless a module is there; it is not imported."""
    if find_spec(module) is None:
        raise MissingExtra(verb, library, extra)


def spark_for(verb: str) -> None:
    """Raise `MissingExtra` unless fleets can be run."""
    required(verb, "pyspark", "Spark", "spark")
