"""`--max-fill`: how full what moves may make a broker, of what it has capacity for."""

from __future__ import annotations

import numpy as np

from equipoise.cluster.brokers import CAPACITIES, IntArray
from equipoise.cluster.rates import LEADERS_BEAR, borne, room
from equipoise.errors import UnusableInput
from equipoise.planning.problem.problem import Problem
from equipoise.planning.rules.answer import Answer, some
from equipoise.planning.rules.draft import Draft
from equipoise.planning.rules.interface import BoolArray, LoadRule, Option
from equipoise.wording import plural

ADVICE = {
    "disk": "kafka-log-dirs --describe gives sizes",
    "network-in": "Rates come from metrics, Cruise Control's partition_load, or sizes with retention.ms",
    "network-out": "Rates come from metrics or Cruise Control's partition_load, or --consumption says them",
    "cpu": "Cruise Control's partition_load gives CPU figures",
}
"""Who tells what partitions bear."""


class MaxFill(LoadRule):
    """No broker that receives something ends above its limit; one that is above it gives away first.

    Of what leaders alone bear a broker receives something where it comes to lead.
    """

    name = "max-fill"
    bearer = "broker"
    options = (
        Option("max-fill", "How full moves may make a broker: 85% of its disk, or disk:85%,cpu:70%."),
    )

    def lay(self, draft: Draft) -> None:
        """Nothing is closed; but capacities and figures have to be known."""
        cluster = draft.cluster
        for load in draft.request.fills:
            capacity = getattr(cluster.brokers, CAPACITIES[load])
            unknown = np.flatnonzero(draft.eligible & ~(np.isfinite(capacity) & (capacity > 0)))
            if len(unknown):
                raise UnusableInput(
                    f"the {load} capacity of {plural(len(unknown), 'broker')} is not known "
                    f"(broker {cluster.brokers.ids[unknown[0]]} is the first)",
                    source="--max-fill",
                    advice="A brokers file, or Cruise Control's capacity file, gives capacities",
                )
            figure = borne(cluster, load, draft.rf, draft.request.consumption)
            rows = np.flatnonzero(np.isnan(figure) & (cluster.rf > 0))
            if len(rows):
                raise UnusableInput(
                    f"what {plural(len(rows), 'partition')} bear is not known "
                    f"({cluster.label(int(rows[0]))} is the first)",
                    source="--max-fill",
                    advice=ADVICE[load],
                )

    def broken(self, answer: Answer) -> BoolArray:
        """Lists that come to a broker above its limit; of some lists alone nobody can say it."""
        if answer.only is not None:
            return answer.none
        broken = answer.none
        for load in answer.problem.request.fills:
            comes = answer.held.copy()
            for k in range(1 if load in LEADERS_BEAR else answer.before.shape[1]):
                comes &= answer.lists != answer.before[:, k : k + 1]
            if load in LEADERS_BEAR:
                comes[:, 1:] = False
            broken = broken | some(comes & answer.on(overfull(answer.problem, answer.lists, load)))
        return broken

    def refusal(self, answer: Answer) -> str | None:
        return "it fills brokers above --max-fill" if self.broken(answer).any() else None


MAX_FILL = MaxFill()


def percents(problem: Problem) -> dict[str, float]:
    """How full brokers may be, in percent of their capacity, by load."""
    return problem.request.fills


def overfull(problem: Problem, lists: IntArray, load: str) -> BoolArray:
    """``(n_brokers,)``: brokers above the limit of a load, of those that may hold, or lead, something."""
    cluster, request = problem.cluster, problem.request
    weight = np.nan_to_num(borne(cluster, load, problem.rf, request.consumption)).astype(np.int64)
    held = np.zeros(cluster.n_brokers, dtype=np.int64)
    for k in range(1 if load in LEADERS_BEAR else lists.shape[1]):
        there = lists[:, k] >= 0
        np.add.at(held, lists[there, k], weight[there])
    bears = problem.leads if load in LEADERS_BEAR else problem.eligible
    return bears & (held > room(cluster.brokers, load, request.fills[load]))


def fills_too_much(problem: Problem, lists: IntArray) -> bool:
    """True where lists leave a broker above a limit; without data moves of what leaders bear alone."""
    loads = (load for load in percents(problem) if load in LEADERS_BEAR or not problem.stays)
    return any(overfull(problem, lists, load).any() for load in loads)
