"""What our figures stand beside: the same questions, answered by other means in the same run."""

from __future__ import annotations

import math
from fractions import Fraction

import networkx as nx

from equipoise.cluster import Cluster
from equipoise.cluster.measures import leaders_per_broker


def pinterest_with_networkx(cluster: Cluster) -> int:
    """Leaders evened out as in "Using graph algorithms to optimize Kafka operations, part 2", with the
    library that the article names; returns the reassignments before pruning.

    Source and sink residues collect what flooring the differences loses; broker → partition edges and
    the edges to the residues cost 1.
    """
    lists, n = cluster.replicas, cluster.n_brokers
    led = leaders_per_broker(lists, n)
    mean = Fraction(int(led.sum()), n)
    graph = nx.DiGraph()
    over = [b for b in range(n) if led[b] > mean]
    under = [b for b in range(n) if led[b] < mean]
    for side, terminal, residue in ((over, "source", "source_residue"), (under, "sink", "sink_residue")):
        left = sum(abs(led[b] - mean) - math.floor(abs(led[b] - mean)) for b in side)
        ends = (lambda a, b: (a, b)) if terminal == "source" else (lambda a, b: (b, a))
        graph.add_edge(*ends(terminal, residue), capacity=math.floor(left), weight=1)
        for b in side:
            graph.add_edge(*ends(terminal, b), capacity=math.floor(abs(led[b] - mean)), weight=0)
            graph.add_edge(*ends(residue, b), capacity=1, weight=0)
    for row, entry in enumerate(lists.tolist()):
        graph.add_edge(entry[0], ("p", row), capacity=1, weight=1)
        for follower in entry[1:]:
            if follower >= 0:
                graph.add_edge(("p", row), follower, capacity=1, weight=0)
    flow = nx.max_flow_min_cost(graph, "source", "sink")
    return sum(flow[int(b)][("p", row)] for row, b in enumerate(lists[:, 0]))


def largest_program(clusters: list[Cluster], limit_s: float) -> tuple[Cluster, float] | None:
    """The largest of ``clusters`` (ascending) that the weighted 0-1 program finishes, and its seconds."""
    import time

    from equipoise.planning import Request, build_problem
    from equipoise.planning.published.interface import NoPlan, target_of
    from equipoise.planning.published.settings import Settings

    done = None
    for cluster in clusters:
        start = time.perf_counter()
        try:
            target_of("linear-program", build_problem(cluster, Request()), Settings(time_limit_s=limit_s))
        except NoPlan:
            break
        done = (cluster, time.perf_counter() - start)
    return done
