"""Numbers and names as a reader sees them; no face formats anything by itself."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from equipoise.cluster.proofs import ProofKind
from equipoise.planning.goals import GOALS as PLANNED
from equipoise.planning.telling.written import SQUARED as SQUARED
from equipoise.planning.telling.written import apart_words as apart_words
from equipoise.planning.telling.written import written as written
from equipoise.wording import plural as plural
from equipoise.wording import size as size

GOALS = {
    **{goal.name: (goal.title, goal.meaning) for goal in PLANNED.values()},
    "disk": ("Disk level", "how far brokers' bytes on disk lie outside the band"),
    "network-in": ("Inbound level", "how far brokers' inbound traffic lies outside the band"),
    "leaders-in": ("Leaders' inbound level", "how far what producers send to leaders lies outside the band"),
    "replication-out": ("Replication level", "how far what leaders send to followers lies outside the band"),
    "network-out": ("Outbound level", "how far brokers' outbound traffic lies outside the band"),
    "cpu": ("CPU level", "how far brokers' CPU for what they lead lies outside the band, in 0.000001 %"),
    "log-dirs": ("Log dir level", "bytes that log dirs hold outside their bands"),
    "log-dir-bytes": ("Bytes between log dirs", "bytes that are copied between the log dirs of a broker"),
    "log-dir-replicas": ("Log dir level", "replicas that log dirs hold outside their bands"),
    "log-dir-moves": ("Moves between log dirs", "replicas that change their log dir on their broker"),
}
"""Goal → (short title, what its value counts)."""

BOUNDS = {
    ProofKind.FLOW_DUAL: "By the solver's prices none scores below “at best”; whether a plan reaches it is"
    " open.",
    ProofKind.CLOSED_FORM: "Counted directly, none scores below “at best”; whether a plan reaches it is"
    " open.",
    ProofKind.LINEAR_PROGRAM: "By the solver's prices no plan needs fewer than “at best”; whether one does is"
    " open.",
    ProofKind.BRANCH_AND_BOUND: "By the solver's prices none scores below “at best” in any case; whether a"
    " plan does as well is open.",
    ProofKind.INTEGER_PROGRAM: "The exact search was stopped before it had ruled out everything between “at"
    " best” and this plan.",
}
"""How a bound is known → a sentence for a plan that does not reach it."""

CHECKS = {
    "changes_in_assignment": "no partition exchanges more than one replica",
    "topics_are_balanced": "each broker's replicas are within 15 % of the median, or one",
    "brokers_to_reduce": "only brokers of the cluster give replicas away",
    "brokers_in_assign_files": "only brokers that may hold replicas get any",
    "topic_list_not_empty": "there are topics",
    "brokers_list_not_empty": "there are brokers",
    "leadership_balance": "each broker's leaders are within 15 % of the median, or one",
}
"""Check of `equipoise.judge.checks` → what it asks, as a sentence."""

MISSING = {
    "racks": "No source names racks, so nothing keeps two replicas of a partition out of one rack.",
    "sizes": "No source gives partition sizes, so moves are counted and their bytes are not known.",
    "rates": "No source gives produce and consume rates, so network load is not levelled.",
    "configs": "No source gives min.insync.replicas, so it is not checked.",
    "capacities": "No source gives broker capacities, so all brokers count as equally large.",
}
"""What a cluster's sources did not tell → what follows from that."""


def goal_title(goal: str) -> str:
    return GOALS.get(goal, (goal.replace("-", " ").capitalize(), ""))[0]


def may_be_better(goal: str, most: float) -> str:
    """What a headline says of a goal at which a plan may be better by so much: of what is counted its number.

    ``at most 6 data moves from the best``, ``disk level at most 1.2 GiB from the best``, ``leaders may be
    more level``.
    """
    title = goal_title(goal).lower()
    nouns = PLANNED[goal].nouns if goal in PLANNED else None
    if goal in PLANNED and PLANNED[goal].in_bytes:
        return f"at most {size(most)} from the best"
    if nouns is not None:
        return f"at most {plural(round(most), *nouns)} from the best"
    if goal not in PLANNED:
        return f"{title} at most {written(goal, most)} from the best"
    return f"{title.removesuffix(' level')} may be more level"


def goal_meaning(goal: str) -> str:
    return GOALS.get(goal, ("", "the value of this goal"))[1]


def proof(kind: str, *, reached: bool) -> str:
    """How the bound of a goal is known, and whether the plan reaches it; a kind that is none says itself."""
    if kind not in set(ProofKind):
        return kind
    known = ProofKind(kind)
    return known.sentence if reached else BOUNDS.get(known, ProofKind.NONE.sentence)


def number(value: float | None, digits: int = 0) -> str:
    """``1234567.0`` → ``1,234,567``; "–" where not known. Digits only for what is not whole."""
    if value is None or math.isnan(value):
        return "–"
    if float(value).is_integer():
        return f"{int(value):,}"
    return f"{value:,.{max(digits, 1)}f}"


def rate(bytes_per_s: float | None) -> str:
    """Bytes a second in the decimal units that throttles are given in: ``5e7`` → ``50 MB/s``."""
    if bytes_per_s is None or math.isnan(bytes_per_s):
        return "–"
    for unit in ("B", "kB", "MB"):
        if bytes_per_s < 1000:
            return f"{bytes_per_s:,.3g} {unit}/s"
        bytes_per_s /= 1000
    return f"{bytes_per_s:,.3g} GB/s"


def decimal_size(value: float) -> str:
    """Bytes in decimal units, for a sentence that has a throttle in them: ``3.09e11`` → ``309 GB``."""
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if value < 999.5:
            return f"{value:,.3g} {unit}"
        value /= 1000
    return f"{value:,.3g} PB"


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


def spread(ends: Sequence[float] | None, form: str = "count") -> str:
    """``4,821 to 7,341``, or one number where both ends are the same; "not known" where they are not."""
    if ends is None:
        return "not known"
    low, high = ends
    return in_form(low, form) if low == high else f"{in_form(low, form)} to {in_form(high, form)}"


def signed_percent(value: float | None) -> str:
    """Percent above or below something: ``-12.34`` → ``−12.3 %``."""
    if value is None:
        return "–"
    return f"{'−' if value < 0 else '+' if value > 0 else ''}{number(abs(round(value, 1)))} %"


def percent(fraction: float) -> str:
    """A gap as a percentage that never rounds up to nothing: ``0.00003`` → ``<0.01 %``."""
    if fraction <= 0:
        return "0 %"
    if fraction < 0.0001:
        return "<0.01 %"
    return f"{fraction * 100:.2f} %" if fraction < 0.1 else f"{fraction * 100:,.0f} %"


FORMS: dict[str, Callable[[float | None], str]] = {
    "count": number,
    "bytes": size,
    "rate": rate,
    "percent": signed_percent,
}
"""The form of a figure → how every face writes it."""


def in_form(value: float | None, form: str) -> str:
    """A figure in its form; a form that is none of `FORMS` names what is counted."""
    return FORMS.get(form, number)(value)
