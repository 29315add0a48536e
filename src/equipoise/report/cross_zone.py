"""What crosses racks and what it costs, in sentences."""

from __future__ import annotations

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
    before, after = facts["replication_bytes_per_s"]
    if before is None or after is None:
        return [*told, "Replication between racks: no source tells what is written"]
    monthly = [f"{cost:,.2f}" for cost in facts["replication_cost_per_month"]]
    told.append(
        f"Replication between racks: {words.rate(before)} before, {words.rate(after)} after; "
        f"{monthly[0]} and {monthly[1]} a month {at}{unknown(facts['rates_unknown'], 'inbound rate')}"
    )
    return told


def unknown(count: int, what: str) -> str:
    """What is not in a sum."""
    return f" (without {words.plural(count, 'partition')} of unknown {what})" if count else ""
