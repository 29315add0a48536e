"""`--max-moves`: a budget of data moves for the whole plan."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.planning.problem.problem import Problem
from equipoise.planning.rules.answer import Answer
from equipoise.planning.rules.draft import Draft
from equipoise.planning.rules.interface import Budget, Option
from equipoise.planning.rules.ways import Trial, Way
from equipoise.wording import plural


class MaxMoves(Budget):
    """So many replicas may move in all."""

    name = "max-moves"
    options = (Option("max-moves", "At most so many data moves."),)
    of_each = False

    def lay(self, draft: Draft) -> None:
        """Nothing is closed: each partition may still move."""

    def cost(self, problem: Problem) -> npt.NDArray[np.float64]:
        return np.ones(len(problem.rf))

    def short(self, needed: float, allowed: int) -> str:
        return f"the rules need {plural(int(needed), 'data move')}; --max-moves allows {allowed:,}"

    def refusal(self, answer: Answer) -> str | None:
        allowed = self.allowed(answer.problem.request)
        if not self.broken(answer).any():
            return None
        return f"it moves {plural(int(answer.moves.sum()), 'replica')}, more than the {allowed} allowed"

    def ways_out(self, trial: Trial) -> tuple[Way, ...]:
        """None for one partition: `Budget.refuse` names how many all of them need."""
        return ()


MAX_MOVES = MaxMoves()
