"""From a cluster and a request to a problem: the request laid over the cluster, rule by rule."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equipoise.cluster import Cluster
from equipoise.cluster.brokers import CAPACITIES
from equipoise.cluster.rates import inbound, outbound
from equipoise.errors import UnusableInput
from equipoise.planning.goals import GOALS
from equipoise.planning.problem.problem import RATES, Problem
from equipoise.planning.problem.rates import derived
from equipoise.planning.problem.request import EVERYTHING, Request
from equipoise.planning.request.extension import with_brokers, with_partitions
from equipoise.planning.request.goal_order import ordered_goals
from equipoise.planning.request.part import of_a_part, refuse_part
from equipoise.planning.request.remarks import refuse_contradictions, remarks
from equipoise.planning.rules import RULES
from equipoise.planning.rules.draft import Draft

TIMES = 1_000_000
"""Brokers share by whole numbers: with weights farther apart those of all replicas would not fit 64 bits."""
TEN = "10:10"
"""Sides of the bands of ``--balance all``, in percent."""


def build_problem(cluster: Cluster, request: Request) -> Problem:
    """Lay ``request`` over ``cluster``; raises :class:`UnusableInput` for what cannot be meant."""
    refuse_contradictions(request)
    refuse_part(cluster, request)
    rates_matter = looks_at_rates(request)
    if request.mix == (EVERYTHING,):
        request = replace(request, balance=everything(cluster, request.consumption))
    draft = Draft.of(with_partitions(with_brokers(cluster, request), request), request)
    refuse_far_apart(draft.cluster)
    for rule in RULES:
        rule.lay(draft)
    if request.partial:
        draft.warnings.insert(0, of_a_part(cluster))
    draft.warnings += remarks(draft)
    draft.warnings += cluster.doubts
    if rates_matter:
        draft.warnings += derived(draft.cluster)
    lowered = bool((draft.rf < draft.cluster.rf).any())
    goals = ordered_goals(request, draft.cluster, lowered=lowered)
    draft.warnings += filter(None, (GOALS[goal].untold(draft.cluster) for goal in goals))
    return draft.freeze(goals)


def refuse_far_apart(cluster: Cluster) -> None:
    """Raise `UnusableInput` where a broker has more than `TIMES` the weight or capacity of another."""
    brokers = cluster.brokers
    columns = {"weight": brokers.weight} | {
        f"{load} capacity": getattr(brokers, column) for load, column in CAPACITIES.items()
    }
    for what, column in columns.items():
        known = np.flatnonzero(np.isfinite(column) & (column > 0))
        if len(known) and column[known].max() / TIMES > column[known].min():
            most, least = known[column[known].argmax()], known[column[known].argmin()]
            raise UnusableInput(
                f"its {what} is more than {TIMES:,} times that of broker {brokers.ids[least]}",
                source=cluster.name,
                place=f"broker {brokers.ids[most]}",
                advice="Correct one of the two",
            )


def everything(cluster: Cluster, consumption: float | None) -> tuple[str, ...]:
    """Every load that the sources tell of all partitions, each with a band of 10 % on both sides."""
    figures = {
        "disk": cluster.size_bytes,
        "network-in": inbound(cluster),
        "network-out": inbound(cluster) + outbound(cluster, consumption),
        "cpu": cluster.cpu_percent,
    }
    known = [name for name, column in figures.items() if not np.isnan(column).any()]
    return tuple(f"{name}:{TEN}" for name in ("count", "leaders", *known))


def looks_at_rates(request: Request) -> bool:
    """True where what comes into partitions plays a part."""
    return request.strategy == "capacity" or not {EVERYTHING, *RATES}.isdisjoint(request.mix)
