"""``bytes``: what data moves copy (a size that is not known counts 0)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from equipoise.cluster import measures
from equipoise.judge.arc_costs import Cost
from equipoise.judge.copies import is_absurd, known_sizes
from equipoise.judge.counting import Counting
from equipoise.judge.goals.interface import PlacementGoal
from equipoise.judge.load_costs import least_copies
from equipoise.judge.sheet import Sum
from equipoise.judge.views import JointView, PlacementView
from equipoise.judge.violations import Case

Int64 = npt.NDArray[np.int64]
HIGHEST = 2**46
LARGE = 2**20
FINE = 4


class Bytes(PlacementGoal):
    """Each data move copies its partition once; one that is created has nothing to copy."""

    name = "bytes"
    of_sizes = True

    def is_known(self, case: Case) -> bool:
        return bool(np.isfinite(case.cluster.size_bytes).any()) and not is_absurd(case)

    def value(self, case: Case) -> int:
        new = case.new.sum(axis=1)
        rows = np.flatnonzero(new)
        return sum((new[rows] * known_sizes(case)[rows]).tolist())

    def cost_of_copies(self, case: Case) -> Int64:
        return measures.whole_sizes(case.cluster.size_bytes)

    def beside_loads(self, case: Case, before: Sequence[str]) -> int | None:
        return least_copies(case, self.cost_of_copies(case), before)

    def on_placement(self, view: PlacementView) -> Cost:
        if view.copied is None:
            raise ValueError(f"the network does not tell sizes apart, as {self.name} asks")
        return view.copied

    def parts(self, case: Case) -> int:
        """As many, by powers of 2, as leave the largest size below `HIGHEST`."""
        return max(1, HIGHEST >> largest(case).bit_length())

    def jointly_kept(self, view: JointView, price: int, value: int) -> int:
        """A byte's price is told in parts: four, twice as many until sizes are below `LARGE` of a quarter."""
        cost, fine = view.placement.cost(self.name), FINE
        while largest(view.case) >= LARGE * fine // FINE:
            fine *= 2
        linear = np.array([price * size // fine for size in cost.linear.tolist()], dtype=np.int64)
        view.on_arcs.append((cost._replace(linear=linear, offset=0), 1))
        return -(-price * (value - cost.offset) // fine)

    def counted(self, program: Counting) -> Sum:
        size = known_sizes(program.case).tolist()
        return Sum([(new, size[row]) for row in program.rows for new in program.arrivals(row)])


def largest(case: Case) -> int:
    """Bytes of the largest partition, 1 at least."""
    return max(1, int(known_sizes(case).max(initial=1)))
