"""``cross-zone``: copies that cross racks, each from the leader that the partition has now."""

from __future__ import annotations

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.judge.arc_costs import Cost, each
from equipoise.judge.counting import Counting
from equipoise.judge.goals.interface import PlacementGoal
from equipoise.judge.rows import ones
from equipoise.judge.sheet import Sum
from equipoise.judge.views import PlacementView
from equipoise.judge.violations import Case


class CrossZone(PlacementGoal):
    """A broker that declares no rack is in none that could be another."""

    name = "cross-zone"

    def is_known(self, case: Case) -> bool:
        return case.cluster.brokers.has_racks

    def value(self, case: Case) -> int:
        return far_copies(case, case.target)

    def on_placement(self, view: PlacementView) -> Cost:
        layout, arrive = view.layout, view.arcs.kinds["arrive"]
        case = layout.case
        tail, head = (np.concatenate(ends)[arrive] for ends in (view.arcs.tail, view.arcs.head))
        nobody = np.zeros(1, dtype=np.int64)
        unit = (tail - layout.pool(nobody, nobody, arriving=True)[0]) // layout.n_racks
        rack = racks_of(case)[layout.brokers[(head - 1) % max(1, len(layout.brokers))]]
        source = origin(case)[layout.rows]
        # whoever of a unit comes: it crosses for certain only where all its partitions are led elsewhere
        led_there = np.zeros((layout.n_units, layout.n_racks + 1), dtype=bool)
        led_there[layout.unit, source] = True
        crosses = (rack >= 0) & ~led_there[unit, rack] & ~led_there[unit, -1]
        return each(view.arcs.n, arrive, crosses, offset=far_copies(case, case.rules.base))

    def counted(self, program: Counting) -> Sum:
        rack, source = racks_of(program.case), origin(program.case)
        far = [
            program.held[row, b]
            for row in program.rows
            for b in program.allowed[row]
            if b not in program.before[row] and -1 < rack[b] != source[row] > -1
        ]
        return Sum(ones(far))


def racks_of(case: Case) -> IntArray:
    """``(n_brokers,)``: the rack that each declares, -1 for none."""
    brokers = case.cluster.brokers
    return np.where(brokers.racked, brokers.rack_idx, -1)


def origin(case: Case) -> IntArray:
    """``(n_partitions,)``: the rack that copies of each come from, -1 where there is none or no list."""
    cluster = case.cluster
    leader = np.where(cluster.leader >= 0, cluster.leader, case.before[:, 0])
    return np.where((leader >= 0) & (cluster.rf > 0), np.append(racks_of(case), -1)[leader], -1)


def far_copies(case: Case, lists: IntArray) -> int:
    """Replicas of the lists that come from another rack."""
    rack, source, count = racks_of(case), origin(case), 0
    for k in range(lists.shape[1]):
        broker = lists[:, k]
        there = (case.before == broker[:, None]).any(axis=1) | (broker < 0) | (source < 0)
        to = np.append(rack, -1)[broker]
        count += int((~there & (to >= 0) & (to != source)).sum())
    return count
