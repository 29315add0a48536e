"""OR-Tools CP-SAT on the program of a small cluster, where its factors are more than HiGHS tells apart.

HiGHS reckons in floating point; bytes in a row are whole numbers beyond what that keeps. One worker and a
deterministic limit: the same on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

from equipoise.planning.programs.rows import INFINITE, Sheet


@dataclass(frozen=True, eq=False)
class Found:
    """The best columns, ``(n_columns,)``, None if none; their value; a bound of all; the effort it took."""

    x: np.ndarray | None
    value: int
    bound: int
    spent_s: float


class Search:
    """CP-SAT on a program; ``plain``: no factor of it is large."""

    def __init__(self, sheet: Sheet, *, plain: bool) -> None:
        from ortools.sat.python import cp_model

        self.cp_model, self.sheet = cp_model, sheet
        self.cp: Any = cp_model.CpModel()
        bounds = zip(sheet.lower.tolist(), sheet.upper.tolist(), strict=True)
        self.columns = [self.cp.new_int_var(least, most, "") for least, most in bounds]
        table = sheet.table
        for k, (least, most) in enumerate(zip(sheet.least.tolist(), sheet.most.tolist(), strict=True)):
            here = slice(table.indptr[k], table.indptr[k + 1])
            terms = zip(table.indices[here].tolist(), table.data[here].tolist(), strict=True)
            row = sum(factor * self.columns[column] for column, factor in terms)
            least = least if least > -INFINITE else cp_model.INT_MIN
            self.cp.add_linear_constraint(row, least, most if most < INFINITE else cp_model.INT_MAX)
        costs = enumerate(sheet.cost.tolist())
        self.cp.minimize(sum(cost * self.columns[column] for column, cost in costs if cost))
        self.solver: Any = cp_model.CpSolver()
        self.solver.parameters.num_workers = 1
        self.solver.parameters.random_seed = 1
        # else it would take Ctrl-C for the end of its search alone
        self.solver.parameters.catch_sigint_signal = False
        self.solver.parameters.linearization_level = 2
        # Its presolve has been seen to lose the optimum of rows with factors beyond 2**33: what it called
        # the least was 4,761,259,427 bytes where 2,720,394,741 could be had.
        self.solver.parameters.cp_model_presolve = plain

    def least(self, hints: dict[int, int], effort_s: float) -> Found:
        """The least that is found from a start, which ``hints`` tell in part."""
        self.start_from(hints)
        self.solver.parameters.max_deterministic_time = effort_s
        status = self.solver.solve(self.cp)
        spent = self.solver.response_proto.deterministic_time
        if status not in (self.cp_model.OPTIMAL, self.cp_model.FEASIBLE):
            return Found(None, 0, 0, spent)
        x = np.array(self.solver.response_proto.solution, dtype=np.int64)
        value = int(self.sheet.cost @ x) + self.sheet.offset
        bound = ceil(self.solver.best_objective_bound - 1e-6) + self.sheet.offset
        return Found(x, value, bound, spent)

    def start_from(self, hints: dict[int, int]) -> None:
        """Hint at columns and at all that follows from them: the solver starts only from what is whole."""
        for column, value in hints.items():
            self.cp.add_hint(self.columns[column], value)
        self.solver.parameters.fix_variables_to_their_hinted_value = True
        self.solver.solve(self.cp)
        self.solver.parameters.fix_variables_to_their_hinted_value = False
        if whole := list(self.solver.response_proto.solution):
            self.cp.clear_hints()
            for variable, value in zip(self.columns, whole, strict=True):
                self.cp.add_hint(variable, value)
