"""Everything the page of a fleet says, from the ``plan.json`` of each cluster."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from equipoise.cluster import Level
from equipoise.planning.goals.moves import Moves
from equipoise.report import certificate, fleet_quality, spark, words
from equipoise.report.fleet_changes import worst_first
from equipoise.report.fleet_trends import trends

Entry = Mapping[str, Any]

FINDING = ("severity", "cluster", "check", "subject", "detail")
FAULT = ("cluster", "file", "line", "place", "text", "reason")
MAX_NAMED = 10
"""Clusters named in one sentence."""
MAX_QUARANTINE = 500
"""Lines set aside that the page lists; the table has them all."""


def fleet_data(
    clusters: Sequence[Entry],
    quarantine: Sequence[Entry],
    run: Entry,
    findings: Sequence[Entry] = (),
    news: Sequence[str] | None = None,
    history: Sequence[Entry] = (),
) -> dict[str, Any]:
    """The page data of a fleet; see :func:`equipoise.report.fleet_page` for the arguments."""
    ranked = worst_first(clusters)
    planned = [planned_row(entry) for entry in ranked if entry.get("after")]
    charts = [spread_chart(planned), moves_chart(planned)]
    return {
        "warnings": no_racks(row["name"] for row in planned if not row["racks_known"]),
        "clusters": planned,
        "failed": [failed_row(entry) for entry in ranked if not entry.get("after")],
        "totals": totals(planned),
        "quarantine": [
            {key: "" if entry.get(key) is None else entry[key] for key in FAULT}
            for entry in quarantine[:MAX_QUARANTINE]
        ],
        "quarantined": len(quarantine),
        "findings": [{key: entry[key] for key in FINDING} for entry in findings],
        "news": None if news is None else list(news),
        "trends": trends(history),
        "quality": [
            {"name": str(entry["cluster"]), "cells": fleet_quality.cells(entry["quality"])}
            for entry in ranked
            if entry.get("quality")
        ],
        "quality_headings": list(fleet_quality.HEADINGS),
        "run": run_facts(run),
        "charts": {chart["id"]: chart for chart in charts if chart is not None},
    }


def no_racks(clusters: Iterable[str]) -> list[str]:
    """A sentence on the clusters of which no racks are known; none without any."""
    names = list(clusters)
    more = f" and {words.number(len(names) - MAX_NAMED)} more" if len(names) > MAX_NAMED else ""
    told = f"{', '.join(names[:MAX_NAMED])}{more}"
    sentence = "no racks are known of {}: two replicas of a partition may land in one zone; give racks"
    return [sentence.format(told) + " in a brokers file, or as racks in equipoise.toml"] if names else []


def planned_row(entry: Entry) -> dict[str, Any]:
    """One cluster that has a plan, from its ``plan.json`` or its row of ``plan_summary``."""
    name = str(entry["cluster"])
    before, after = (list(dict(entry[side]["replicas_per_broker"]).values()) for side in ("before", "after"))
    missing = entry["source"]["missing"] if "source" in entry else entry.get("missing", ())
    old, new = in_use(before, after)
    return {
        "name": name,
        "report": entry.get("report") or f"clusters/{quote(name)}/report.html",
        "brokers": len(after),
        "replicas": sum(after),
        "before": ends(old),
        "after": ends(new),
        "uneven_before": uneven(old),
        "uneven_after": uneven(new),
        "spark": spark.before_after(before, after),
        "bound": next(
            (level["lower_bound"] for level in entry["certificate"] if level["goal"] == Moves.name), None
        ),
        "bytes_known": "sizes" not in missing,
        "racks_known": "racks" not in missing,
        "verdict": verdict_of(entry),
        "warnings": list(entry.get("warnings") or ()),
        "severity": severity(entry),
        "group": entry.get("group") or "none",
        "errors": entry.get("errors", 0),
        "warned": entry.get("warned", 0),
        "disk_full": until(entry.get("days_until_full")),
        **{
            key: entry.get("summary", entry)[key]
            for key in ("data_moves", "bytes_moved", "leadership_changes")
        },
    }


def verdict_of(entry: Entry) -> dict[str, str]:
    """What is proved of a plan, from its ``plan.json`` or its row of ``plan_summary``: badge and sentence."""
    told = ("goal", "value", "lower_bound", "proof")
    proofs = [Level(*(row[key] for key in told)) for row in entry["certificate"]]
    asked = entry["request"].get("goals") if "request" in entry else entry.get("goals")
    return certificate.verdict(proofs, asked, partial=bool(entry.get("partial")))


def until(days: float | None) -> str:
    """Days until the first disk of a cluster is full, in words."""
    if days is None:
        return "–"
    return "never" if days == float("inf") else words.plural(round(days), "day")


def in_use(before: Sequence[int], after: Sequence[int]) -> tuple[list[int], list[int]]:
    """The counts over which the spread is taken: brokers emptied count before alone, others both times."""
    old = [was for was, now in zip(before, after, strict=True) if was or now]
    return old, [now for now in after if now]


def ends(counts: Sequence[int]) -> tuple[int, int]:
    """Least and greatest."""
    return (min(counts), max(counts)) if counts else (0, 0)


def uneven(counts: Sequence[int]) -> float:
    """Greatest minus least as a percentage of the mean: comparable between clusters of any size."""
    low, high = ends(counts)
    return round(100 * (high - low) * len(counts) / sum(counts), 2) if high else 0.0


def failed_row(entry: Entry) -> dict[str, str]:
    """One cluster without a plan, and why."""
    return {
        "name": str(entry["cluster"]),
        "reason": str(entry.get("reason") or entry.get("error") or "no plan"),
        "outcome": str(entry.get("outcome") or "no plan"),
        "severity": severity(entry),
        "group": str(entry.get("group") or "none"),
    }


def severity(entry: Entry) -> str:
    """The worst finding of a cluster."""
    return "error" if entry.get("errors") else "warning" if entry.get("warned") else "none"


def totals(rows: Sequence[Entry]) -> dict[str, Any]:
    """The numbers at the top of the page."""
    keys = ("brokers", "replicas", "data_moves", "bytes_moved", "leadership_changes")
    return {
        "clusters": len(rows),
        "proved": sum(row["verdict"]["badge"] == "proved best" for row in rows),
        "bytes_known": sum(row["bytes_known"] for row in rows),
        **{key: sum(row[key] or 0 for row in rows) for key in keys},
    }


def run_facts(run: Entry) -> list[tuple[str, str]]:
    """What ran, as name and value; nested facts are joined with a dot."""
    facts: list[tuple[str, str]] = []
    for key, value in run.items():
        if isinstance(value, Mapping):
            facts += [(f"{key}.{name}", text) for name, text in run_facts(value)]
        elif isinstance(value, bool | str) or value is None:
            facts.append((key, str(value)))
        elif isinstance(value, int | float):
            facts.append((key, words.duration(value) if key.endswith("seconds") else words.number(value, 2)))
        else:
            facts.append((key, ", ".join(str(part) for part in value)))
    return facts


def spread_chart(rows: Sequence[Entry]) -> dict[str, Any] | None:
    """How uneven each cluster is before and after, most uneven first."""
    if not rows:
        return None
    ranked = sorted(rows, key=lambda row: (-row["uneven_before"], row["name"]))
    before, after = ([row[side] for row in ranked] for side in ("uneven_before", "uneven_after"))
    return {
        "id": "spread",
        "kind": "change",
        "title": "How uneven each cluster is",
        "unit": "percent",
        "names": [row["name"] for row in ranked],
        "before": before,
        "after": after,
        "caption": f"Greatest minus least replicas on a broker, in percent of the mean: at worst "
        f"{words.number(before[0], 1)} % before, {words.number(max(after), 1)} % after.",
    }


def moves_chart(rows: Sequence[Entry], limit: int = 24) -> dict[str, Any] | None:
    """Data moves of the clusters that move most; None where nothing moves."""
    moving = sorted(
        (row for row in rows if row["data_moves"]), key=lambda row: (-row["data_moves"], row["name"])
    )
    if not moving:
        return None
    told = f"The {limit} that move most of " if len(moving) > limit else ""
    return {
        "id": "moves",
        "kind": "bars",
        "title": "Data moves by cluster",
        "unit": "count",
        "ours": None,
        "names": [row["name"] for row in moving[:limit]],
        "values": [row["data_moves"] for row in moving[:limit]],
        "caption": f"{told}{words.plural(len(moving), 'cluster')} with data moves.",
    }
