"""Whole columns where numbers pack, by CP-SAT of OR-Tools; beside the flow solvers its only user.

A linear relaxation says little of what fits where, and a search tree from there ends far from the best.
CP-SAT learns from what does not fit, and begins at columns that are known (docs/decisions/0040-packing.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from ortools.sat.python.cp_model import FEASIBLE, INFEASIBLE, OPTIMAL, CpModel, CpSolver, IntVar, LinearExpr

from equipoise.planning.programs.rows import Int64, Sheet


@dataclass(frozen=True, eq=False)
class Packed:
    """What a search has come to."""

    x: Int64 | None
    """``(n_columns,)``; None where nothing was found."""
    least: int
    """No columns cost less, as CP-SAT claims."""
    effort: float
    """What it took, in units of CP-SAT's deterministic time."""


def packed(sheet: Sheet, known: Mapping[int, bool], effort: float) -> Packed:
    """The best whole columns that are found with some ``effort``; the same ones on every machine.

    ``known``: columns of 0 or 1 and what they are in a solution, where others may follow from those.
    """
    model, solver = CpModel(), CpSolver()
    columns = written(sheet, model)
    for column, value in known.items():
        model.add_hint(columns[column], value)
    # One worker, since several would tell each other what they find when they happen to find it.
    solver.parameters.num_workers = 1
    solver.parameters.linearization_level = 2
    solver.parameters.max_deterministic_time = effort
    # Ctrl-C ends the process and not a search, whose result would be a worse plan.
    solver.parameters.catch_sigint_signal = False
    # With factors as large as bytes its presolve of rows inside others takes solutions for none.
    solver.parameters.presolve_inclusion_work_limit = 0
    status = solver.solve(model)
    spent = solver.deterministic_time
    if status == INFEASIBLE and known:
        solver.parameters.cp_model_presolve = False
        status = solver.solve(model)
        spent += solver.deterministic_time
    if status not in (OPTIMAL, FEASIBLE):
        return Packed(None, 0, spent)
    x = np.array([solver.value(column) for column in columns], dtype=np.int64)
    return Packed(x, int(solver.best_objective_bound) + sheet.offset, spent)


def written(sheet: Sheet, model: CpModel) -> list[IntVar]:
    """The columns of a sheet, once its rows and its goal are in the model."""
    bounds = zip(sheet.lower.tolist(), sheet.upper.tolist(), strict=True)
    columns = [model.new_int_var(lower, upper, "") for lower, upper in bounds]
    start, least, most = sheet.table.indptr.tolist(), sheet.least.tolist(), sheet.most.tolist()
    for row, (first, last) in enumerate(pairwise(start)):
        some = [columns[k] for k in sheet.table.indices[first:last].tolist()]
        of = LinearExpr.weighted_sum(some, sheet.table.data[first:last].tolist())
        model.add_linear_constraint(of, least[row], most[row])
    model.minimize(LinearExpr.weighted_sum(columns, sheet.cost.tolist()))
    return columns
