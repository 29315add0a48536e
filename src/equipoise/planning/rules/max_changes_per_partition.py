"""`--max-changes-per-partition`: a budget of data moves for each partition."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from equipoise.planning.problem.problem import Problem
from equipoise.planning.rules.answer import Answer
from equipoise.planning.rules.draft import Draft
from equipoise.planning.rules.interface import Budget, Conflict, Int64, Option
from equipoise.planning.rules.rack_rule import most_together
from equipoise.planning.rules.room import Room
from equipoise.planning.rules.ways import Step, Trial, Way
from equipoise.wording import plural


class MaxChangesPerPartition(Budget):
    """So many replicas of each partition may move; one that is created moves none."""

    name = "max-changes-per-partition"
    options = (Option("max-changes-per-partition", "At most so many data moves of one partition."),)
    of_each = True

    def lay(self, draft: Draft) -> None:
        """Nothing is closed: each partition may move by itself."""

    def cost(self, problem: Problem) -> npt.NDArray[np.float64]:
        return np.ones(len(problem.rf))

    def short(self, needed: float, allowed: int) -> str:
        return f"has to change {plural(int(needed), 'replica')}; --{self.name} allows {allowed}"

    def refusal(self, answer: Answer) -> str | None:
        if not self.broken(answer).any():
            return None
        most = plural(self.allowed(answer.problem.request) or 0, "replica")
        return f"it moves more than {most} of one partition"

    def conflict(self, room: Room) -> Conflict | None:
        problem = room.problem
        allowed = self.allowed(problem.request)
        if allowed is None:
            return None
        stays = most_together(problem, room.rows, room.now, room.kept)
        needed = np.maximum(room.rf - stays, 0)
        at = room.first((problem.cluster.rf[room.rows] > 0) & (needed > allowed))
        if at is None:
            return None
        return Conflict(int(room.rows[at]), f"partition {room.label(at)} {self.short(needed[at], allowed)}")

    def ways_out(self, trial: Trial) -> Iterator[Way]:
        needed = trial.changes(trial.request) if self.is_given(trial.request) else None
        if needed is not None and needed > (self.allowed(trial.request) or 0):
            yield Way(Step.LOOSEN, f"allow {needed} (--{self.name})")


MAX_CHANGES = MaxChangesPerPartition()


def most_arrivals(problem: Problem, rows: Int64) -> Int64 | None:
    """``(n_rows,)``: replicas of each partition that may come to brokers; None for any number."""
    allowed = MAX_CHANGES.allowed(problem.request)
    if allowed is None:
        return None
    created = problem.cluster.rf[rows] == 0  # those have nothing to move
    return np.where(created, problem.rf[rows], allowed).astype(np.int64)
