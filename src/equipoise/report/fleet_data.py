"""Everything the page of a fleet says, from the ``plan.json`` of each cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from equipoise.cluster import Level
from equipoise.report import certificate, spark, words

MAX_QUARANTINE = 500
"""Lines set aside that the page lists; the table has them all."""


def fleet_data(
    clusters: Sequence[Mapping[str, Any]], quarantine: Sequence[Mapping[str, Any]], run: Mapping[str, Any]
) -> dict[str, Any]:
    """The page data of a fleet; see :func:`equipoise.report.fleet_page` for the arguments."""
    planned = [planned_row(entry) for entry in clusters if "summary" in entry]
    failed = [failed_row(entry) for entry in clusters if "summary" not in entry]
    planned.sort(key=lambda row: row["name"])
    failed.sort(key=lambda row: row["name"])
    charts = [spread_chart(planned), moves_chart(planned)]
    return {
        "clusters": planned, "failed": failed, "totals": totals(planned),
        "quarantine": [dict.fromkeys(("cluster", "file", "line", "text", "reason"), "") | dict(entry)
                       for entry in quarantine[:MAX_QUARANTINE]],
        "quarantined": len(quarantine), "run": run_facts(run),
        "charts": {chart["id"]: chart for chart in charts if chart is not None},
    }


def planned_row(entry: Mapping[str, Any]) -> dict[str, Any]:
    """One cluster that has a plan."""
    before, after = (list(entry[side]["replicas_per_broker"].values()) for side in ("before", "after"))
    levels = [Level(row["goal"], row["value"], row["lower_bound"], row["proof"]) for row in entry["certificate"]]
    kept = used(entry)
    bound = next((level.lower_bound for level in levels if level.goal == "moves"), None)
    name = str(entry["cluster"])
    return {
        "name": name, "report": entry.get("report") or f"clusters/{quote(name)}/report.html",
        "brokers": len(after), "replicas": sum(after),
        "before": ends(before, kept["before"]), "after": ends(after, kept["after"]),
        "uneven_before": uneven(before, kept["before"]), "uneven_after": uneven(after, kept["after"]),
        "spark": spark.before_after(before, after), "bound": bound,
        "bytes_known": "sizes" not in entry.get("source", {}).get("missing", ()),
        "verdict": certificate.verdict(levels), "warnings": list(entry.get("warnings", ())),
        **{key: entry["summary"][key] for key in ("data_moves", "bytes_moved", "leadership_changes", "partitions_changed")},
    }


def used(entry: Mapping[str, Any]) -> dict[str, list[bool]]:
    """Brokers that the spread is taken over: all that hold something afterwards, and before all that held any."""
    before, after = (entry[side]["replicas_per_broker"].values() for side in ("before", "after"))
    stay = [n > 0 for n in after]
    return {"after": stay, "before": [s or n > 0 for s, n in zip(stay, before, strict=True)]}


def ends(values: Sequence[int], kept: Sequence[bool]) -> tuple[int, int]:
    """Least and greatest over the brokers in use."""
    counted = [value for value, keep in zip(values, kept, strict=True) if keep] or [0]
    return min(counted), max(counted)


def uneven(values: Sequence[int], kept: Sequence[bool]) -> float:
    """Greatest minus least as a percentage of the mean: comparable between clusters of any size."""
    low, high = ends(values, kept)
    mean = sum(values) / max(1, sum(kept))
    return round(100 * (high - low) / mean, 2) if mean else 0.0


def failed_row(entry: Mapping[str, Any]) -> dict[str, Any]:
    """One cluster without a plan, and why."""
    return {"name": str(entry["cluster"]), "reason": str(entry.get("error") or entry.get("reason") or "no plan")}


def totals(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The numbers at the top of the page."""
    keys = ("brokers", "replicas", "data_moves", "bytes_moved", "leadership_changes")
    return {
        "clusters": len(rows), "proved": sum(row["verdict"]["state"] == "best" for row in rows),
        "bytes_known": sum(row["bytes_known"] for row in rows), **{key: sum(row[key] for row in rows) for key in keys},
    }


def run_facts(run: Mapping[str, Any]) -> list[tuple[str, str]]:
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


def spread_chart(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """How uneven each cluster is before and after, most uneven first."""
    if not rows:
        return None
    ranked = sorted(rows, key=lambda row: (-row["uneven_before"], row["name"]))
    before, after = ([row[side] for row in ranked] for side in ("uneven_before", "uneven_after"))
    return {
        "id": "spread", "kind": "change", "title": "How uneven each cluster is", "unit": "percent",
        "names": [row["name"] for row in ranked], "before": before, "after": after,
        "caption": f"Greatest minus least replicas on a broker, in percent of the mean: at worst "
                   f"{words.number(before[0], 1)} % before, {words.number(max(after), 1)} % after.",
    }


def moves_chart(rows: Sequence[Mapping[str, Any]], limit: int = 24) -> dict[str, Any] | None:
    """Data moves of the clusters that move most; None where nothing moves."""
    ranked = sorted((row for row in rows if row["data_moves"]), key=lambda row: (-row["data_moves"], row["name"]))[:limit]
    if not ranked:
        return None
    return {
        "id": "moves", "kind": "bars", "title": "Data moves by cluster", "unit": "count", "ours": None,
        "names": [row["name"] for row in ranked], "values": [row["data_moves"] for row in ranked],
        "caption": f"{words.plural(len(ranked), 'cluster')} with the most data moves."
        if len(ranked) == limit else f"{words.plural(len(ranked), 'cluster')} with data moves.",
    }
