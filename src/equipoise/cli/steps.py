"""``--explain-solver``: which methods ran for which goal, on what size, and what each gained and cost."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from time import process_time
from typing import TYPE_CHECKING

from equipoise.cli.output import say, show

if TYPE_CHECKING:
    from equipoise.cluster import Plan
    from equipoise.planning.solution.size import Size
    from equipoise.planning.solution.solution import Solution
    from equipoise.report.grid import Grid


@dataclass(frozen=True)
class Step:
    """One method for one goal."""

    goal: str
    method: str
    size: str
    gained: str
    """Of its goal; empty where it served all, which `proved` tells."""
    proved: frozenset[str]
    """The goals whose proofs close after it."""
    cpu_s: float
    """Of this process; solvers in other processes are not counted."""


class Steps:
    """Takes down what the driver runs; see `watch.Watch`."""

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def began(self, method: str, goal: str, size: Size | None, solution: Solution | None) -> None:
        self.method, self.goal, self.size, self.before = method, goal, size, solution
        self.start_s = process_time()

    def ended(self, solution: Solution) -> None:
        spent_s = process_time() - self.start_s
        size = str(self.size) if self.size is not None and self.size.unit else ""
        gained = gain(self.goal, self.before, solution)
        proved = frozenset(proof.goal for proof in solution.proofs if proof.closes)
        self.steps.append(Step(self.goal or "all goals", self.method, size, gained, proved, spent_s))

    def show(self, plan: Plan) -> None:
        """Print the table on standard error, beside whatever the plan prints; or why there is none."""
        if not self.steps:
            say("equipoise: --explain-solver is of plans of our own: no use is made of it", error=True)
            return
        show(self.table(plan), stream=sys.stderr)

    def table(self, plan: Plan) -> Grid:
        """One line for each method; what is not known of the plan is not proved by any."""
        from equipoise.report.grid import Grid

        table = Grid("goal", "method", "size", "gained", "CPU s", left=4)
        known = [level.goal for level in plan.certificate if level.value is not None]
        for step in self.steps:
            proved = f"{sum(goal in step.proved for goal in known)} of {len(plan.certificate)} goals proved"
            gained = step.gained or proved
            table.add_row(step.goal, step.method, step.size or "any", gained, f"{step.cpu_s:.2f}")
        return table


def gain(goal: str, before: Solution | None, after: Solution) -> str:
    """What a step changed of its goal; nothing to say where it served all."""
    if before is None or not goal:
        return ""
    old, new = before.proof(goal), after.proof(goal)
    parts = []
    if new.value != old.value:
        parts.append(f"value {old.value:,} to {new.value:,}")
    if new.claims and (not old.claims or new.bound != old.bound):
        parts.append(f"at best {new.bound:,}" + (", proved" if new.closes else f" of {new.value:,}"))
    if (new.global_bound is None) is not (old.global_bound is None) and new.global_bound is not None:
        parts.append(f"at best {new.global_bound.value:,} anywhere")
    return "; ".join(parts) or "nothing"
