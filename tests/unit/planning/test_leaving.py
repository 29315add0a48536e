"""A bound on elections without a linear program: far above that of leaders alone where racks are crowded."""

from __future__ import annotations

import numpy as np

from equipoise.cluster import Brokers, build_cluster
from equipoise.planning import build_problem
from equipoise.planning.bounds.leaders import leader_bounds
from equipoise.planning.bounds.leaving import fewest_given_up
from equipoise.planning.networks.place import place
from equipoise.planning.problem.request import Request
from equipoise.planning.programs.joint.solve import Start, best_of_face


def test_crowded_racks_cost_elections() -> None:
    """Lists drawn without a look at racks: some partitions have to lose a replica for it, often their leader.

    The bound of leaders forgets that; this one comes near what the program over both proves.
    """
    draw = np.random.default_rng(7)
    lists = np.array([draw.choice(12, 2, replace=False) for _ in range(400)])
    brokers = Brokers.of(range(12), {b: "abc"[b % 3] for b in range(12)})
    names = np.array([f"t{k // 40}" for k in range(400)], dtype=object)
    problem = build_problem(build_cluster("crowded", brokers, names, np.arange(400) % 40, lists), Request())
    before = ("racks", "replicas", "moves", "topics", "leaders")
    placement = place(problem, before)
    assert placement.face is not None and placement.by_row
    reached = {level.goal: level.value for level in placement.levels} | {"leaders": 0}
    (_, alone), _ = leader_bounds(problem, reached | {"elections": 0})
    best = best_of_face(placement.face, "elections", reached, frozenset(before), Start(placement.lists, 0))
    bound = fewest_given_up(placement.face, reached)
    assert best is not None
    assert alone.value < 0.7 * best.level.value
    assert 0.95 * best.level.value < bound.value <= best.level.value
