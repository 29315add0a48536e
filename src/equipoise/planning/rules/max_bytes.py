"""`--max-bytes`: a budget of bytes moved for the whole plan."""

from __future__ import annotations

from math import ceil

import numpy as np
import numpy.typing as npt

from equipoise.errors import UnusableInput
from equipoise.planning.problem.problem import Problem
from equipoise.planning.rules.answer import Answer
from equipoise.planning.rules.draft import Draft
from equipoise.planning.rules.interface import Budget, Option
from equipoise.planning.rules.ways import Trial, Way
from equipoise.wording import plural


class MaxBytes(Budget):
    """The replicas that move may weigh so much in all."""

    name = "max-bytes"
    options = (Option("max-bytes", "At most so many bytes moved (20MB, 1.5GiB)."),)
    of_each = False

    def lay(self, draft: Draft) -> None:
        """Nobody can keep to it who does not know how much a move carries."""
        cluster = draft.cluster
        unknown = np.flatnonzero(np.isnan(cluster.size_bytes) & (cluster.rf > 0))
        if self.is_given(draft.request) and len(unknown):
            raise UnusableInput(
                f"the sizes of {plural(len(unknown), 'partition')} are not known "
                f"({cluster.label(int(unknown[0]))} is the first)",
                source="--max-bytes",
                advice="kafka-log-dirs --describe gives sizes",
            )

    def cost(self, problem: Problem) -> npt.NDArray[np.float64]:
        """In whole bytes; of partitions that are to be created nothing is known, and nothing is moved."""
        return np.rint(np.nan_to_num(problem.cluster.size_bytes))

    def short(self, needed: float, allowed: int) -> str:
        return f"the moves that the rules need carry {ceil(needed):,} bytes; --max-bytes allows {allowed:,}"

    def refusal(self, answer: Answer) -> str | None:
        allowed = self.allowed(answer.problem.request)
        size = round(float(self.used(answer).sum()))
        if allowed is None or size <= allowed:
            return None
        return f"it moves {plural(size, 'byte')}, more than the {allowed} allowed"

    def ways_out(self, trial: Trial) -> tuple[Way, ...]:
        """None for one partition: `Budget.refuse` names how many all of them need."""
        return ()


MAX_BYTES = MaxBytes()
