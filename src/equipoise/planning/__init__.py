"""A problem in, a plan with its proof out; imports nothing of files, network, Spark or the clock."""

from equipoise.planning.driver.solve import make_plan
from equipoise.planning.goals import ALL_GOALS, DEFAULT_GOALS
from equipoise.planning.problem.params import Effort, Params
from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.request import Request
from equipoise.planning.request.laying import build_problem

__all__ = [
    "ALL_GOALS",
    "DEFAULT_GOALS",
    "Effort",
    "Params",
    "Problem",
    "Request",
    "build_problem",
    "make_plan",
]
