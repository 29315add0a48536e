"""Leaders of each topic levelled by chains of swaps, one shortest path at a time.

Ping-Min Lin, Pinterest Engineering, "Using graph algorithms to optimize Kafka operations, part 1"
(the "chain-swapping" that part 2 opens with): brokers are nodes, each partition an edge from its
leader to each follower; swapping the leaders along a path takes one leader from its first broker
and gives one to its last. Each path looks at one overloaded broker, whatever the others need.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from equipoise.cluster.brokers import IntArray
from equipoise.planning.problem.problem import Problem
from equipoise.planning.published.helpers import Lists, counts, mean, topic_by_topic
from equipoise.planning.published.pinterest import swap_leaders
from equipoise.planning.published.residue import Handover
from equipoise.planning.published.settings import Settings

name = "pinterest-chains"


def run(problem: Problem, settings: Settings) -> IntArray:
    """Swap chains in one topic after the other."""
    return topic_by_topic(problem, level)


def level(lists: Lists, rows: Sequence[int]) -> None:
    """Swap until no overloaded broker reaches an underloaded one."""
    while chain := next_chain(lists, rows):
        swap_leaders(lists, rows, chain)


def next_chain(lists: Lists, rows: Sequence[int]) -> list[Handover]:
    """A shortest chain from the most overloaded broker that has one; empty where none helps."""
    brokers = sorted({broker for row in rows for broker in lists[row]})
    leaders = counts((lists[row][0] for row in rows), max(brokers, default=-1) + 1)
    average = mean([leaders[broker] for broker in brokers])
    edges: dict[int, list[Handover]] = {}
    for k, row in enumerate(rows):
        for follower in lists[row][1:]:
            edges.setdefault(lists[row][0], []).append((lists[row][0], k, follower))
    for start in sorted((b for b in brokers if leaders[b] > average), key=lambda b: (-leaders[b], b)):
        # a swap towards a broker that is not at least two below only changes who is the fuller
        ends = {b for b in brokers if leaders[b] < average and leaders[start] - leaders[b] > 1}
        if chain := shortest_chain(edges, start, ends):
            return chain
    return []


def shortest_chain(edges: dict[int, list[Handover]], start: int, ends: set[int]) -> list[Handover]:
    """Breadth first from ``start`` to the nearest of ``ends``."""
    reached: dict[int, list[Handover]] = {start: []}
    queue = deque([start])
    while queue:
        broker = queue.popleft()
        for edge in edges.get(broker, ()):
            if edge[2] in reached:
                continue
            reached[edge[2]] = [*reached[broker], edge]
            if edge[2] in ends:
                return reached[edge[2]]
            queue.append(edge[2])
    return []
