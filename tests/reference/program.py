"""0-1 programs for HiGHS, written as sums of variables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import gcd

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, OptimizeResult, milp
from scipy.sparse import csr_array

INFEASIBLE, TROUBLE = 2, 4
"""Answers of `scipy.optimize.milp`: no point meets the constraints; its presolve stumbled."""


@dataclass(frozen=True)
class Sum:
    """A constant and numbers of variables."""

    terms: Mapping[int, int] = field(default_factory=dict)
    constant: int = 0

    def __add__(self, other: Sum | int) -> Sum:
        if isinstance(other, int):
            return Sum(self.terms, self.constant + other)
        terms = dict(self.terms)
        for variable, factor in other.terms.items():
            terms[variable] = terms.get(variable, 0) + factor
        return Sum(terms, self.constant + other.constant)

    def __mul__(self, factor: int) -> Sum:
        return Sum({v: f * factor for v, f in self.terms.items()}, self.constant * factor)

    def __sub__(self, other: Sum | int) -> Sum:
        return self + other * -1

    __rmul__ = __mul__


ZERO, ONE = Sum(), Sum(constant=1)


def total(sums: Iterable[Sum | int]) -> Sum:
    """The sum of many."""
    terms: dict[int, int] = {}
    constant = 0
    for one in sums:
        if isinstance(one, int):
            constant += one
            continue
        constant += one.constant
        for variable, factor in one.terms.items():
            terms[variable] = terms.get(variable, 0) + factor
    return Sum(terms, constant)


class Program:
    """Variables and constraints, to be minimised for one sum after the other."""

    def __init__(self) -> None:
        self._whole: list[bool] = []
        self._rows: list[tuple[Mapping[int, int], float, float]] = []
        self._contradiction = False

    def variable(self, *, whole: bool = True) -> Sum:
        """A new variable: 0 or 1, or (not ``whole``) anything between."""
        self._whole.append(whole)
        return Sum({len(self._whole) - 1: 1})

    def require(self, what: Sum, low: float = -np.inf, high: float = np.inf) -> None:
        """Hold a sum between two numbers."""
        low, high = low - what.constant, high - what.constant
        if any(what.terms.values()):
            part = self._part(what)
            terms = {variable: factor // part for variable, factor in what.terms.items()}
            self._rows.append((terms, low / part, high / part))
        elif low > 0 or high < 0:
            self._contradiction = True

    def _part(self, what: Sum) -> int:
        """What factors of whole variables have in common: the solver tells smaller numbers apart."""
        return gcd(*what.terms.values()) or 1 if all(self._whole[v] for v in what.terms) else 1

    def minimum(self, what: Sum, *, presolve: bool = True) -> tuple[int, np.ndarray] | None:
        """The least value, a whole number, and the variables that reach it; None where nothing does."""
        if self._contradiction:
            return None
        if not self._whole:
            return what.constant, np.zeros(0)
        cost, part = np.zeros(len(self._whole)), self._part(what)
        for variable, factor in what.terms.items():
            cost[variable] = factor // part
        answer = self._solve(cost, presolve=presolve)
        if answer.status == TROUBLE:
            answer = self._solve(cost, presolve=False)
        if answer.status == INFEASIBLE:
            return None
        if answer.status != 0:
            raise RuntimeError(f"HiGHS: {answer.message}")
        return round(answer.fun) * part + what.constant, answer.x

    def _solve(self, cost: np.ndarray, *, presolve: bool) -> OptimizeResult:
        return milp(
            cost,
            integrality=np.array(self._whole, int),
            bounds=Bounds(0, 1),
            constraints=self._constraints(),
            options={"mip_rel_gap": 0, "presolve": presolve},
        )

    def _constraints(self) -> list[LinearConstraint]:
        if not self._rows:
            return []
        at = [(row, v, f) for row, (terms, _, _) in enumerate(self._rows) for v, f in terms.items()]
        row, column, factor = zip(*at, strict=True)
        matrix = csr_array((factor, (row, column)), shape=(len(self._rows), len(self._whole)), dtype=float)
        low, high = [row[1] for row in self._rows], [row[2] for row in self._rows]
        return [LinearConstraint(matrix, low, high)]
