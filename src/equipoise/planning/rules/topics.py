"""`--topics`, `--exclude-topics`: what may change; all else stays as it is and still counts as load."""

from __future__ import annotations

import numpy as np

from equipoise.cluster import Cluster
from equipoise.errors import UnusableInput
from equipoise.patterns import matches
from equipoise.planning.rules.answer import Answer
from equipoise.planning.rules.draft import Draft
from equipoise.planning.rules.interface import BoolArray, Option, Role, Rule
from equipoise.planning.rules.ways import Trial, Way
from equipoise.wording import quoted


class Topics(Rule):
    """Only partitions of chosen topics change."""

    name = "topics"
    role = Role.PURPOSE
    options = (
        Option("topics", "Topics that may change (whole name); the others still count as load."),
        Option("exclude-topics", "Topics that may not change."),
    )
    dispensable = ()  # fewer partitions that change are never in the way of one of them

    def lay(self, draft: Draft) -> None:
        chosen = np.ones(len(draft.cluster.topics), dtype=bool)
        if draft.request.topics is not None:
            wanted = matching(draft.cluster, draft.request.topics, "--topics")
            if not wanted.any():
                raise UnusableInput(
                    f"no topic matches {quoted(draft.request.topics)}",
                    source="--topics",
                    advice="It has to match the whole name",
                )
            chosen &= wanted
        if draft.request.exclude_topics is not None:
            excluded = matching(draft.cluster, draft.request.exclude_topics, "--exclude-topics")
            if not excluded.any():
                pattern = quoted(draft.request.exclude_topics)
                draft.warnings.append(
                    f"--exclude-topics leaves out none: no topic matches {pattern} with its whole name"
                )
            chosen &= ~excluded
        draft.movable = chosen[draft.cluster.topic_idx]

    def broken(self, answer: Answer) -> BoolArray:
        if answer.problem.movable.all():
            return answer.none
        return answer.changed & ~answer.movable & ~answer.problem.stuck[answer.rows]

    def refusal(self, answer: Answer) -> str | None:
        return "it changes topics that may not change" if self.broken(answer).any() else None

    def ways_out(self, trial: Trial) -> tuple[Way, ...]:
        return ()


def matching(cluster: Cluster, pattern: str, option: str) -> BoolArray:
    """``(n_topics,)``: topics whose whole name matches; raises `UnusableInput` for what is no pattern."""
    return np.array(matches(pattern, cluster.topics, option), dtype=bool)
