"""The whole plan in a few sentences: what it brings, what it costs, how good it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from equipoise.planning.goals.moves import Moves
from equipoise.planning.goals.replicas import Replicas
from equipoise.report import words

if TYPE_CHECKING:
    from equipoise.scheduling import Schedule


def clause(data: dict[str, Any], schedule: Schedule | None) -> str:
    """The verdict in a line: ``Replicas level; 309 GB in about 4 h at 20 MB/s; proved best; 2 warnings.``"""
    if not data["headline"]["partitions_changed"]:
        return ""
    low, high = data["levels"][0]["after"]
    warnings = len(data["warnings"])
    level = f"replicas level to within {words.number(high - low)}" if high > low else "replicas level"
    parts = [
        level if data["alike"] else "",
        price(data["headline"], schedule),
        proof(data),
        words.plural(warnings, "warning") if warnings else "",
    ]
    told = "; ".join(filter(None, parts))
    return f"{told[0].upper()}{told[1:]}."


def proof(data: dict[str, Any]) -> str:
    """How good it is; where all is proved, in the words of what people pay."""
    at = {row["goal"]: row["standing"] for row in data["certificate"]}
    best = data["verdict"]["state"] == "best" and at.get(Moves.name) == at.get(Replicas.name) == "proved"
    badge: str = data["verdict"]["badge"]
    return f"{badge}, no plan as level moves less" if best else badge


def price(headline: dict[str, Any], schedule: Schedule | None) -> str:
    """What is copied and in which time; bytes in the decimal units that throttles are given in."""
    moves, size = headline["data_moves"], headline["bytes_moved"]
    if not moves:
        return "no data is copied"
    copied = words.plural(moves, "data move") if size is None else words.decimal_size(size)
    if schedule is None or not schedule.seconds < float("inf"):
        return copied if size is None else f"{copied} to copy"
    pace = schedule.throttle_bytes_per_s
    at = "" if pace is None else f" at {words.rate(pace)}"
    return f"{copied} in about {words.duration(schedule.seconds)}{at}"


def story(data: dict[str, Any], schedule: Schedule | None) -> list[str]:
    """Sentences for the top of the page, from its own figures; none for a plan that changes nothing."""
    if not data["headline"]["partitions_changed"]:
        return []
    told = [
        brought(data["levels"][0]),
        *filter(None, [data["unlevel"]]),
        cost(data["headline"]),
        data["verdict"]["sentence"],
    ]
    held = 0 if schedule is None else len(schedule.blocked)
    if held:
        told.append(f"{words.plural(held, 'partition has', 'partitions have')} no legal moment to move.")
    return told


def brought(level: dict[str, Any]) -> str:
    """``Replicas on a broker: 0 to 222 before, 150 after.``"""
    before, after = (words.spread(level[side], level["form"]) for side in ("before", "after"))
    return f"{level['title']}: {before} before, {after} after."


def cost(headline: dict[str, Any]) -> str:
    """Who is copied, and who leads elsewhere."""
    moves, elections = headline["data_moves"], headline["leadership_changes"]
    copied = "No data is copied"
    if moves:
        copied = f"{words.plural(moves, 'replica is', 'replicas are')} copied to another broker"
    leaders = "no leader changes"
    if elections:
        leaders = f"{words.plural(elections, 'partition gets', 'partitions get')} another leader"
    return f"{copied}; {leaders}."
