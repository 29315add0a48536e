"""What crosses racks and what it costs, in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from equipoise.cluster import Plan
from equipoise.files.cross_zone import cross_zone
from equipoise.report import words


def zone_words(plan: Plan) -> list[str]:
    """One sentence for copies and one for standing replication; none where no price was given or nothing
    known."""
    facts = cross_zone(plan)
    if facts is None or facts["copies"] is None:
        return []
    at = f"at {facts['price_per_gb']:g} a GB"
    told = [f"Copies to another rack: {words.plural(facts['copies'], 'replica')}"]
    if facts["copied_bytes"] is not None:
        told[0] += f", {words.size(facts['copied_bytes'])}, {facts['copies_cost']:,.2f} {at}"
    told[0] += unknown(facts["sizes_unknown"], "size")
    replicated = standing("Replication between racks", facts, "replication", "written")
    if facts["replication_bytes_per_s"][0] is not None:
        replicated += unknown(facts["rates_unknown"], "inbound rate")
    told.append(replicated)
    if "consumers_bytes_per_s" in facts:
        told.append(standing("Consumers in another rack than the leader", facts, "consumers", "read"))
    return told


def standing(what: str, facts: Mapping[str, Any], key: str, done: str) -> str:
    """What goes on for ever, before and after."""
    before, after = facts[f"{key}_bytes_per_s"]
    if before is None or after is None:
        return f"{what}: no source tells what is {done}"
    monthly = [f"{cost:,.2f}" for cost in facts[f"{key}_cost_per_month"]]
    return (
        f"{what}: {words.rate(before)} before, {words.rate(after)} after; "
        f"{monthly[0]} and {monthly[1]} a month at {facts['price_per_gb']:g} a GB"
    )


def unknown(count: int, what: str) -> str:
    """What is not in a sum."""
    return f" (without {words.plural(count, 'partition')} of unknown {what})" if count else ""
