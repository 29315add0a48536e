"""Small clusters decided: the lexicographic 0-1 program, with loads in place of counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.planning.certificate import Proof
from equipoise.planning.integer import Decided, decide
from equipoise.planning.loads.weights import Load, borne, copy_cost, load_of, stays, value_of
from equipoise.planning.model import Model
from equipoise.planning.problem import Problem

MAX_CELLS = 400
"""Partitions times brokers, up to which packing is decided."""
EFFORT_S = 2.0
"""Deterministic seconds for all levels together."""


class LoadModel(Model):
    """The program of counts, and what weighed goals measure."""

    def measured(self, lists: IntArray, goal: str) -> int:
        return value_of(self.problem, lists, goal)

    def load_value(self, goal: str) -> Any:
        """Bytes outside the bands, as `Load.value` counts them."""
        load = load_of(self.problem, goal)
        lists = stays(self.problem)[:, : 1 if load.of_leaders else None]
        base = borne(lists, load.weight, len(load.low))
        return sum(self.distance(load, int(b), int(base[b])) for b in np.flatnonzero(load.high < 2**61))

    def distance(self, load: Load, broker: int, base: int) -> Any:
        chosen = [(row, var) for (row, at), var in self.held.items() if at == broker]
        if load.of_leaders:
            chosen = [(row, var) for (row, at, place), var in self.at.items() if at == broker and place == 0]
        most = base + int(load.weight[self.rows].sum()) + int(load.high[broker])
        distance = self.cp.new_int_var(0, most, "")
        held = base + sum(int(load.weight[row]) * var for row, var in chosen)
        self.cp.add(distance >= held - int(load.high[broker]))
        self.cp.add(distance >= int(load.low[broker]) - held)
        return distance

    def value_of_disk(self) -> Any:
        return self.load_value("disk")

    def value_of_network_in(self) -> Any:
        return self.load_value("network-in")

    def value_of_network_out(self) -> Any:
        return self.load_value("network-out")

    def value_of_bytes(self) -> Any:
        cost = copy_cost(self.problem)
        assert cost is not None, "bytes are a goal only where sizes are known"
        return sum(int(cost[row]) * self.arrivals(row) for row in self.rows)


def is_small(problem: Problem) -> bool:
    """True where the program has a fair chance to prove a packing best."""
    return 0 < int(problem.movable.sum()) * int(problem.eligible.sum()) <= MAX_CELLS


def decided(problem: Problem, goals: tuple[str, ...], proofs: list[Proof], lists: IntArray) -> Decided | None:
    """The optimum; None where the program did not prove its loads and their cost within its effort.

    What it found without proof might be found better when planning again, so it is not taken.
    """
    known: dict[str, int] = {}
    for proof in proofs:
        if not proof.closes:
            break
        known[proof.goal] = proof.bound
    return decide(problem, goals, known, lists, model_type=LoadModel, effort_s=EFFORT_S)
