"""Where replicas stand is taken as it is in the plan: is no order of their lists better?

That says nothing of other placements. The levels of leaders come with those before them, on whose faces
they are best; first followers are chosen for the leaders that the plan has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from equipoise.cluster import measures
from equipoise.judge.duality import dual_bound, narrowed
from equipoise.judge.goals import failover_shares, goal_value
from equipoise.judge.joint_network import least
from equipoise.judge.order_network import order_relaxation
from equipoise.judge.relaxation import Int64, family
from equipoise.judge.violations import Case

HIGHEST_PRICE = 2**40


def given_bound(case: Case, goal: str, level: str, proofs: Mapping[str, np.ndarray]) -> int:
    """The bound of a goal that the arrays of a ``level`` prove of this placement.

    Raises ``ValueError`` or ``KeyError`` for arrays that cannot be used.
    """
    if str(proofs[f"{level}/network"]) == "heirs":
        if goal != "failover":
            raise ValueError(f"heirs say nothing of {goal}")
        return heirs_bound(case, proofs[f"{level}/potential"])
    standing = replace(case, rules=replace(case.rules, base=case.target))
    relaxation = order_relaxation(standing)
    face = relaxation.start
    chain = [f"{level}/given{j}" for j in range(len(proofs)) if f"{level}/given{j}/goal" in proofs]
    for name in (*chain, level):
        network, potential = str(proofs[f"{name}/network"]), proofs[f"{name}/potential"]
        if family(network) != "order" or potential.dtype != np.int64:
            raise ValueError(f"no order of lists is in the network {network}")
        asked = goal if name == level else str(proofs[f"{name}/goal"])
        problem = relaxation.problem(asked, face)
        lifted = relaxation.lifted(network, potential, face)
        bound = dual_bound(problem, lifted)
        if bound == goal_value(asked, case):  # only then is every best order within the face
            face = relaxation.tightened(narrowed(problem, lifted))
    return bound


def heirs_bound(case: Case, price: Int64) -> int:
    """A bound on `failover` for these leaders and places, ``price`` ``(n_brokers ** 2,)`` per heir of a pair.

    Each partition takes its cheapest first follower, each pair (leader, first follower) as many as pay for
    themselves: weak duality. Raises ``ValueError`` for unusable prices.
    """
    n, leads, lists = case.cluster.n_brokers, case.rules.leads, case.target
    if price.shape != (n * n,) or price.dtype != np.int64 or np.any(np.abs(price) > HIGHEST_PRICE):
        raise ValueError(f"prices of shape {price.shape} and type {price.dtype}, or too large")
    led = measures.leaders_per_broker(lists, n)
    followed = lists[case.rules.movable & ((lists >= 0).sum(axis=1) > 1)].astype(np.int64)
    pair = np.where(followed[:, 1:] >= 0, followed[:, :1] * n + followed[:, 1:], -1)
    cheapest = np.where(pair >= 0, price[pair], HIGHEST_PRICE).min(axis=1, initial=HIGHEST_PRICE)
    most = np.bincount(pair[pair >= 0], minlength=n * n).astype(np.int64)
    there = measures.failover_leaders(lists[~case.rules.movable], n)
    there += measures.leaders_per_broker(lists[case.rules.movable], n)
    counted, low, high = failover_shares(case, int(led[leads].sum()))
    items = np.flatnonzero(counted)
    bands = (low - there).ravel()[items], (high - there).ravel()[items]
    none = np.zeros(0, dtype=np.int64)
    return int(cheapest.sum()) + least(-price, np.zeros_like(most), most, [((none, items, *bands, 0), 1)])
