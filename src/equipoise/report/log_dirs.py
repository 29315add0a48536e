"""Log dirs in words: what is moved between them, and how level they are before and after."""

from __future__ import annotations

from typing import Any

import numpy as np

from equipoise.cluster import Level, Plan
from equipoise.files.dir_plan import dir_facts
from equipoise.report import words


def all_levels(plan: Plan) -> tuple[Level, ...]:
    """The certificate of a plan, of its log dirs too."""
    return (*plan.certificate, *(plan.dirs.certificate if plan.dirs else ()))


def log_dir_data(plan: Plan) -> dict[str, Any] | None:
    """Summary, sentence and a row for each dir of every broker with more than one; None without log dirs."""
    facts = dir_facts(plan)
    if facts is None:
        return None
    rows = [row for row in facts["dirs"] if any(row["replicas"])]
    return {
        **facts["summary"],
        "sentence": sentence(facts["summary"]),
        "fullest": [fullest(facts["dirs"], side) for side in (0, 1)],
        "rows": rows,
        "why": facts["why"],
    }


def moved_words(plan: Plan) -> str:
    """``9 replicas between log dirs, 83 MiB``; "" where none is moved."""
    facts = dir_facts(plan)
    if facts is None or not facts["summary"]["moved"]:
        return ""
    told = facts["summary"]
    between = f"{words.plural(told['moved'], 'replica')} between log dirs"
    return f"{between} ({words.size(told['bytes_moved'])})" if told["bytes_moved"] is not None else between


def sentence(summary: dict[str, Any]) -> str:
    """What is done with log dirs, and what is left alone."""
    parts = []
    if summary["placed"]:
        new = words.plural(summary["placed"], "new replica is", "new replicas are")
        parts.append(f"{new} given a log dir")
    if summary["moved"]:
        one, more = "replica changes its log dir", "replicas change their log dirs"
        moved = words.plural(summary["moved"], one, more)
        carried = f" ({words.size(summary['bytes_moved'])})" if summary["bytes_moved"] else ""
        parts.append(f"{moved}{carried}")
    told = ", ".join(parts) or "nothing changes"
    if summary["unknown"]:
        lie = words.plural(summary["unknown"], "replica lies", "replicas lie")
        told += f"; in which log dir {lie} no source tells: left alone"
    return told


def fullest(dirs: list[dict[str, Any]], side: int) -> float | None:
    """How far the fullest dir of any broker is above its share, in parts of it; None where nothing is known.

    Shares go by bytes where any are known, else by replicas, and by volumes where a broker tells all of them.
    """
    what = "bytes" if any(any(row["bytes"]) for row in dirs) else "replicas"
    most = None
    for broker in sorted({row["broker"] for row in dirs}):
        mine = [row for row in dirs if row["broker"] == broker and row["usable"]]
        volumes = [row["total_bytes"] for row in mine if not row["drained"]]
        known = all(volumes)
        weights = [
            0.0 if row["drained"] else float(row["total_bytes"]) if known else 1.0 for row in mine
        ]
        held = np.array([row[what][side] for row in mine], dtype=float)
        if held.sum() and sum(weights):
            share = held.sum() * np.array(weights) / sum(weights)
            over = (held[share > 0] / share[share > 0]).max(initial=1.0) - 1
            most = max(over, most or 0.0)
    return most
