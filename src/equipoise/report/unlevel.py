"""Why brokers do not end level, in a sentence: the rack rule and racks of different sizes, or a budget."""

from __future__ import annotations

from itertools import groupby

import numpy as np

from equipoise.cluster import Plan
from equipoise.report import words
from equipoise.report.figures import Figures

NAMED = 6
"""Racks that are named one by one at most."""


def why_unlevel(plan: Plan, figures: Figures) -> str:
    """``Rack b has 7 brokers, a and c have 8, and the rack rule puts 600 replicas into b.``

    "" where brokers end level, and where the cause is another than these two.
    """
    low, high = figures.after.spread("replicas")
    if high - low <= 1 or np.ptp(plan.cluster.brokers.weight[plan.eligible]) > 0:
        return ""
    return by_racks(plan, figures) or by_budget(plan, figures)


def by_racks(plan: Plan, figures: Figures) -> str:
    """Where a rack holds just what the rule forces into it, or lets into it, and that is no equal share."""
    brokers = plan.cluster.brokers
    if figures.after.rack_violations != 0 or not brokers.racked[plan.eligible].all():
        return ""
    sizes = np.bincount(brokers.rack_idx[plan.eligible], minlength=len(brokers.rack_names))
    racks = np.flatnonzero(sizes)
    if len(racks) < 2:
        return ""
    held = np.bincount(brokers.rack_idx, weights=figures.after.replicas, minlength=len(sizes))
    factor = (plan.target >= 0).sum(axis=1)
    most = np.ones_like(factor) if plan.request.get("rack_rule") == "strict" else -(-factor // len(racks))
    forced, let = np.maximum(0, factor - (len(racks) - 1) * most).sum(), most.sum()
    share = held[racks].sum() / sizes[racks].sum()
    means = held[racks] / sizes[racks]
    full, empty = racks[means.argmax()], racks[means.argmin()]
    if held[full] == forced and forced > sizes[full] * np.ceil(share):
        told, name = sized(plan, sizes, full), brokers.rack_names[full]
        return f"{told}, and the rack rule puts {words.number(forced)} replicas into {name}."
    if held[empty] == let and let < sizes[empty] * np.floor(share):
        told, name = sized(plan, sizes, empty), brokers.rack_names[empty]
        return f"{told}, and the rack rule lets {words.number(let)} replicas into {name}."
    return ""


def sized(plan: Plan, sizes: np.ndarray[tuple[int], np.dtype[np.int64]], first: int) -> str:
    """``Rack b has 7 brokers, a and c have 8``: that rack, and the others by their size."""
    names = plan.cluster.brokers.rack_names
    others = sorted((int(sizes[rack]), names[rack]) for rack in np.flatnonzero(sizes) if rack != first)
    told = f"Rack {names[first]} has {words.plural(int(sizes[first]), 'broker')}"
    if len(others) > NAMED:
        least, most = others[0][0], others[-1][0]
        return f"{told}, the other {len(others)} have {words.spread((least, most))}"
    for size, same in groupby(others, key=lambda other: other[0]):
        listed = [name for _, name in same]
        told += f", {' and '.join([', '.join(listed[:-1])] * (len(listed) > 1) + listed[-1:])} "
        told += f"{'has' if len(listed) == 1 else 'have'} {size}"
    return told


def by_budget(plan: Plan, figures: Figures) -> str:
    """Where every move that is allowed is made."""
    allowed = plan.request.get("max_moves")
    if allowed is None or figures.data_moves < int(allowed):
        return ""
    return f"All {words.plural(int(allowed), 'data move')} that --max-moves allows are made."
