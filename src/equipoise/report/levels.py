"""How level a cluster is before and after a plan, in one short table for every face."""

from __future__ import annotations

from typing import Any

from equipoise.cluster import Plan
from equipoise.report.figures import Figures, Side


def levels(plan: Plan, figures: Figures) -> list[dict[str, Any]]:
    """Spread of each measure before and after, as the terminal and the page print it."""
    known = [
        ("Replicas on a broker", "replicas", "count"),
        ("Leaders on a broker", "leaders", "count"),
        ("Leaders on the worst survivor", "failover", "count"),
        ("Bytes on a broker", "size_bytes", "bytes"),
    ]
    rows: list[dict[str, Any]] = [
        {
            "title": f"{title}, of this part" if is_partial(plan) else title,
            "form": form,
            "before": shown_spread(figures.before, column),
            "after": shown_spread(figures.after, column),
        }
        for title, column, form in known
        if form != "bytes" or figures.sizes_known
    ]
    if plan.cluster.brokers.has_racks:
        rows.append(
            {
                "title": "Partitions that break the rack rule",
                "form": "count",
                "before": twice(figures.before.rack_violations),
                "after": twice(figures.after.rack_violations),
            }
        )
    return rows


def is_partial(plan: Plan) -> bool:
    """True where a part of a cluster was planned."""
    return bool(plan.request.get("partial"))


def twice(count: int | None) -> tuple[float, float] | None:
    """A single number as both ends of a spread."""
    return None if count is None else (float(count), float(count))


def shown_spread(side: Side, column: str) -> tuple[float, float]:
    """Least and greatest of a column; of what a failure brings only the greatest means anything."""
    low, high = side.spread(column)
    return (high, high) if column == "failover" else (low, high)
