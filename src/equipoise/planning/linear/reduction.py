"""What a linear program is without what its rows decide, and without columns that equations tie to others."""

from __future__ import annotations

from dataclasses import dataclass

from equipoise.planning.linear.forcing import Forced, forced
from equipoise.planning.linear.highs import Answer
from equipoise.planning.linear.merging import Merged, merged
from equipoise.planning.linear.rows import Float64, Int64, Rows


@dataclass(frozen=True, eq=False)
class Reduced:
    """The program that is left, and how the whole one's answer follows from its own."""

    whole: tuple[Float64, Rows]
    """What columns cost, and the rows."""
    known: Forced
    merged: Merged
    cost: Float64
    """``(n_left,)``."""

    @property
    def rows(self) -> Rows:
        """What is left of the rows."""
        return self.merged.left

    @property
    def columns(self) -> Int64:
        """Which of all columns those are that are left, ascending."""
        return self.known.columns[self.merged.columns]

    @property
    def ends(self) -> tuple[Float64, Float64]:
        """Lower and upper of the columns that are left."""
        return self.merged.lower, self.merged.upper

    @property
    def of_rows(self) -> Int64:
        """Which of all rows those are that are left, ascending."""
        return self.known.rows[self.merged.rows]

    def filled(self, z: Float64, of_rows: Float64, iterations: int) -> Answer:
        """The optimum of the whole program, from columns and prices of what is left."""
        cost, rows = self.whole
        known, some = self.known, self.known.columns
        x = known.x.copy()
        x[some] = self.merged.x(z)
        price = known.prices(cost, rows, self.merged.prices(cost[some], known.left, of_rows))
        value = float(cost @ x)
        return Answer(x, value, value, price, cost - rows.table.T @ price, iterations)


def reduced(cost: Float64, rows: Rows, lower: Float64, upper: Float64) -> Reduced | None:
    """What is left of a program; None where no columns keep its rows."""
    known = forced(rows, lower, upper)
    if known is None:
        return None
    some = known.columns
    left = merged(known.left, lower[some], upper[some])
    if left is None:
        return None
    return Reduced((cost, rows), known, left, left.cost(cost[some]))
