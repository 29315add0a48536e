"""`bytes`: what the whole plan copies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from equipoise.cluster import Cluster, measures
from equipoise.cluster.brokers import IntArray
from equipoise.planning.flow.network import Objective
from equipoise.planning.goals.interface import PlacementGoal
from equipoise.planning.problem.problem import Problem
from equipoise.wording import plural

if TYPE_CHECKING:
    from equipoise.planning.networks.placement import PlacementNetwork
    from equipoise.planning.programs.model import Model
    from equipoise.planning.programs.rows import Sum


class Bytes(PlacementGoal):
    name = "bytes"
    title = "Bytes moved"
    meaning = "bytes that data moves copy (a size that is not known counts 0)"
    nouns = ("byte", "bytes")
    default = only_if_known = in_bytes = of_sizes = True

    def is_known(self, cluster: Cluster) -> bool:
        return measures.sizes_known(cluster.size_bytes)

    def untold(self, cluster: Cluster) -> str:
        unknown = np.flatnonzero(np.isnan(cluster.size_bytes) & (cluster.rf > 0))
        if not len(unknown) or not self.is_known(cluster):
            return ""
        first = cluster.label(int(unknown[0]))
        return (
            f"the sizes of {plural(len(unknown), 'partition')} are not known ({first} is the first): "
            "what is copied of those counts as 0 bytes"
        )

    def value(self, problem: Problem, lists: IntArray) -> int:
        return measures.bytes_moved(problem.cluster.replicas, lists, problem.cluster.size_bytes)

    def on_placement(self, net: PlacementNetwork) -> Objective:
        # What leaves a broker is copied wherever it goes, so that it costs its size where it leaves.
        linear = np.zeros(len(net.network.tail), dtype=np.int64)
        assert net.certain_bytes is not None, "arcs are cut by size first"
        linear[net.leave.index] = net.leave_bytes
        return Objective.of_linear(linear, net.certain_bytes)

    def rows(self, model: Model) -> Sum:
        sizes = measures.whole_sizes(model.problem.cluster.size_bytes)
        return model.total(int(sizes[row]) * model.arrivals(row) for row in model.rows)
