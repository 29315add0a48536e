"""Lines of a certificate, written and read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from equipoise.cluster import Level
from equipoise.judge.certificate import malformed


def certified(level: Level) -> dict[str, Any]:
    """One line of the certificate; whole numbers are written as such."""
    entry = {
        "goal": level.goal,
        "value": known(level.value),
        "lower_bound": known(level.lower_bound),
        "gap": None if level.gap is None else float(level.gap),
        "proof": level.proof,
    }
    if level.note:
        entry["note"] = level.note
    if level.global_bound is not None:
        entry["anywhere"] = plain_number(level.global_bound)
    return entry


def known(value: float | None) -> int | float | None:
    """As `whole`; None where nothing is known."""
    return None if value is None else plain_number(value)


def plain_number(value: float) -> int | float:
    """An int where the value is one, of those that JSON readers take for one."""
    return int(value) if float(value).is_integer() and abs(value) < 2.0**63 else float(value)


def level_of(entry: Mapping[str, Any]) -> Level:
    """A line of the certificate as it was; raises ``ValueError`` where its words or figures are none."""
    level = Level(
        entry["goal"], entry.get("value"), entry.get("lower_bound"), entry["proof"], entry.get("note", ""),
        entry.get("anywhere"),
    )  # fmt: skip
    problem = malformed(level)
    if problem:
        raise ValueError(f"goal {level.goal}: {problem}")
    return level
