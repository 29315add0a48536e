"""Several bands at once: prices pull leaders and replicas into them; what is not needed is taken back."""

from __future__ import annotations

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.planning.loads.leading import first_leaders
from equipoise.planning.loads.pull import Pull
from equipoise.planning.loads.standing import Standing
from equipoise.planning.loads.sweeps import exchange, sweep
from equipoise.planning.loads.thrift import spare
from equipoise.planning.loads.weights import Int64, Load
from equipoise.planning.problem.problem import Problem

ROUNDS = 40
"""In which prices rise; what is outside a band then stays there."""
PATIENCE = 8
"""Rounds without getting nearer, after which a band is taken to be out of reach."""
OF_ORDERS = 10
"""Rounds in which leaders alone change, which copies nothing."""
SWEEPS = 3
"""Of a round, if each still changes something."""
FEW = 10
"""Changes below which prices had better rise than another sweep be made."""
ALONE = 4
"""Rounds in which replicas move one way, before they are exchanged for one another."""
EXCHANGES = 3
"""Of one broker in one round."""
BROKERS = 8
"""That exchange in one round."""


def in_bands(
    problem: Problem, loads: tuple[Load, ...], bytes_of: Int64 | None, start: IntArray
) -> IntArray:
    """Lists with all loads in their bands, as far as that is found; ``start`` where they are.

    Loads that leaders bear are levelled by orders as far as those can, since that copies nothing.
    """
    cost = np.ones(len(start), dtype=np.int64) if bytes_of is None else bytes_of
    standing = Standing(problem, loads, cost, start, first_leaders(problem, start))
    led = tuple(load for load in loads if load.of_leaders)
    if led:
        pulled(standing, places=False, rounds=OF_ORDERS)
    if not problem.request.leaders_only:
        pulled(standing, places=True, rounds=ROUNDS)
        spare(standing)
    lists = standing.ordered()
    if not led or problem.request.leaders_only:
        return lists
    # With replicas where they are now, fewer leaders may have to change.
    anew = Standing(problem, led, cost, lists, first_leaders(problem, lists))
    pulled(anew, places=False, rounds=ROUNDS)
    return anew.ordered() if anew.is_level and standing.is_level else lists


def pulled(standing: Standing, *, places: bool, rounds: int) -> None:
    """Bring loads into their bands, as far as that is found; nothing changes where they are."""
    pull, nearest, since = Pull(standing), np.inf, 0
    for count in range(rounds):
        far = float((standing.outside() / standing.share[:, None]).sum())
        nearest, since = (far, count) if far < nearest else (nearest, since)
        if standing.is_level or count - since > PATIENCE:
            return
        for _ in range(SWEEPS):
            if sweep(standing, pull, places=places) < FEW:
                break
        if places and count >= ALONE:
            exchanges(standing, pull)
        pull.rise()


def exchanges(standing: Standing, pull: Pull) -> None:
    """A few exchanges of the brokers that are outside a band, the farthest first."""
    far = (standing.outside() / standing.share[:, None]).sum(axis=0)
    for broker in np.argsort(-far, kind="stable")[: min(BROKERS, int((far > 0).sum()))].tolist():
        for _ in range(EXCHANGES):
            if not standing.outside()[:, broker].any() or not exchange(standing, pull, broker):
                break
