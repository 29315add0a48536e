"""What stays outside the bands of a load since some partitions are heavier than the bands are wide.

Wherever the replicas of such a partition stand, their brokers have more than their bands allow, and the
others so much less. A broker's distance grows ever faster the more it bears, so partitions count one by one.
"""

from __future__ import annotations

import numpy as np

from equipoise.judge.load_levels import most_in_racks, racks_of
from equipoise.judge.loads import Int64, Load, held_of, leads
from equipoise.judge.violations import Case


def outside_by_weight(case: Case, load: Load) -> int:
    """The least that lies outside, all brokers together, that single partitions force."""
    rules, led = case.rules, leads(load.name)
    fixed = np.where(rules.movable[:, None], -1, rules.base)
    bears = held_of(fixed[:, :1] if led else fixed, load.weight, len(load.low))
    copies = np.where(led, 1, rules.rf).astype(np.int64)
    total = sum(bears[load.banded].tolist()) + sum((load.weight * copies)[rules.movable].tolist())
    spread = total - sum(load.low[load.banded].tolist())  # what all have above the lower ends of bands
    above = sum(past(load, load.high, bears).tolist())
    beyond = above + sum(past(load, load.low, bears).tolist())
    for row in heavy_rows(case, load, bears, copies):
        with_it = bears + load.weight[row]
        over = past(load, load.high, with_it) - past(load, load.high, bears)
        more = past(load, load.low, with_it) - past(load, load.low, bears)
        above += least_of_places(case, row, over, int(copies[row]), led=led)
        beyond += least_of_places(case, row, over + more, int(copies[row]), led=led)
    return max(above, beyond - spread)


def past(load: Load, edge: Int64, held: Int64) -> Int64:
    """``(n_brokers,)``: what lies above an end of the bands; 0 for brokers without one."""
    return np.where(load.banded, np.maximum(held - edge, 0), 0)


def heavy_rows(case: Case, load: Load, bears: Int64, copies: Int64) -> list[int]:
    """Partitions that too few brokers have room for; at most as many as there are brokers, the heaviest."""
    if not case.rules.eligible.any():
        return []
    room = np.where(load.banded, load.high - bears, np.int64(2**62))[case.rules.eligible]
    room = -np.sort(-room)
    rows = np.flatnonzero(case.rules.movable & (copies > 0))
    heavy = [row for row in rows.tolist() if load.weight[row] > room[min(int(copies[row]), len(room)) - 1]]
    return sorted(heavy, key=lambda row: (-load.weight[row], row))[: len(bears)]


def least_of_places(case: Case, row: int, costs: Int64, copies: int, *, led: bool) -> int:
    """The cheapest places of a partition's replicas, no rack with more than it may hold; or of its leader."""
    rack, n_racks = racks_of(case)
    most = [copies] * n_racks if led else most_in_racks(case, np.array([row]))[0].tolist()
    places = [
        sorted(costs[case.rules.eligible & (rack == at)].tolist())[: most[at]] for at in range(n_racks)
    ]
    return sum(sorted(cost for some in places for cost in some)[:copies])
