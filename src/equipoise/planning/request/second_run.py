"""What is asked of a plan's own result."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.request import Request
from equipoise.planning.rules import BUDGETS
from equipoise.planning.rules.ways import field_of


def asked_again(problem: Problem) -> Request:
    """The request of a second run: nothing is left to create, the budgets are spent."""
    spent: dict[str, Any] = {field_of(b.name): 0 for b in BUDGETS if b.is_given(problem.request)}
    return replace(problem.request, create=(), goals=problem.goals, **spent)
