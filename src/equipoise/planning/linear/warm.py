"""A linear program that is asked for again and again, with other ends of its columns: GLOP, of OR-Tools.

The dual simplex method goes on from the corner where the last program ended, which stays right for its
prices whatever ends the columns have (C. E. Lemke, "The dual method of solving the linear programming
problem", 1954). Where GLOP is not sure that no columns keep the rows, HiGHS is asked, which goes on from a
corner of its own.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from ortools.linear_solver import pywraplp
from ortools.linear_solver.linear_solver_pb2 import MPSolutionResponse

from equipoise.planning.linear.binding import DUAL, SOLVED, highs, kept_by, solver_of
from equipoise.planning.linear.highs import Answer, linear
from equipoise.planning.linear.rows import Float64, Rows

MOST = 5_000
"""Iterations: a program takes some hundred, and where thousands are not enough there is no end of them."""
SETTINGS = f"use_dual_simplex: true use_preprocessing: false max_number_of_iterations: {MOST}"
"""What is preprocessed has other columns each time, and no corner to go on from."""


class WarmProgram:
    """Its rows and costs, with the corner of the last optimum."""

    def __init__(self, cost: Float64, rows: Rows, lower: Float64, upper: Float64) -> None:
        """``cost``, ``lower`` and ``upper``: ``(n_columns,)``."""
        self.cost, self.rows = cost, rows
        self.endless = 0
        """How often GLOP came to no end: twice, and it is left alone."""
        self.begin(lower, upper)

    def begin(self, lower: Float64, upper: Float64) -> None:
        """The program without a corner that it was at."""
        self.lower, self.upper = lower, upper
        self.solver = pywraplp.Solver.CreateSolver("GLOP")
        self.solver.SetSolverSpecificParametersAsString(SETTINGS)
        ends = zip(lower.tolist(), upper.tolist(), strict=True)
        self.columns = [self.solver.NumVar(*both, "") for both in ends]
        table = self.rows.table
        ends = zip(self.rows.least.tolist(), self.rows.most.tolist(), strict=True)
        sums = [self.solver.Constraint(*both) for both in ends]
        of_row = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr)).tolist()
        for row, column, factor in zip(of_row, table.indices.tolist(), table.data.tolist(), strict=True):
            sums[row].SetCoefficient(self.columns[column], factor)
        goal = self.solver.Objective()
        for variable, unit in zip(self.columns, self.cost.tolist(), strict=True):
            goal.SetCoefficient(variable, unit)
        goal.SetMinimization()

    def optimum(self, lower: Float64, upper: Float64) -> Answer | None:
        """The optimum with these ends of the columns; None where no columns keep the rows."""
        if self.endless > 1:
            return self.by_highs(lower, upper)
        for column in np.flatnonzero((lower != self.lower) | (upper != self.upper)).tolist():
            self.columns[column].SetBounds(float(lower[column]), float(upper[column]))
        self.lower, self.upper = lower, upper
        status = self.solver.Solve()
        if status == pywraplp.Solver.INFEASIBLE:
            return None
        if status != pywraplp.Solver.OPTIMAL:
            if self.solver.iterations() >= MOST:
                self.endless += 1
                self.begin(lower, upper)  # from another corner it may come to one
            return self.by_highs(lower, upper)
        found = MPSolutionResponse()
        self.solver.FillSolutionResponseProto(found)  # all at once: one by one takes as long as solving
        x, of_rows, value = np.array(found.variable_value), np.array(found.dual_value), found.objective_value
        return Answer(x, value, value, of_rows, self.cost - self.rows.table.T @ of_rows)

    def by_highs(self, lower: Float64, upper: Float64) -> Answer | None:
        """The same by HiGHS, from the corner where it was last."""
        every = np.arange(len(lower), dtype=np.int32)
        self.second.changeColsBounds(len(every), every, lower, upper)
        self.second.run()
        status = self.second.getModelStatus()
        if status == highs.HighsModelStatus.kInfeasible:
            return None
        if status not in SOLVED:
            self.second.clearSolver()
            return linear(self.cost, self.rows, lower, upper)  # with presolve
        found = self.second.getSolution()
        x = np.array(found.col_value)
        value = float(self.cost @ x)
        return Answer(x, value, value, np.array(found.row_dual), np.array(found.col_dual))

    @cached_property
    def second(self) -> highs._Highs:
        """The program in HiGHS."""
        return solver_of(self.cost, self.rows, (self.lower, self.upper), kept_by(DUAL, MOST))
