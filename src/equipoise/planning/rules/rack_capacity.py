"""`--rack-capacity`: how many bytes the disks of a rack, or of a cage, may hold together."""

from __future__ import annotations

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.cluster import Cluster
from equipoise.errors import UnusableInput
from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.request import Request
from equipoise.planning.rules.answer import Answer, some
from equipoise.planning.rules.draft import Draft
from equipoise.planning.rules.interface import BoolArray, Int64, LoadRule, Option
from equipoise.wording import plural

ANYTHING = 2**62
"""Of a rack that has no capacity."""


class RackCapacity(LoadRule):
    """No rack ends above its capacity, or above what it holds today where that is more."""

    name = "rack-capacity"
    bearer = "rack"
    options = (Option("rack-capacity", "What a rack's disks may hold together: a=10TB,b=12TB."),)

    def lay(self, draft: Draft) -> None:
        """Nothing is closed; but racks have to be there, and sizes to be known."""
        cluster, asked = draft.cluster, draft.request.rack_capacity
        strange = sorted({rack for rack, _ in asked} - set(cluster.brokers.racks))
        if strange:
            have = ", ".join(sorted({rack for rack in cluster.brokers.racks if rack})) or "none"
            raise UnusableInput(
                f"no broker is in {', '.join(strange)}", source="--rack-capacity", advice=f"Racks are {have}"
            )
        rows = np.flatnonzero(np.isnan(cluster.size_bytes) & (cluster.rf > 0))
        if asked and len(rows):
            raise UnusableInput(
                f"the sizes of {plural(len(rows), 'partition')} are not known "
                f"({cluster.label(int(rows[0]))} is the first)",
                source="--rack-capacity",
                advice="kafka-log-dirs --describe gives sizes",
            )

    def broken(self, answer: Answer) -> BoolArray:
        """Lists with more replicas in a rack that ends too full; of some lists alone nobody can say it."""
        if answer.only is not None or not answer.problem.request.rack_capacity:
            return answer.none
        return some((answer.racks_after > answer.racks_before) & overfull(answer.problem, answer.lists))

    def refusal(self, answer: Answer) -> str | None:
        return "it fills racks above --rack-capacity" if self.broken(answer).any() else None


RACK_CAPACITY = RackCapacity()


def overfull(problem: Problem, lists: IntArray) -> BoolArray:
    """``(n_racks,)``: racks above their capacity, and above what they hold today."""
    cluster = problem.cluster
    held, now = in_racks(cluster, lists), in_racks(cluster, cluster.replicas)
    return held > np.maximum(capacities(cluster, problem.request), now)


def capacity_of(cluster: Cluster, request: Request) -> dict[int, int]:
    """Bytes by the position of each rack that has a capacity."""
    return {cluster.brokers.rack_names.index(rack): size for rack, size in request.rack_capacity}


def capacities(cluster: Cluster, request: Request) -> Int64:
    """``(n_racks,)`` bytes."""
    told = capacity_of(cluster, request)
    return np.array([told.get(k, ANYTHING) for k in range(len(cluster.brokers.rack_names))], dtype=np.int64)


def in_racks(cluster: Cluster, lists: IntArray) -> Int64:
    """``(n_racks,)``: bytes of replicas, each size in whole bytes."""
    size = np.nan_to_num(np.ceil(cluster.size_bytes)).astype(np.int64)
    row, place = np.nonzero(lists >= 0)
    held = np.zeros(len(cluster.brokers.rack_names), dtype=np.int64)
    np.add.at(held, cluster.brokers.rack_idx[lists[row, place]], size[row])
    return held
