"""Which constraint of a 0-1 program stands in the way: the least by which some have to be broken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from equipoise.planning.published.families import Family, Float, silent, table

NEARLY = 1e-6


def in_the_way(families: Sequence[Family], size: int, time_limit_s: float) -> str:
    """The constraint that has to be broken most, in a sentence; "" where none that has a name is to blame.

    ``size`` is the number of variables. The families whose rows have names may be broken, each unit of one
    costs the same; of those ways the cheapest is taken.
    """
    slack = broken_by(families, size, time_limit_s)
    if slack is None or slack.max(initial=0.0) <= NEARLY:
        return ""
    worst = int(slack.argmax())
    for family in (family for family in families if family.names):
        if worst < 2 * len(family.low):
            row, above = worst % len(family.low), worst < len(family.low)
            most = family.high if family.most is None else family.most
            limit = float((most if above else family.low)[row])
            side = f"{slack.max():.4g} above" if above else f"{slack.max():.4g} below"
            return f"{family.sentence}: {family.names[row]} ends {side} its limit of {limit:.4g}{family.unit}"
        worst -= 2 * len(family.low)
    return ""


def broken_by(families: Sequence[Family], size: int, time_limit_s: float) -> Float | None:
    """What each named row is above, and below, its limits, family by family; None where nothing was found."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array, hstack, identity

    n_slack = sum(2 * len(family.low) for family in families if family.names)
    constraints, at = [], 0
    for family in families:
        wide: Any = csr_array((len(family.low), n_slack))
        if family.names:
            n = len(family.low)
            unit = identity(n, format="csr")
            parts = [csr_array((n, at)), -unit, unit, csr_array((n, n_slack - at - 2 * n))]
            wide, at = hstack(parts, format="csr"), at + 2 * n
        constraints.append(LinearConstraint(hstack([table(family, size), wide]), family.low, family.high))
    cost = np.concatenate([np.zeros(size), np.ones(n_slack)])
    whole = np.concatenate([np.ones(size), np.zeros(n_slack)])
    bounds = Bounds(0, np.concatenate([np.ones(size), np.full(n_slack, np.inf)]))
    for integrality in (0 * whole, whole):  # what is fractional may hide it
        with silent():
            answer = milp(cost, integrality=integrality, bounds=bounds, constraints=constraints,
                          options={"time_limit": time_limit_s, "presolve": False})
        if answer.x is None:
            return None
        if answer.fun > NEARLY:
            break
    return np.asarray(answer.x[size:])
