"""The whole plan in a few sentences: what it brings, what it costs, how good it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from equipoise.report import words

if TYPE_CHECKING:
    from equipoise.scheduling import Schedule


def story(data: dict[str, Any], schedule: Schedule | None) -> list[str]:
    """Sentences for the top of the page, from its own figures; none for a plan that changes nothing."""
    if not data["headline"]["partitions_changed"]:
        return []
    told = [
        brought(data["levels"][0]),
        *filter(None, [data["unlevel"]]),
        cost(data["headline"]),
        *time(schedule),
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
    """What is copied, and who leads elsewhere."""
    moves, elections = headline["data_moves"], headline["leadership_changes"]
    copied = "No data is copied"
    if moves:
        size = headline["bytes_moved"]
        copied = f"{words.plural(moves, 'replica is', 'replicas are')} copied to another broker"
        copied += "" if size is None else f", {words.size(size)}"
    leaders = "no leader changes"
    if elections:
        leaders = f"{words.plural(elections, 'partition gets', 'partitions get')} another leader"
    return f"{copied}; {leaders}."


def time(schedule: Schedule | None) -> list[str]:
    """How long it takes, where that is known."""
    if schedule is None or not schedule.seconds < float("inf"):
        return []
    throttle = schedule.throttle_bytes_per_s
    pace = "without a throttle" if throttle is None else f"at {words.rate(throttle)} a broker each way"
    return [f"It takes about {words.duration(schedule.seconds)} {pace}."]
