"""Who may lead, wherever replicas come to stand: a flow over brokers alone.

A partition keeps its leader or gives it up, through a hub, for any broker that may lead. That forgets
where its replicas are, so every legal plan is a flow of it and its bound holds for all of them.

Nodes: 0 the sink; the racks; the brokers; the hub.
"""

from __future__ import annotations

import numpy as np

from equipoise.judge.duality import FlowProblem
from equipoise.judge.goals import shares, weights
from equipoise.judge.relaxation import Arcs, Cost, Int64, Relaxation, whole
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
        return whole(potential, len(supply))

    return Relaxation(arcs.network(supply), lambda goal: cost_of(goal, case, arcs, forced), lifted)


def cost_of(goal: str, case: Case, arcs: Arcs, forced: int) -> Cost:
    """What a goal costs on the arcs; raises ``ValueError`` for one that is not of leaders."""
    brokers, rules = case.cluster.brokers, case.rules
    linear, none = np.zeros(arcs.n, dtype=np.int64), np.zeros(0, dtype=np.int64)
    if goal == "elections":
        linear[arcs.kinds["give"]] = 1
        return linear, none, none, none, forced
    fixed = case.before[~rules.movable, 0]
    base = np.bincount(fixed[fixed >= 0], minlength=len(brokers)).astype(np.int64)
    weight = np.zeros(len(brokers), dtype=np.int64)
    weight[rules.leads] = weights(case, rules.leads)
    total = int(base[rules.leads].sum()) + int(rules.movable.sum())
    if goal == "leaders":
        return linear, *banded(arcs.kinds["broker"], total, weight, base), 0
    if goal == "rack-leaders":
        n_racks = len(brokers.rack_names)
        of_rack, base_of_rack = np.zeros(n_racks, dtype=np.int64), np.zeros(n_racks, dtype=np.int64)
        np.add.at(of_rack, brokers.rack_idx, weight)
        np.add.at(base_of_rack, brokers.rack_idx, base)
        return linear, *banded(arcs.kinds["rack"], total, of_rack, base_of_rack), 0
    raise ValueError(f"{goal} is not a goal of leaders")


def topic_leader_bands(case: Case) -> tuple[Int64, Int64]:
    """Bands of each topic's leaders on each broker beside those that may not change.

    Cells topic by topic, ``(n_topics * n_brokers,)``; what those say of brokers that may not lead is nothing.
    """
    cluster, rules = case.cluster, case.rules
    n, n_topics = cluster.n_brokers, len(cluster.topics)
    fixed = np.flatnonzero(~rules.movable)
    key = cluster.topic_idx[fixed].astype(np.int64) * n + case.before[fixed, 0]
    held = np.bincount(key, minlength=n_topics * n).reshape(n_topics, n).astype(np.int64)
    movable = np.bincount(cluster.topic_idx[rules.movable], minlength=n_topics)
    weight = np.zeros(n, dtype=np.int64)
    weight[rules.leads] = weights(case, rules.leads)
    low, high = shares((movable + held[:, rules.leads].sum(axis=1))[:, None], weight[None, :])
    return (low - held).ravel(), (high - held).ravel()


def banded(arcs: Int64, total: int, weight: Int64, base: Int64) -> tuple[Int64, Int64, Int64]:
    """Arcs of positive weight with the band of what flows beside ``base``; the others may carry anything."""
    some = weight > 0
    low, high = shares(total, weight)
    return arcs[some], (low - base)[some], (high - base)[some]
