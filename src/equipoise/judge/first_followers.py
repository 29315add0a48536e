"""First followers for the leaders and the places that a plan has; of others this says nothing."""

from __future__ import annotations

import numpy as np

from equipoise.cluster import measures
from equipoise.judge.arc_costs import banded, least
from equipoise.judge.bands import failover_shares
from equipoise.judge.duality import within
from equipoise.judge.relaxation import Int64
from equipoise.judge.violations import Case

HIGHEST_PRICE = 2**40


def first_followers_bound(case: Case, price: Int64) -> int:
    """A bound on `failover` for these leaders and places; ``price``: of each pair, ``(n_brokers ** 2,)``.

    Each partition takes its cheapest first follower, each pair (leader, first follower) as many as pay for
    themselves: weak duality. Raises ``ValueError`` for unusable prices.
    """
    n, leads, lists = case.cluster.n_brokers, case.rules.leads, case.target
    if price.shape != (n * n,) or price.dtype != np.int64 or not within(price, HIGHEST_PRICE):
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
    level = banded(n * n, items, (low - there).ravel()[items], (high - there).ravel()[items])
    return int(cheapest.sum()) + least(-price, np.zeros_like(most), most, [(level, 1)])
