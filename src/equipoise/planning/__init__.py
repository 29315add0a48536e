"""A problem in, a plan with its proof out; imports nothing of files, network, Spark or the clock."""

from equipoise.planning.problem import Problem, build_problem
from equipoise.planning.request import ALL_GOALS, DEFAULT_GOALS, Request
from equipoise.planning.solve import make_plan

__all__ = ["ALL_GOALS", "DEFAULT_GOALS", "Problem", "Request", "build_problem", "make_plan"]
