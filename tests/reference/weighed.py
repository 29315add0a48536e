"""The exact reference with weighed goals: loads in plain integers, the programs solved by HiGHS."""

from __future__ import annotations

from collections.abc import Mapping

from tests.reference.counting import CAPACITY, LEADS, sides, weight_of
from tests.reference.exact import Model
from tests.reference.program import ZERO, Sum, total

from equipoise.planning import Problem


class WeighedModel(Model):
    """`Model` and what a broker bears: sizes and rates are whole numbers below a hundred."""

    def objective(self, goal: str) -> Sum:
        if goal == "bytes":
            return total(weight_of(self.problem, "disk", row) * self.moves(row) for row in self.rows)
        return self.outside(goal) if goal in (*CAPACITY, "cpu") else super().objective(goal)

    def bears(self, goal: str) -> list[Sum]:
        """Load of each broker."""
        rows = [places[0] for places in self.at] if goal in LEADS else self.stands
        weights = [weight_of(self.problem, goal, row) for row in self.rows]
        pairs = [(w, row) for w, row in zip(weights, rows, strict=True) if w]
        return [total(w * row[b] for w, row in pairs) for b in range(self.n)]

    def outside(self, goal: str) -> Sum:
        """The distances of the loads from their bands."""
        problem, leads = self.problem, goal in LEADS
        among = [bool(may) for may in (problem.leads if leads else problem.eligible)]
        weight = [weight_of(problem, goal, row) for row in self.rows]
        rows, size = self.leading() if leads else (self.stands, self.rf)
        whole = sum(
            w * self.known_total([row], [n], among) for w, row, n in zip(weight, rows, size, strict=True)
        )
        return total(
            self.distance(held, low, high)
            for held, may, (low, high) in zip(
                self.bears(goal), among, bands(problem, goal, among, whole), strict=True
            )
            if may
        )

    def distance(self, held: Sum, low: int, high: int) -> Sum:
        """A sum of variables at least as far as ``held`` is from its band."""
        most = max(self.most(held), low) + 1
        far = most * self.program.variable(whole=False)
        self.program.require(held - far, high=high)
        self.program.require(held + far, low=low)
        return far


def bands(problem: Problem, goal: str, among: list[bool], whole: int) -> list[tuple[int, int]]:
    """Share of the whole ± tolerance, rounded outwards; capacities in the tests are whole numbers."""
    brokers = problem.cluster.brokers
    known = getattr(brokers, CAPACITY[goal]).tolist() if goal in CAPACITY else [float("nan")] * len(among)
    use = (
        known if all(k == k for k, may in zip(known, among, strict=True) if may) else brokers.weight.tolist()
    )
    parts = [int(w) if may else 0 for w, may in zip(use, among, strict=True)]
    below, above = (int(side) for side in sides(problem, goal))
    low = [whole * p * (100 - below) // (100 * sum(parts)) for p in parts]
    high = [-(-whole * p * (100 + above) // (100 * sum(parts))) for p in parts]
    return list(zip(low, high, strict=True))


def least(
    problem: Problem, goals: tuple[str, ...], held: Mapping[str, int] | None = None
) -> dict[str, int] | None:
    """The least value of each goal: in order, or where those before may be as large as in ``held``."""
    model, result = WeighedModel(problem), {}
    if model.program.minimum(ZERO) is None:
        return None
    for goal in goals:
        objective = model.objective(goal)
        best = model.program.minimum(objective)
        assert best is not None, f"{goal}: {held or result} cannot be had"
        result[goal] = best[0]
        model.program.require(objective, high=(held or result)[goal] + 0.5)
    return result
