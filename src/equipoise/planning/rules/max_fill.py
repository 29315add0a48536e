"""`--max-fill`: how full what moves may make a broker, of what it has capacity for."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.errors import UnusableInput
from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.rates import inbound
from equipoise.planning.rules.answer import Answer, some
from equipoise.planning.rules.draft import Draft
from equipoise.planning.rules.interface import BoolArray, Option, Role, Rule
from equipoise.planning.rules.ways import Trial, Way
from equipoise.wording import plural

CAPACITIES = {"disk": "disk_bytes", "network-in": "bytes_in_per_s"}


class MaxFill(Rule):
    """No broker that receives something ends above its limit; one that is above it gives away first."""

    name = "max-fill"
    role = Role.CONDITION
    options = (
        Option("max-fill", "How full moves may make a broker: 85% of its disk, or disk:85%,network-in:70%."),
    )

    @property
    def dispensable(self) -> tuple[str, ...]:
        """Of one partition alone it asks nothing."""
        return ()

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
            figure = cluster.size_bytes if load == "disk" else inbound(cluster)
            rows = np.flatnonzero(np.isnan(figure) & (cluster.rf > 0))
            if len(rows):
                raise UnusableInput(
                    f"what {plural(len(rows), 'partition')} bear is not known "
                    f"({cluster.label(int(rows[0]))} is the first)",
                    source="--max-fill",
                    advice="kafka-log-dirs --describe gives sizes",
                )

    def broken(self, answer: Answer) -> BoolArray:
        """Lists that come to a broker above its limit; of some lists alone nobody can say it."""
        if answer.only is not None or not answer.problem.request.fills:
            return answer.none
        over = overfull(answer.problem, answer.lists)
        new = answer.held.copy()
        for k in range(answer.before.shape[1]):
            new &= answer.lists != answer.before[:, k : k + 1]
        return some(new & answer.on(over))

    def refusal(self, answer: Answer) -> str | None:
        return "it fills brokers above --max-fill" if self.broken(answer).any() else None

    def ways_out(self, trial: Trial) -> tuple[Way, ...]:
        """None for one partition: what does not fit is found once all are placed."""
        return ()


def overfull(problem: Problem, lists: npt.NDArray[np.int32]) -> BoolArray:
    """``(n_brokers,)``: brokers above a limit."""
    cluster, over = problem.cluster, np.zeros(problem.cluster.n_brokers, dtype=bool)
    for load, percent in problem.request.fills.items():
        figure = cluster.size_bytes if load == "disk" else inbound(cluster)
        weight = np.ceil(np.nan_to_num(figure)).astype(np.int64)
        held = np.zeros(cluster.n_brokers, dtype=np.int64)
        for k in range(lists.shape[1]):
            there = lists[:, k] >= 0
            np.add.at(held, lists[there, k], weight[there])
        over |= held > np.floor(getattr(cluster.brokers, CAPACITIES[load]) * percent / 100)
    return over
