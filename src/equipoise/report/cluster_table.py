"""A cluster as it is, in the terminal: what to know first, then loads, racks, brokers, topics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from equipoise.report import words
from equipoise.report.cluster_data import LOADS
from equipoise.report.grid import Grid
from equipoise.report.tables import MAX_BROKERS

WORST = 5
"""Topics that are shown; ``--json`` has more."""
UNWELL = (
    ("without_leader", "without a leader"),
    ("under_replicated", "under-replicated"),
    ("under_min_isr", "below min.insync.replicas"),
    ("led_by_another", "led by another than the preferred leader"),
    ("cannot_move", "that Kafka cannot move now"),
)
NAMED = 5
"""Partitions that a line names."""


def cluster_table(data: Mapping[str, Any], *, all_of_them: bool = False) -> RenderableType:
    """What ``equipoise show`` prints; ``all_of_them``: every broker and topic, however many."""
    return Group(
        *(Text(line, style="yellow") for line in data["warnings"]),
        headline(data),
        load_table(data),
        *unwell(data),
        *(rack_table(data) if data["racks"] else []),
        *broker_table(data, MAX_BROKERS if not all_of_them else len(data["brokers"])),
        *topic_table(data, WORST if not all_of_them else len(data["topics"])),
        *missing(data),
    )


def headline(data: Mapping[str, Any]) -> Text:
    """``orders: 5 brokers in 3 racks, 1 topic, 6 partitions, 18 replicas``."""
    counts = data["counts"]
    racks = f" in {words.plural(counts['racks'], 'rack')}" if counts["racks"] else ""
    nouns = [words.plural(counts[f"{noun}s"], noun) for noun in ("topic", "partition", "replica")]
    return Text.assemble(
        (data["cluster"], "bold"), f": {words.plural(counts['brokers'], 'broker')}{racks}, ", ", ".join(nouns)
    )


def load_table(data: Mapping[str, Any]) -> RenderableType:
    """Least, equal share and most of each load that is known."""
    table = Grid("on a broker", "least", "equal share", "most", "on", "skew", importance=(0, 3, 1, 5, 4, 2))
    for load in data["loads"]:
        if load["most"] is not None:
            skew = "–" if load["skew"] is None else f"{load['skew']:.2f}"
            ends = [words.in_form(load[key], load["unit"]) for key in ("least", "share", "most")]
            table.add_row(load["title"], *ends, str(load["most_on"]), skew)
    return Padding(table, (1, 0, 0, 2))


def unwell(data: Mapping[str, Any]) -> Iterator[RenderableType]:
    """A line for each way in which partitions are unwell or break the rack rule; none where all is well."""
    found = [(data["health"][key], what) for key, what in UNWELL]
    found.append((data["racks_broken"], "with more replicas in a rack than the rule allows"))
    lines = [
        f"{words.plural(counted['partitions'], 'partition')} {what}: {some(counted)}"
        for counted, what in found
        if counted and counted["partitions"]
    ]
    if lines:
        yield Padding(Group(*(Text(line, style="yellow") for line in lines)), (1, 0, 0, 2))


def some(counted: Mapping[str, Any]) -> str:
    """The first partitions by name."""
    more = counted["partitions"] - NAMED
    return ", ".join(counted["first"][:NAMED]) + (f" and {words.number(more)} more" if more > 0 else "")


def rack_table(data: Mapping[str, Any]) -> Iterator[RenderableType]:
    """What each rack holds."""
    shown = [load for load in LOADS if load[0] in data["racks"][0]]
    table = Grid("rack", "brokers", *(title.lower() for _, title, _ in shown))
    for row in data["racks"]:
        cells = (words.in_form(row[key], unit) for key, _, unit in shown)
        table.add_row(row["rack"], words.number(row["brokers"]), *cells)
    yield Padding(table, (1, 0, 0, 2))


def broker_table(data: Mapping[str, Any], most: int) -> Iterator[RenderableType]:
    """A line for each broker, where there are no more than ``most``."""
    if len(data["brokers"]) > most:
        return
    racked = any(row["rack"] is not None for row in data["brokers"])
    shown = [load for load in LOADS if data["brokers"][0][load[0]] is not None] if data["brokers"] else []
    table = Grid(
        "broker", *(["rack"] if racked else []), *(title.lower() for _, title, _ in shown), left=1 + racked
    )
    for row in data["brokers"]:
        name = f"{row['id']}{' down' if row['down'] else ''}"
        cells = (words.in_form(row[key], unit) for key, _, unit in shown)
        table.add_row(name, *([row["rack"] or "–"] if racked else []), *cells)
    yield Padding(table, (1, 0, 0, 2))


def topic_table(data: Mapping[str, Any], most: int) -> Iterator[RenderableType]:
    """The topics that lie least evenly."""
    if not data["topics"]:
        return
    table = Grid("least even topics", "partitions", "replicas", "most on", "leaders", "most on", "uneven")
    for row in data["topics"][:most]:
        table.add_row(
            row["topic"], words.number(row["partitions"]), words.number(row["most_replicas"]),
            str(row["most_replicas_on"]), words.number(row["most_leaders"]), str(row["most_leaders_on"]),
            words.number(row["uneven"]),
        )  # fmt: skip
    yield Padding(table, (1, 0, 0, 2))


def missing(data: Mapping[str, Any]) -> Iterator[RenderableType]:
    """What no source tells, and what was found while reading."""
    lines = [*(entry["then"] for entry in data["missing"]), *data["notes"]]
    if lines:
        yield Padding(Group(*(Text(line, style="dim") for line in lines)), (1, 0, 0, 2))
