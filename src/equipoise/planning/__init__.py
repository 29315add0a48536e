"""A problem in, a plan with its proof out; imports nothing of files, network, Spark or the clock.

Each name is imported when it is first used: a process that solves flows for another needs none of them.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from equipoise.planning.driver.solve import make_plan
    from equipoise.planning.goals import ALL_GOALS, DEFAULT_GOALS
    from equipoise.planning.problem.params import Effort, Params
    from equipoise.planning.problem.problem import Problem
    from equipoise.planning.problem.request import Request
    from equipoise.planning.request.laying import build_problem

HOMES = {
    "driver.solve": "make_plan",
    "goals": "ALL_GOALS DEFAULT_GOALS",
    "problem.params": "Effort Params",
    "problem.problem": "Problem",
    "problem.request": "Request",
    "request.laying": "build_problem",
}
"""The modules of the names."""

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

if not TYPE_CHECKING:  # type checkers would take any name for one of ours

    def __getattr__(name):
        """The name from its module; see PEP 562."""
        from importlib import import_module

        home = next((home for home, names in HOMES.items() if name in names.split()), None)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        found = globals()[name] = getattr(import_module(f"{__name__}.{home}"), name)
        return found
