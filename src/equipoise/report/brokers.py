"""Brokers as the charts show them: by rack then id, with what happens to each."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Plan
from equipoise.report.figures import Figures, Side, band, level_after_failure
from equipoise.report.levels import shown_spread

MEASURES = (
    ("replicas", "Replicas per broker", "replicas"),
    ("leaders", "Leaders per broker", "leaders"),
    ("failover", "Leaders on the worst survivor after a failure", "leaders"),
    ("size_bytes", "Bytes per broker", "bytes"),
)
"""Column of a :class:`Side`, title of its chart, unit."""


def display_order(plan: Plan) -> npt.NDArray[np.int64]:
    """Broker positions sorted by rack name, then id."""
    return np.lexsort((plan.cluster.brokers.ids, plan.cluster.brokers.rack_idx))


def broker_axis(plan: Plan, figures: Figures) -> dict[str, Any]:
    """The axis that all broker charts share: ids, rack spans and marks, in display order.

    ``marks`` holds "+" for a broker that held nothing and now may, "-" for one to be emptied.
    """
    brokers, order = plan.cluster.brokers, display_order(plan)
    return {
        "ids": brokers.ids[order].tolist(),
        "racks": rack_spans([brokers.rack_names[k] for k in brokers.rack_idx[order]])
        if brokers.has_racks
        else [],
        "marks": "".join(mark(plan, figures.before, at) for at in order),
    }


def mark(plan: Plan, before: Side, at: int) -> str:
    """ "+" added, "-" to be emptied, "." neither."""
    if not plan.eligible[at]:
        return "-"
    return "+" if before.replicas[at] == 0 else "."


def rack_spans(racks: list[str]) -> list[dict[str, Any]]:
    """Runs of equal rack names: ``[{"name", "first", "last"}]``, positions on the axis."""
    spans: list[dict[str, Any]] = []
    for at, name in enumerate(racks):
        if spans and spans[-1]["name"] == name:
            spans[-1]["last"] = at
        else:
            spans.append({"name": name, "first": at, "last": at})
    return spans


def broker_charts(plan: Plan, figures: Figures) -> list[dict[str, Any]]:
    """One chart for each measure that is known: before and after in display order, and the band."""
    order = display_order(plan)
    known = [m for m in MEASURES if m[0] != "size_bytes" or figures.sizes_known]
    return [
        {
            "id": column,
            "kind": "brokers",
            "title": title,
            "unit": unit,
            "before": whole_numbers(getattr(figures.before, column)[order]),
            "after": whole_numbers(getattr(figures.after, column)[order]),
            "spread_before": shown_spread(figures.before, column),
            "spread_after": shown_spread(figures.after, column),
            **bands(plan, figures, column),
        }
        for column, title, unit in known
    ]


CHECKED = 15.0
"""Percent of the median that brokers may be off it, by the published check."""


def median_chart(plan: Plan, figures: Figures) -> dict[str, Any] | None:
    """How far each broker's replicas are from the median, in percent of it; None without a median.

    Before, of brokers that held replicas; after, of those that may hold some; None of the others.
    """
    order = display_order(plan)
    before = off_median(figures.before.replicas, figures.before.replicas > 0)
    after = off_median(figures.after.replicas, plan.eligible)
    if before is None or after is None:
        return None
    return {
        "id": "median",
        "kind": "brokers",
        "title": "Deviation from the median of replicas",
        "unit": "percent",
        "before": listed(before[order]),
        "after": listed(after[order]),
        "spread_before": (float(np.nanmin(before)), float(np.nanmax(before))),
        "spread_after": (float(np.nanmin(after)), float(np.nanmax(after))),
        "about": "Who is added has nothing before, who is emptied nothing after: they are left out there."
        " The check of Wix asks for at most 15 % on either side.",
        "level": "within 15 %",
        "low": [-CHECKED] * len(order),
        "high": [CHECKED] * len(order),
    }


def off_median(counts: npt.NDArray[Any], among: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64] | None:
    """Percent above or below the median of those ``among``, NaN of others; None where that is no number."""
    median = float(np.median(counts[among])) if among.any() else 0.0
    return np.where(among, (counts / median - 1) * 100, np.nan) if median else None


def listed(values: npt.NDArray[np.float64]) -> list[float | None]:
    """To a tenth; None for NaN."""
    return [None if np.isnan(value) else round(float(value), 1) for value in values]


def bands(plan: Plan, figures: Figures, column: str) -> dict[str, Any]:
    """Low and high of the band in display order, or the equal share of the survivors of a failure."""
    if column == "failover":
        ideal = level_after_failure(plan, figures.after)
        return {
            "level": "equal share",
            "low": [ideal] * len(plan.eligible),
            "high": [ideal] * len(plan.eligible),
        }
    order = display_order(plan)
    low, high = (whole_numbers(end[order]) for end in band(plan, figures.after, column))
    return {"level": "equal share" if low == high else "band", "low": low, "high": high}


def whole_numbers(values: npt.NDArray[Any]) -> list[int]:
    """Plain integers: a page needs no fraction of a byte."""
    return [int(value) for value in np.rint(values)]


def broker_rows(plan: Plan, figures: Figures) -> list[dict[str, Any]]:
    """The same figures as a table, one row for each broker in display order."""
    brokers = plan.cluster.brokers
    return [
        {
            "id": int(brokers.ids[at]),
            "rack": brokers.racks[at] or "",
            "mark": {"+": "added", "-": "emptied", ".": ""}[mark(plan, figures.before, at)],
            **{
                column: (int(getattr(figures.before, column)[at]), int(getattr(figures.after, column)[at]))
                for column, _, _ in MEASURES
            },
        }
        for at in display_order(plan)
    ]
