"""Everything the page of one plan says, as plain data: equal plans give equal data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Plan
from equipoise.planning.goals.failover import Failover
from equipoise.planning.problem.rates import sentences
from equipoise.report import certificate, words
from equipoise.report.apart import apart
from equipoise.report.brokers import broker_axis, broker_charts, broker_rows, median_chart
from equipoise.report.cross_zone import zone_words
from equipoise.report.figures import Figures, level_after_failure, measure
from equipoise.report.frontier_data import frontier_data
from equipoise.report.heat import heat_chart
from equipoise.report.levels import is_partial, levels
from equipoise.report.log_dirs import all_levels, log_dir_data
from equipoise.report.moves import moves_table, reasons
from equipoise.report.story import clause, story
from equipoise.report.unlevel import why_unlevel

if TYPE_CHECKING:
    from equipoise.scheduling import Schedule


def plan_data(
    plan: Plan, schedule: Schedule | None = None, budgets: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The page data of ``plan``; numbers, strings, lists and dictionaries alone."""
    figures = measure(plan)
    bought = None if budgets is None else frontier_data(cluster=plan.cluster.name, **budgets)
    charts = [
        *broker_charts(plan, figures),
        median_chart(plan, figures),
        heat_chart(plan),
        waves_chart(schedule),
    ]
    data = {
        "cluster": plan.cluster.name,
        "cluster_id": plan.cluster.cluster_id,
        "strategy": plan.strategy,
        "fingerprint": plan.cluster.fingerprint,
        "files": list(plan.cluster.files),
        "request": request_words(plan),
        "counts": counts(plan),
        "headline": headline(figures),
        "verdict": certificate.verdict(all_levels(plan), plan.request.get("goals"), partial=is_partial(plan)),
        "certificate": certificate.rows(all_levels(plan), apart(plan), partial=is_partial(plan)),
        "proofs": certificate.proofs(all_levels(plan)),
        "levels": levels(plan, figures),
        "alike": not np.ptp(plan.cluster.brokers.weight[plan.eligible]) > 0,
        "unlevel": why_unlevel(plan, figures),
        "axis": broker_axis(plan, figures),
        "charts": {
            chart["id"]: {**chart, "caption": caption(chart)} for chart in charts if chart is not None
        }
        | (bought["charts"] if bought else {}),
        "brokers": broker_rows(plan, figures),
        "racks": rack_rows(plan, figures),
        "log_dirs": log_dir_data(plan),
        "zones": zone_words(plan),
        "moves": moves_table(plan, waves=() if schedule is None else schedule.waves),
        "reasons": reasons(plan),
        "failover": failover_offer(plan, figures),
        "schedule": schedule_facts(schedule),
        "sizes_known": figures.sizes_known,
        "sizes_words": sizes_words(plan, figures),
        "loads_from": sentences(plan.cluster, plan.request.get("consumption")),
        "missing": [words.MISSING.get(what, what) for what in plan.cluster.missing],
        "notes": list(plan.cluster.notes),
        "warnings": list(plan.warnings),
        "offers": list(plan.offers),
        "budgets": bought,
    }
    return {**data, "clause": clause(data, schedule), "story": story(data, schedule)}


def counts(plan: Plan) -> dict[str, int]:
    """How large the cluster is."""
    return {
        "brokers": plan.cluster.n_brokers,
        "racks": plan.cluster.brokers.n_racks_named,
        "topics": len(plan.cluster.topics),
        "partitions": plan.cluster.n_partitions,
        "replicas": int((plan.target >= 0).sum()),
    }


def headline(figures: Figures) -> dict[str, Any]:
    """The numbers at the top of the page."""
    return {
        "data_moves": figures.data_moves,
        "bytes_moved": figures.bytes_moved if figures.sizes_known else None,
        "leadership_changes": figures.leadership_changes,
        "partitions_changed": figures.partitions_changed,
    }


def sizes_words(plan: Plan, figures: Figures) -> str:
    """What the bytes moved are a sum of."""
    known = np.isfinite(plan.cluster.size_bytes)
    moved = figures.bytes_moved or 0
    if known.all():
        return f"{words.decimal_size(moved)}, copied once" if moved else "copied once"
    return "of partitions whose size is known" if known.any() else "sizes are not known"


def request_words(plan: Plan) -> list[str]:
    """The options that the plan was made with, one short line each."""
    return [f"{name.replace('_', ' ')}: {option_text(value)}" for name, value in plan.request.items()]


def option_text(value: Any) -> str:
    """``[[21, "b"]]`` → ``21:b``; an empty rack is left out."""
    if isinstance(value, list | tuple):
        if all(isinstance(v, list | tuple) for v in value):
            return ", ".join(":".join(str(part) for part in v if part is not None) for v in value)
        return ", ".join(str(v) for v in value)
    return "yes" if value is True else str(value)


def rack_rows(plan: Plan, figures: Figures) -> list[dict[str, Any]]:
    """Brokers, replicas and leaders of each rack that is named, before and after; empty without racks."""
    brokers = plan.cluster.brokers
    if not brokers.has_racks:
        return []

    def per_rack(values: npt.NDArray[Any]) -> list[int]:
        sums = np.bincount(brokers.rack_idx, weights=values, minlength=len(brokers.rack_names))
        return [int(total) for total in sums]

    before, after = figures.before, figures.after
    counted = (plan.eligible, before.replicas, after.replicas, before.leaders, after.leaders)
    return [
        {"rack": name, "brokers": n, "replicas": (r0, r1), "leaders": (l0, l1)}
        for name, n, r0, r1, l0, l1 in zip(brokers.rack_names, *map(per_rack, counted), strict=True)
        if name in brokers.racks
    ]


def failover_offer(plan: Plan, figures: Figures) -> dict[str, int] | None:
    """What levelling for failures could still bring; None where the plan already did or nothing is open."""
    level, worst = level_after_failure(plan, figures.after), int(figures.after.failover.max(initial=0))
    planned = any(entry.goal == Failover.name for entry in plan.certificate)
    return None if planned or worst <= level or level == 0 else {"worst": worst, "level": level}


def schedule_facts(schedule: Schedule | None) -> dict[str, Any] | None:
    """The schedule's figures with the labels of what is held back, at most 50 of them."""
    if schedule is None:
        return None
    facts = schedule.to_json()
    facts["wave_rows"] = [len(rows) for rows in schedule.waves]
    facts["blocked_count"] = len(facts["blocked"])
    facts["blocked"] = dict(list(facts["blocked"].items())[:50])
    return facts


def waves_chart(schedule: Schedule | None) -> dict[str, Any] | None:
    """Expected time of each wave, or its partitions where no time is known; None for under two waves."""
    if schedule is None or len(schedule.waves) < 2:
        return None
    timed = bool(np.isfinite(schedule.wave_seconds).all())
    values = schedule.wave_seconds if timed else [len(rows) for rows in schedule.waves]
    return {
        "id": "waves",
        "kind": "waves",
        "title": "When each wave runs" if timed else "Partitions in each wave",
        "unit": "seconds" if timed else "partitions",
        "values": [round(float(v), 3) for v in values],
    }


def caption(chart: dict[str, Any]) -> str:
    """What a chart shows, in a sentence; with its title also for those who do not see it."""
    if chart["kind"] == "brokers":
        before, after = (
            words.spread(chart[side], chart["unit"]) for side in ("spread_before", "spread_after")
        )
        return " ".join([f"{before} before, {after} after.", *filter(None, [chart.get("about")])])
    if chart["kind"] == "heat":
        total = sum(chart["cells"][2::3])
        ends = (
            f"from {words.plural(len(chart['from']), 'source')} to {words.plural(len(chart['to']), 'broker')}"
        )
        return f"{words.plural(total, 'replica')} {ends}, at most {words.number(chart['most'])} between two."
    show = words.duration if chart["unit"] == "seconds" else words.number
    return f"{words.plural(len(chart['values']), 'wave')}, the longest {show(max(chart['values']))}."
