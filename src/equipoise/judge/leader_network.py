"""Who may lead, wherever replicas come to stand: a flow over brokers alone.

A partition keeps its leader or gives it up, through a hub, for any broker that may lead. That forgets
where its replicas are, so every legal plan is a flow of it and its bound holds for all of them.

Nodes: 0 the sink; the racks; the brokers; the hub.
"""

from __future__ import annotations

import numpy as np

from equipoise.judge.duality import FlowProblem
from equipoise.judge.goals.registry import goal_of
from equipoise.judge.relaxation import Arcs, Int64, Relaxation, one_each
from equipoise.judge.views import LeaderView
from equipoise.judge.violations import Case


def leader_relaxation(case: Case) -> Relaxation:
    """The network of a case."""
    brokers, rules = case.cluster.brokers, case.rules
    n, n_racks = len(brokers), len(brokers.rack_names)
    first = case.before[rules.movable, 0]
    keeps = (first >= 0) & rules.leads[first]
    led = np.bincount(first[keeps], minlength=n).astype(np.int64)
    supply = np.concatenate([[-len(first)], np.zeros(n_racks), led, [len(first) - led.sum()]]).astype(
        np.int64
    )
    rack, broker = 1 + np.arange(n_racks), 1 + n_racks + np.arange(n)
    hub = np.full(n, 1 + n_racks + n)
    anything = np.full(max(n, n_racks), len(first), dtype=np.int64)
    arcs = Arcs()
    arcs.add("rack", rack, np.zeros_like(rack), anything[:n_racks])
    arcs.add("broker", broker, 1 + brokers.rack_idx.astype(np.int64), anything[:n])
    arcs.add("give", broker, hub, led)
    arcs.add("take", hub, broker, np.where(rules.leads, anything[:n], 0))
    forced = int(((first >= 0) & ~keeps).sum())

    def lifted(_: str, potential: Int64, __: FlowProblem) -> Int64:
        return one_each(potential, len(supply))

    view = LeaderView(case, arcs, forced)
    return Relaxation(arcs.network(supply), lambda goal: goal_of(goal).on_leaders(view), lifted)
