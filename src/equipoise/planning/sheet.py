"""The rows and columns of a small cluster's 0-1 program: what its proofs are made of.

The judge writes the same program down by itself. What must agree is how rows and columns are numbered:
they have the order in which `Program` and `Model` make them, and a row's first factor is positive.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from ortools.sat.python.cp_model_helper import FlatIntExpr
from scipy.sparse import csr_array

from equipoise.planning.model import Model

Int64 = npt.NDArray[np.int64]
INFINITE = 2**62
"""A bound from here on is none."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """One goal over whole columns, in plans that are as good at the goals before it."""

    table: Any
    """``(n_rows, n_columns)`` int64, sparse by rows."""
    lower: Int64
    """``(n_columns,)``, as ``upper``."""
    upper: Int64
    least: Int64
    """``(n_rows,)``: of each row's sum, as ``most``."""
    most: Int64
    cost: Int64
    """``(n_columns,)``: what the goal counts."""
    offset: int
    """What it counts besides."""


def sheets(model: Model, values: Mapping[str, int]) -> dict[str, Sheet]:
    """For each goal the program that holds it, and those before it, to their ``values``."""
    writer = Writer(model)
    return {goal: writer.sheet(model.hold(goal, value)) for goal, value in values.items()}


class Writer:
    """Writes a model down as it grows; rows without columns are left out."""

    def __init__(self, model: Model) -> None:
        self.model, self.n_read = model, 0
        self.columns: list[int] = []
        self.factors: list[int] = []
        self.start, self.least, self.most = [0], list[int](), list[int]()

    def read(self) -> None:
        """Take down the rows that are new."""
        constraints = self.model.cp.proto.constraints
        for k in range(self.n_read, len(constraints)):
            factors, least, most = row_of(constraints[k].linear)
            if factors:
                self.columns += factors
                self.factors += factors.values()
                self.start.append(len(self.columns))
                self.least.append(least)
                self.most.append(most)
        self.n_read = len(constraints)

    def sheet(self, counted: Any) -> Sheet:
        """The model as it is, and a goal's expression as costs."""
        self.read()
        bounds = [list(variable.domain) for variable in self.model.cp.proto.variables]
        cost, offset = np.zeros(len(bounds), dtype=np.int64), counted
        if not isinstance(counted, int):
            flat = FlatIntExpr(counted)
            np.add.at(cost, [variable.index for variable in flat.vars], flat.coeffs)
            offset = flat.offset
        table = (np.array(self.factors, dtype=np.int64), np.array(self.columns, dtype=np.int64), self.start)
        return Sheet(
            csr_array(table, shape=(len(self.least), len(bounds))),
            np.array([bound[0] for bound in bounds], dtype=np.int64),
            np.array([bound[-1] for bound in bounds], dtype=np.int64),
            np.array(self.least, dtype=np.int64),
            np.array(self.most, dtype=np.int64),
            cost,
            offset,
        )


Row = tuple[dict[int, int], int, int]


def row_of(linear: Any) -> Row:
    """Factors by column, and the two bounds."""
    factors: dict[int, int] = {}
    for column, factor in zip(linear.vars, linear.coeffs, strict=True):
        factors[column] = factors.get(column, 0) + factor
    factors = {column: factors[column] for column in sorted(factors) if factors[column]}
    bounds = list(linear.domain)
    least, most = max(bounds[0], -INFINITE), min(bounds[-1], INFINITE)
    if factors and next(iter(factors.values())) < 0:
        return {column: -factor for column, factor in factors.items()}, -most, -least
    return factors, least, most

