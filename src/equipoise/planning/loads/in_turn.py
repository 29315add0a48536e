"""Bands in the order of their importance, where not all of them can be reached together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.planning.loads.together import in_bands
from equipoise.planning.loads.weights import Int64, Load
from equipoise.planning.problem.problem import Problem


def nearest(
    problem: Problem, loads: tuple[Load, ...], bytes_of: Int64 | None, start: IntArray
) -> IntArray:
    """Lists as near to the bands as is found; ``start`` where they are.

    All at once costs least. Where that leaves something outside, each load comes as near as those before let
    it, and keeps what it has reached there.
    """
    lists = in_bands(problem, loads, bytes_of, start)
    if not any(values(loads, lists)):
        return lists
    best = start
    kept: tuple[Load, ...] = ()
    for k, load in enumerate(loads):
        some, tried = loads[: k + 1], (*kept, load)
        # All bands before were reached, so ``lists`` were sought with the same bands as these would be.
        if k == len(loads) - 1 and kept == loads[:k]:
            best = nearer(loads, best, lists)
        else:
            best = nearer(some, best, in_bands(problem, tried, bytes_of, best))
        # Prices that rise for a band out of reach pull all else apart. So this
        # is asked again with one price for each unit outside, which stays.
        if load.value(best):
            best = nearer(some, best, in_bands(problem, tried, bytes_of, best, nears=True))
        kept = (*kept, reached(load, best))
    return nearer(loads, best, lists)


def reached(load: Load, lists: IntArray) -> Load:
    """The load with bands as wide as what is outside them now: then it is as level as it can be."""
    held = load.held(lists)
    if not load.outside(held).any():
        return load
    return replace(load, low=np.minimum(load.low, held), high=np.maximum(load.high, held))


def nearer(loads: tuple[Load, ...], one: IntArray, other: IntArray) -> IntArray:
    """The lists that are nearer to the bands, the first load first; where both are as near, one."""
    return min(one, other, key=lambda lists: values(loads, lists))


def values(loads: tuple[Load, ...], lists: IntArray) -> list[int]:
    """What each load leaves outside its bands."""
    return [load.value(lists) for load in loads]
