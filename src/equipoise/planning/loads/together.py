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

NEARER = 0.999
"""What a round leaves of what lay outside before it, or it is the last."""


def in_bands(
    problem: Problem, loads: tuple[Load, ...], bytes_of: Int64 | None, start: IntArray, *, nears: bool = False
) -> IntArray:
    """Lists with all loads in their bands, as far as that is found; ``start`` where they are.

    Loads that leaders bear are levelled by orders as far as those can, since that copies nothing. ``nears``:
    the last load is out of reach, and brought as near as the others let it.
    """
    cost = np.ones(len(start), dtype=np.int64) if bytes_of is None else bytes_of
    standing = Standing(problem, loads, cost, start, first_leaders(problem, start))
    led = tuple(load for load in loads if load.of_leaders)
    pull = neared if nears else pulled
    # Leaders first, and alone: what another order levels needs no copy.
    if led:
        pull(standing, places=False)
    if not problem.stays:
        pull(standing, places=True)
        spare(standing)
    lists = standing.ordered()
    if not led or problem.stays:
        return lists
    # With replicas where they are now, fewer leaders may have to change.
    anew = Standing(problem, led, cost, lists, first_leaders(problem, lists))
    pulled(anew, places=False)
    return anew.ordered() if anew.is_level and standing.is_level else lists


def pulled(standing: Standing, *, places: bool) -> None:
    """Bring loads into their bands, as far as that is found; nothing changes where they are."""
    params = standing.problem.params
    pull, nearest, since = Pull(standing), np.inf, 0
    for count in range(params.load_rounds):
        far = float((standing.outside() / standing.share[:, None]).sum())
        # Prices may raise what is outside for some rounds before they lower it, so one bad round is no end.
        nearest, since = (far, count) if far < nearest else (nearest, since)
        if standing.is_level or count - since > params.load_patience:
            return
        changed(standing, pull, count, places=places)
        pull.rise()


def neared(standing: Standing, *, places: bool) -> None:
    """Bring the last load as near to its bands as the others let it, which are brought into theirs."""
    params = standing.problem.params
    pull, nearest, since, last = Pull(standing, nears=True), np.inf, 0, np.inf
    for count in range(params.load_rounds):
        changed(standing, pull, count, places=places)
        outside = standing.outside()
        far, left = float((outside / standing.share[:, None])[:-1].sum()), int(outside[-1].sum())
        nearest, since = (far, count) if far < nearest else (nearest, since)
        settled = left >= NEARER * last and count >= params.load_alone
        if (far == 0 and settled) or count - since > params.load_patience:
            return
        last = left
        pull.rise()


def changed(standing: Standing, pull: Pull, count: int, *, places: bool) -> None:
    """What round ``count`` changes at its prices."""
    params = standing.problem.params
    for _ in range(params.load_sweeps):
        if sweep(standing, pull, places=places) < params.load_changes:
            break
    if places and count >= params.load_alone:
        exchanges(standing, pull)


def exchanges(standing: Standing, pull: Pull) -> None:
    """A few exchanges of the brokers that are outside a band, the farthest first."""
    params = standing.problem.params
    far = (standing.outside() / standing.share[:, None]).sum(axis=0)
    n_brokers = min(params.load_exchangers, int((far > 0).sum()))
    for broker in np.argsort(-far, kind="stable")[:n_brokers].tolist():
        for _ in range(params.load_exchanges):
            if not standing.outside()[:, broker].any() or not exchange(standing, pull, broker):
                break
