"""Why a plan changes a partition or a broker, in the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from equipoise.report import words
from equipoise.report.explained import MOST
from equipoise.report.grid import Grid


def explain_table(data: Mapping[str, Any], *, all_of_them: bool = False) -> RenderableType:
    """What ``equipoise explain`` prints; ``all_of_them``: every other list, and every broker and reason."""
    of = partition_lines if "partition" in data else broker_lines
    return Group(*of(data, 10**9 if all_of_them else MOST))


def partition_lines(data: Mapping[str, Any], most: int) -> Iterator[RenderableType]:
    """What happens, whose levels decide, and what else was possible."""
    lists = [",".join(map(str, data[side])) or "–" for side in ("before", "after")]
    size = f", {words.size(data['bytes'])} to copy" if data["bytes"] else ""
    moved = [
        f"on broker {one['broker']} {one['from']} → {one['to']}: {one['why']}" for one in data["log_dirs"]
    ]
    if not data["why"]:
        told = f" keeps its list: {lists[0]}" if moved else f" stays as it is: {lists[0]}"
        yield Text.assemble((data["partition"], "bold"), told)
        yield from map(Text, moved)
        return
    yield Text.assemble((data["partition"], "bold"), f" {data['what']}: {lists[0]} → {lists[1]}{size}")
    yield Text(f"because {data['why']}")
    yield from map(Text, moved)
    levels = [("leaves", one) for one in data["leaves"]] + [("comes to", one) for one in data["comes_to"]]
    if levels:
        yield Padding(level_table(levels), (1, 0, 0, 2))
    if data["otherwise"]:
        yield Padding(others(data["otherwise"], most), (1, 0, 0, 2))


def level_table(levels: Sequence[tuple[str, Mapping[str, Any]]]) -> Grid:
    """A line for each broker that a replica leaves or comes to."""
    table = Grid("", "broker", "rack", "replicas", "its band", "leaders", "its band")
    for what, one in levels:
        table.add_row(
            what, str(one["broker"]), one["rack"] or "–", arrow(one["replicas"]), band(one["replicas_band"]),
            arrow(one["leaders"]), band(one["leaders_band"]),
        )  # fmt: skip
    return table


def arrow(ends: Sequence[int]) -> str:
    """``4 → 5``, or one number where nothing changes."""
    before, after = map(words.number, ends)
    return before if before == after else f"{before} → {after}"


def band(ends: Sequence[int] | None) -> str:
    return "–" if ends is None else words.spread(ends)


def others(tried: Sequence[Mapping[str, Any]], most: int) -> RenderableType:
    """The first lists that could be instead, each with what that would break or cost; the rest counted."""
    table = Grid("instead", "", left=2)
    for one in tried[:most]:
        table.add_row(",".join(map(str, one["list"])), one["sentence"])
    rest = Counter(kind(one) for one in tried[most:])
    lines = [Text(f"{words.plural(n, 'more list')} {what}", style="dim") for what, n in sorted(rest.items())]
    return Group(table, *lines)


def kind(one: Mapping[str, Any]) -> str:
    """What is told of lists that are only counted."""
    if one["breaks"]:
        return f"would break the rule {one['breaks']}"
    return f"would differ at {one['goal']}" if one["goal"] else "would be as good"


def broker_lines(data: Mapping[str, Any], most: int) -> Iterator[RenderableType]:
    """Levels, reasons, and with whom it exchanges replicas."""
    rack = f" in rack {data['rack']}" if data["rack"] else ""
    state = "" if data["may_hold"] else ", to be emptied"
    down = f", not alive ({data['down']})" if data["down"] else ""
    yield Text.assemble((f"broker {data['broker']}", "bold"), f"{rack}{state}{down}")
    table = Grid("", "before → after", "its band")
    for title in ("replicas", "leaders"):
        table.add_row(title, arrow(data[title]), band(data[f"{title}_band"]))
    yield Padding(table, (1, 0, 0, 2))
    moved = [exchange("gives", data["gives"], "to", most), exchange("takes", data["takes"], "from", most)]
    lines = [f"{words.plural(row['partitions'], 'change')}: {row['why']}" for row in data["reasons"][:most]]
    if len(data["reasons"]) > most:
        rest = sum(row["partitions"] for row in data["reasons"][most:])
        lines.append(f"{words.plural(rest, 'change')} for other reasons (--verbose lists all)")
    if not lines:
        moved = ["no partition on it changes"]
    yield Padding(Group(*map(Text, [*moved, *lines])), (1, 0, 0, 2))


def exchange(verb: str, side: Mapping[str, Any], way: str, most: int) -> str:
    """``gives 3 replicas, to 1 (2), 4 (1)``."""
    named = ", ".join(f"{one['broker']} ({words.number(one['replicas'])})" for one in side[way][:most])
    more = f" and {len(side[way]) - most} others" if len(side[way]) > most else ""
    added = side.get("added", 0)
    told = f"{verb} {words.plural(side['replicas'], 'replica')}"
    told += f", {words.number(added)} of them added copies" if added else ""
    return told + (f", {way} broker {named}{more}" if named else "")
