"""Which constraint of a 0-1 program stands in the way: the least by which some have to be broken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from equipoise.planning.published.families import Family, Float, rows_of


def in_the_way(families: Sequence[Family], size: int, time_limit_s: float) -> str:
    """The constraint that has to be broken most, in a sentence; "" where none that has a name is to blame.

    ``size`` is the number of variables. The families whose rows have names may be broken, each unit of one
    costs the same; of those ways the cheapest is taken.
    """
    slack = broken_by(families, size, time_limit_s)
    if slack is None:
        return ""
    worst = int(slack.argmax())
    for family in (family for family in families if family.names):
        if worst < 2 * len(family.low):
            row, above = worst % len(family.low), worst < len(family.low)
            most = family.high if family.most is None else family.most
            limit = float((most if above else family.low)[row])
            off, side, unit = f"{slack.max():.4g}", "above" if above else "below", family.unit
            ends = f"{family.names[row]} ends {off}{unit} {side} its limit of {limit:.4g}{unit}"
            return f"{family.sentence}: {ends}"
        worst -= 2 * len(family.low)
    return ""


def broken_by(families: Sequence[Family], size: int, time_limit_s: float) -> Float | None:
    """What each named row is above, and below, its limits, family by family; None where none has to be."""
    from equipoise.planning.linear.highs import NEARLY, OutOfTime, integer  # SciPy, where it is needed

    wide, end = [], size
    for family in families:
        wide.append(loosened(family, end) if family.names else family)
        end += 2 * len(family.low) if family.names else 0
    rows, slack = rows_of(wide, end), np.arange(end) >= size
    most = np.where(slack, np.inf, 1.0)
    try:
        for whole in (False, True):  # what is fractional may hide it
            answer = integer(slack, rows, 0, most, integral=whole & ~slack, seconds=time_limit_s)
            if answer is None:
                return None
            if answer.value > NEARLY:
                return answer.x[size:]
    except OutOfTime:
        pass
    return None


def loosened(family: Family, first: int) -> Family:
    """The family with two more variables for each row, from ``first`` on: what it is above, and below."""
    n = len(family.low)
    row = np.arange(n)
    return replace(
        family,
        row=np.concatenate([family.row, row, row]),
        column=np.concatenate([family.column, first + row, first + n + row]),
        coefficient=np.concatenate([family.coefficient, -np.ones(n), np.ones(n)]),
    )
