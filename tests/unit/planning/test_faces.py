"""The placements that are best at some goals, told by the prices of a placement that is best at more."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.seeds import seeds
from tests.unit.planning.clusters import uneven

from equipoise.planning import Request, build_problem
from equipoise.planning.networks.place import place
from equipoise.planning.problem.params import Params

WAYS = (
    ("every partition is a node", Params()),
    ("partitions are nodes after kinds of them", Params(partition_arcs=0)),
    ("topics first", Params(partition_arcs=0, row_arcs=0)),
)
GOALS = ("racks", "replicas", "moves", "topics")


ORDERS = (GOALS, ("topics", "moves", "racks", "replicas"), ("replicas", "bytes", "racks", "topics"))


@pytest.mark.parametrize("goals", ORDERS, ids=" ".join)
@pytest.mark.parametrize(("way", "params"), WAYS, ids=[name for name, _ in WAYS])
@pytest.mark.slow
def test_nothing_is_solved_anew_for_the_first_goals(way: str, params: Params, goals: tuple[str, ...]) -> None:
    """The face is that of a placement for those alone, and its flow is one of it."""
    compared = 0
    for seed in seeds(8):
        cluster = uneven(seed)
        sizes = np.random.default_rng(seed).integers(1, 9, cluster.n_partitions)
        problem = replace(build_problem(replace(cluster, size_bytes=sizes), Request()), params=params)
        whole = place(problem, goals)
        for n in range(1, len(whole.levels) + 1):
            some = tuple(level.goal for level in whole.levels[:n])
            alone, found = place(problem, some), whole.face_of(some)
            if not np.array_equal(alone.groups.get("units"), whole.groups.get("units")):
                continue  # a topic failed in one of them
            if [level.network for level in alone.levels] != [level.network for level in whole.levels[:n]]:
                continue  # all partitions of a kind promised too much for the goals after these
            assert found is not None and alone.face is not None, (way, seed)
            for of in ("tail", "head", "lower", "upper", "supply"):
                assert np.array_equal(getattr(found.network, of), getattr(alone.face.network, of)), (seed, of)
            flow = found.flow
            assert np.all((found.network.lower <= flow) & (flow <= found.network.upper))
            n_nodes = len(found.network.supply)
            ends = found.network.tail, found.network.head
            out, into = (np.bincount(of, flow, n_nodes) for of in ends)
            assert np.array_equal((out - into)[1:], found.network.supply[1:])
            compared += 1
    assert compared >= 20
