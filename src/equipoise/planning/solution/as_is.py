"""The plan that changes nothing."""

from __future__ import annotations

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.planning.problem.problem import Problem
from equipoise.planning.rules import broken
from equipoise.planning.rules.answer import Answer


def as_it_is(problem: Problem) -> IntArray | None:
    """The lists as they are, if they keep every rule."""
    lists = problem.current
    unchanged = np.array_equal(lists, problem.cluster.replicas)
    return lists if unchanged and not broken(Answer(problem, lists)).any() else None
