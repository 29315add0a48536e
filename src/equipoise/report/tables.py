"""A plan in the terminal: one line of what it costs, before and after, the proof, where the files are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from equipoise.cluster import Plan
from equipoise.report import certificate, words
from equipoise.report.brokers import broker_rows
from equipoise.report.cross_zone import zone_words
from equipoise.report.figures import Figures, measure
from equipoise.report.grid import Grid
from equipoise.report.levels import is_partial, levels
from equipoise.report.log_dirs import all_levels, log_dir_data, moved_words
from equipoise.report.moves import moves_table

MAX_BROKERS = 30
"""Brokers listed one by one at most; more are told in one line."""


def plan_table(plan: Plan, out: Path | None = None) -> RenderableType:
    """What ``equipoise plan`` prints, warnings first: about 20 lines whatever the size of the cluster.

    ``out`` is the plan directory, where one was written.
    """
    figures = measure(plan)
    parts: list[RenderableType] = [*warnings(plan), headline(plan, figures), level_table(plan, figures)]
    if not plan.is_empty:
        parts.append(brokers(plan, figures))
    if (dirs := log_dir_data(plan)) is not None:
        parts.append(log_dirs(dirs))
    if zones := zone_words(plan):
        parts.append(Padding(Text("\n".join(zones)), (1, 0, 0, 2)))
    if plan.certificate:
        parts.append(proof(plan))
    if out is not None:
        parts.append(files(plan, out))
    return Group(*parts)


def plan_verdict(plan: Plan) -> RenderableType:
    """What ``equipoise plan --quiet`` prints: the warnings, and the verdict."""
    return Group(*warnings(plan), headline(plan, measure(plan)))


def warnings(plan: Plan) -> list[Text]:
    """What to know before anything else, each on a line of its own."""
    return [Text(line, style="yellow") for line in plan.warnings]


def headline(plan: Plan, figures: Figures) -> Text:
    """``orders: 1 data move, 0 leadership changes, 1 of 10 partitions; proved best``."""
    verdict = certificate.verdict(all_levels(plan), plan.request.get("goals"), partial=is_partial(plan))
    told = "nothing to do" if plan.is_empty else costs(plan, figures)
    style = "green" if verdict["state"] == "best" else "yellow"
    return Text.assemble((plan.cluster.name, "bold"), f": {told}; ", (verdict["badge"], style))


def costs(plan: Plan, figures: Figures) -> str:
    """``1 data move, 0 leadership changes, 1 of 10 partitions``, and bytes where sizes are known."""
    changed, all_of_them = words.number(figures.partitions_changed), plan.cluster.n_partitions
    told = [
        words.plural(figures.data_moves, "data move"),
        *([words.size(figures.bytes_moved)] if figures.sizes_known else []),
        words.plural(figures.leadership_changes, "leadership change"),
        f"{changed} of {words.plural(all_of_them, 'partition')}",
        *([between] if (between := moved_words(plan)) else []),
    ]
    return ", ".join(told)


def level_table(plan: Plan, figures: Figures) -> RenderableType:
    """Least and greatest of each measure, before and after."""
    table = Grid("", "before", "after")
    for row in levels(plan, figures):
        table.add_row(row["title"], *(words.spread(row[side], row["form"]) for side in ("before", "after")))
    return Padding(table, (1, 0, 0, 2))


def brokers(plan: Plan, figures: Figures) -> RenderableType:
    """Each broker on a line, or all in one line where there are many."""
    rows = broker_rows(plan, figures)
    if len(rows) > MAX_BROKERS:
        return Padding(Text(broker_summary(rows), style="dim"), (1, 0, 0, 2))
    racked = plan.cluster.brokers.has_racks
    table = Grid(*(["broker", *(["rack"] if racked else []), "replicas", "leaders"]), left=1 + racked)
    for row in rows:
        changes = [change(*row[column]) for column in ("replicas", "leaders")]
        mark = {"added": " +", "emptied": " −"}.get(row["mark"], "")
        table.add_row(f"{row['id']}{mark}", *([row["rack"]] if racked else []), *changes)
    return Padding(table, (1, 0, 0, 2))


def broker_summary(rows: list[dict[str, Any]]) -> str:
    """``40 brokers: 32 give replicas, 8 take some; 8 added``."""
    gives = sum(row["replicas"][1] < row["replicas"][0] for row in rows)
    takes = sum(row["replicas"][1] > row["replicas"][0] for row in rows)
    marks = [
        f"{n} {mark}" for mark in ("added", "emptied") if (n := sum(row["mark"] == mark for row in rows))
    ]
    told = f"{len(rows)} brokers: {words.plural(gives, 'ends', 'end')} with fewer replicas, {takes} with more"
    return "; ".join([told, *marks])


def log_dirs(dirs: dict[str, Any]) -> RenderableType:
    """What is done with log dirs, and each of them where there are few."""
    told = [f"Log dirs: {dirs['sentence']}"]
    before, after = dirs["fullest"]
    if before is not None and after is not None:
        told.append(f"Fullest log dir: {words.percent(before)} above its share, {words.percent(after)} after")
    lines: list[RenderableType] = [Text(line) for line in told]
    if 0 < len(dirs["rows"]) <= MAX_BROKERS:
        table = Grid("log dir", "replicas", "bytes")
        for row in dirs["rows"]:
            mark = " −" if row["drained"] else ""
            sizes = [words.size(size) for size in row["bytes"]]
            size = Text(sizes[0], style="dim") if sizes[0] == sizes[1] else Text(" → ".join(sizes))
            table.add_row(f"{row['broker']}:{row['path']}{mark}", change(*row["replicas"]), size)
        lines.append(Padding(table, (1, 0, 0, 0)))
    return Padding(Group(*lines), (1, 0, 0, 2))


def change(before: int, after: int) -> Text:
    """``148 → 0``, quiet where nothing changes."""
    if before == after:
        return Text(words.number(after), style="dim")
    return Text(f"{words.number(before)} → {words.number(after)}")


def proof(plan: Plan) -> RenderableType:
    """One line for each goal: reached, at best, and whether that is proved."""
    table = Grid("goal", "reached", "at best", "", last="left")
    for row in certificate.rows(all_levels(plan), partial=is_partial(plan)):
        told = Text(row["told"], style="green" if row["standing"] in ("proved", "placement") else "yellow")
        table.add_row(row["goal"], words.number(row["value"], 2), words.number(row["lower_bound"], 2), told)
    beside = [f"{level.goal}: {more}" for level in plan.certificate if (more := certificate.elsewhere(level))]
    beside += [*copied(plan), *squares(plan), *plan.offers]
    return Padding(Group(table, *(Text(line, style="dim") for line in beside)), (1, 0, 0, 2))


def squares(plan: Plan) -> list[str]:
    """What the values mean that are no counts of anything, where they are not 0."""
    shown = {level.goal: words.goal_meaning(level.goal) for level in plan.certificate if level.value}
    return [f"{goal}: {meaning}" for goal, meaning in shown.items() if goal in words.SQUARED]


def copied(plan: Plan) -> list[str]:
    """What a value of bytes is as people say it, and whether any plan copies less."""
    known = plan.certificate
    told = {level.goal: certificate.in_sizes(level, known[:at]) for at, level in enumerate(known)}
    return [f"{goal}: {sentence}" for goal, sentence in told.items() if sentence]


def files(plan: Plan, out: Path) -> Text:
    """Where the plan is, and what to open or run next; each on a line of its own, to be copied."""
    lines = [f"\nWritten to {out}", f"Report in {out / 'report.html'}"]
    if not plan.is_empty:
        lines.append(f"Next: equipoise apply {out} --bootstrap-server HOST:PORT --dry-run")
    return Text("\n".join(lines), no_wrap=True, overflow="ignore")


def changes(plan: Plan) -> RenderableType:
    """Every change on a line, those that copy data first, then by topic and partition."""
    listed = moves_table(plan, len(plan.changed))
    table = Grid("partition", "before", "after", "why", left=4)
    for topic, partition, before, after, why in zip(
        *(listed[column] for column in ("topic", "partition", "before", "after", "why")), strict=True
    ):
        lists = (",".join(map(str, ids)) or "–" for ids in (before, after))
        table.add_row(f"{listed['topics'][topic]}-{partition}", *lists, listed["sentences"][why])
    return Padding(table, (1, 0, 0, 2))
