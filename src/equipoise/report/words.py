"""Numbers and names as a reader sees them; no face formats anything by itself."""

from __future__ import annotations

import math
from collections.abc import Sequence

from equipoise.wording import plural as plural

GOALS = {
    "racks": ("Rack rule", "replicas above what the rule allows in one rack"),
    "replicas": ("Replicas level", "distances from the band, squared: replicas of each broker"),
    "moves": ("Data moves", "replicas that have to be copied to a broker that does not hold them"),
    "topics": ("Topics level", "distances from the band, squared: replicas of each topic on each broker"),
    "leaders": ("Leaders level", "distances from the band, squared: preferred leaders of each broker"),
    "elections": ("Leadership changes", "partitions that get another preferred leader"),
    "topic-leaders": (
        "Leaders of each topic",
        "distances from the band, squared: leaders of each topic on each broker",
    ),
    "failover": (
        "After a failure",
        "distances from the band, squared: survivors' leaders after the loss of each broker",
    ),
    "reorders": ("Reorders", "partitions that keep their brokers in another order"),
    "positions": ("Positions level", "distances from the band, squared: each position of the replica lists"),
    "rack-leaders": (
        "Leaders of each rack",
        "distances from the band, squared: preferred leaders of each rack",
    ),
    "disk": ("Disk level", "how far brokers' bytes on disk lie outside the band"),
    "network-in": ("Inbound level", "how far brokers' inbound traffic lies outside the band"),
    "network-out": ("Outbound level", "how far brokers' outbound traffic lies outside the band"),
    "bytes": ("Bytes moved", "bytes that have to be copied"),
}
"""Goal → (short title, what its value counts)."""

PROOFS = {
    "flow-dual": "The solver hands over a price for every broker and rule; summed up over all partitions the"
    " prices show that no plan can score lower.",
    "closed-form": "Counted directly: what overfull or emptied brokers must give away, and what the others"
    " must take, already comes to this much in any plan.",
    "linear-program": "The solver hands over prices for standing on a broker and for leading there; summed up"
    " over all partitions they show that no plan needs fewer.",
    "branch-and-bound": "All plans are divided into cases, and in each of them the solver's prices show that"
    " none scores lower.",
    "integer-program": "An exact search over every possible plan found none that scores lower.",
    "given-placement": "The solver's prices show that no order of the lists scores lower where the replicas"
    " stand; whether another, equally good placement would is open.",
    "none": "No proof: this is the best that was found, and the bound is only what is certain.",
}
"""How a bound is known → a sentence for people who are no mathematicians."""

BOUNDS = {
    "flow-dual": "By the solver's prices none scores below “at best”; whether a plan reaches it is open.",
    "closed-form": "Counted directly, none scores below “at best”; whether a plan reaches it is open.",
    "linear-program": "By the solver's prices no plan needs fewer than “at best”; whether one does is open.",
    "branch-and-bound": "By the solver's prices none scores below “at best” in any case; whether a plan does"
    " as well is open.",
    "integer-program": "The exact search was stopped before it had ruled out everything between “at best” and"
    " this plan.",
}
"""The same where the plan does not reach the bound."""

MISSING = {
    "racks": "No source names racks, so nothing keeps two replicas of a partition out of one rack.",
    "sizes": "No source gives partition sizes, so moves are counted and their bytes are not known.",
    "rates": "No source gives produce and consume rates, so network load is not levelled.",
    "configs": "No source gives topic configs, so min.insync.replicas is not checked.",
    "capacities": "No source gives broker capacities, so all brokers count as equally large.",
}
"""What a cluster's sources did not tell → what follows from that."""


def goal_title(goal: str) -> str:
    return GOALS.get(goal, (goal.replace("-", " ").capitalize(), ""))[0]


def goal_meaning(goal: str) -> str:
    return GOALS.get(goal, ("", "the value of this goal"))[1]


def proof(kind: str, *, reached: bool) -> str:
    """How the bound of a goal is known, and whether the plan reaches it."""
    return PROOFS.get(kind, kind) if reached else BOUNDS.get(kind, PROOFS["none"])


def number(value: float | None, digits: int = 0) -> str:
    """``1234567.0`` → ``1,234,567``; "–" where not known. Digits only for what is not whole."""
    if value is None or math.isnan(value):
        return "–"
    if float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:,.{max(digits, 1)}f}"


def size(value: float | None) -> str:
    """Bytes in binary units: ``1536`` → ``1.5 KiB``."""
    if value is None or math.isnan(value):
        return "–"
    for unit in ("B", "KiB", "MiB", "GiB", "TiB"):
        if abs(value) < 1024:
            return f"{value:,.0f} {unit}" if unit == "B" or value >= 100 else f"{value:,.1f} {unit}"
        value /= 1024
    return f"{value:,.1f} PiB"


def rate(bytes_per_s: float) -> str:
    """Bytes a second in the decimal units that throttles are given in: ``5e7`` → ``50 MB/s``."""
    for unit in ("B", "kB", "MB"):
        if bytes_per_s < 1000:
            return f"{bytes_per_s:,.3g} {unit}/s"
        bytes_per_s /= 1000
    return f"{bytes_per_s:,.3g} GB/s"


def duration(seconds: float | None) -> str:
    """Two units at most: ``3725`` → ``1 h 2 min``."""
    if seconds is None or math.isnan(seconds):
        return "–"
    if seconds < 60:
        return f"{seconds:.1f} s" if 0 < seconds < 10 else f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    return f"{hours // 24} days {hours % 24} h"


def spread(ends: Sequence[float], form: str = "count") -> str:
    """``4,821 to 7,341``, or one number where both ends are the same."""
    (low, high), show = ends, size if form == "bytes" else number
    return show(low) if low == high else f"{show(low)} to {show(high)}"


def percent(fraction: float) -> str:
    """A gap as a percentage that never rounds up to nothing: ``0.00003`` → ``<0.01 %``."""
    if fraction <= 0:
        return "0 %"
    if fraction < 0.0001:
        return "<0.01 %"
    return f"{fraction * 100:.2f} %" if fraction < 0.1 else f"{fraction * 100:,.0f} %"
