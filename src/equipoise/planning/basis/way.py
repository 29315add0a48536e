"""A way to a plan, to a better one or to a better bound, as ``--explain-solver`` and the docs name it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Way:
    """What it is called, what it is good for and what it takes."""

    name: str
    gains: str
    """What it gains, in a sentence."""
    costs: str
    """CPU seconds as measured, each with the partitions x brokers of that cluster."""
