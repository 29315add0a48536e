"""0-1 programs: built by families of constraints, solved with HiGHS, or written for lp_solve to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from equipoise.planning.published.contradiction import in_the_way
from equipoise.planning.published.families import Family, Float, Int, rows_of
from equipoise.planning.published.interface import NoPlan


@dataclass(eq=False)
class Program:
    """Maximise ``objective @ x`` over binary ``x``."""

    names: Sequence[str]
    objective: Float
    families: list[Family] = field(default_factory=list)

    def add(
        self,
        sentence: str,
        row: npt.ArrayLike,
        column: npt.ArrayLike,
        low: npt.ArrayLike,
        high: npt.ArrayLike,
        coefficient: npt.ArrayLike = 1.0,
        *,
        names: Sequence[str] = (),
        unit: str = "",
        most: Float | None = None,
    ) -> None:
        """Add a family; its rows are numbered from 0, ``low`` and ``high`` one for each or one for all."""
        rows = np.asarray(row, dtype=np.int64).ravel()
        columns = np.asarray(column, dtype=np.int64).ravel()
        n = int(rows.max(initial=-1)) + 1
        self.families.append(Family(
            sentence, rows, columns, np.broadcast_to(np.asarray(coefficient, dtype=np.float64), rows.shape),
            np.broadcast_to(np.asarray(low, dtype=np.float64), (n,)),
            np.broadcast_to(np.asarray(high, dtype=np.float64), (n,)), names, unit, most,
        ))

    def solve(self, time_limit_s: float) -> tuple[npt.NDArray[np.bool_], float]:
        """The optimal ``x`` and its value; raises `NoPlan` where there is none or no time to find it."""
        from equipoise.planning.linear.highs import NEARLY, OutOfTime, integer  # SciPy, where it is needed

        size = len(self.names)
        rows = rows_of(self.families, size)
        try:
            answer = integer(-self.objective, rows, 0, 1, integral=False, exact=True, seconds=time_limit_s)
            if answer is not None and np.abs(answer.x - np.rint(answer.x)).max(initial=0.0) > NEARLY:
                # else a corner is whole by itself, and a simplex finds always the same one
                answer = integer(-self.objective, rows, 0, 1, exact=True, seconds=time_limit_s)
        except OutOfTime:
            limit = f"{time_limit_s:g} seconds"
            raise NoPlan(f"its program of {size} variables is not solved in {limit}") from None
        if answer is None:
            reason = f"its constraints contradict each other ({size} variables)"
            raise NoPlan(": ".join(filter(None, (reason, in_the_way(self.families, size, time_limit_s)))))
        return answer.x > 0.5, -answer.value

    def to_lp(self, title: str) -> str:
        """The program in lp_solve's own language, one constraint a line."""
        lines = [f"/* {title} */", "", f"max: {self.terms(self.objective, np.arange(len(self.names)))};"]
        for number, family in enumerate(self.families, start=1):
            lines += ["", f"// {family.sentence}"]
            by_row = np.argsort(family.row, kind="stable")
            ends = np.searchsorted(family.row[by_row], np.arange(len(family.low) + 1))
            for k in range(len(family.low)):
                here = by_row[ends[k] : ends[k + 1]]
                terms = self.terms(family.coefficient[here], family.column[here])
                lines += [f"c{number}_{k}_{side}: {terms} {sign} {bound:g};"
                          for side, sign, bound in sides(family.low[k], family.high[k])]
        lines += ["", "// All variables are binary", "bin", ",\n".join(self.names) + ";", ""]
        return "\n".join(lines)

    def terms(self, coefficient: Float, column: Int) -> str:
        """``2 a + b``: a coefficient of 1 goes without saying."""
        return " + ".join(
            self.names[c] if v == 1 else f"{v:.15g} {self.names[c]}"
            for v, c in zip(coefficient.tolist(), column.tolist(), strict=True) if v
        ).replace("+ -", "- ")


def sides(low: float, high: float) -> list[tuple[str, str, float]]:
    """(label, sign, bound) of each side that a constraint has."""
    if low == high:
        return [("is", "=", low)]
    both = [("max", "<=", high), ("min", ">=", low)]
    return [side for side in both if np.isfinite(side[2])]
