"""`--replication-factor`, `--create`: how many replicas each partition is to have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from equipoise.errors import UnusableInput
from equipoise.planning.problem.request import Request
from equipoise.planning.rules.answer import Answer
from equipoise.planning.rules.draft import Draft
from equipoise.planning.rules.interface import BoolArray, Conflict, Option, Role, Rule
from equipoise.planning.rules.room import Room
from equipoise.planning.rules.ways import Step, Trial, Way, factor
from equipoise.wording import plural


class ReplicationFactor(Rule):
    """Each partition that may change ends with so many replicas."""

    name = "replication-factor"
    role = Role.PURPOSE
    options = (
        Option("replication-factor", "For the chosen topics, up or down."),
        Option("create", "New topics, or more partitions of one, to be placed."),
    )
    dispensable = ("replication-factor",)  # without --create there would be nothing to place

    def lay(self, draft: Draft) -> None:
        cluster, wanted = draft.cluster, draft.request.replication_factor
        if wanted is not None and wanted < 1:
            raise UnusableInput(
                f"a replication factor of {wanted} is not possible",
                source="--replication-factor",
                advice="Give 1 or more",
            )
        if wanted is not None:
            draft.rf[draft.movable] = wanted
        factors = {topic: factor for topic, _, factor in draft.request.create}
        for row in np.flatnonzero(cluster.rf == 0):
            draft.rf[row] = factors[cluster.topics[cluster.topic_idx[row]]]
            draft.movable[row] = True
        draft.warnings += below_min_isr(draft)

    def broken(self, answer: Answer) -> BoolArray:
        wrong: BoolArray = answer.held.sum(axis=1) != answer.problem.rf[answer.rows]
        return wrong & answer.movable

    def refusal(self, answer: Answer) -> str | None:
        wrong = int(self.broken(answer).sum())
        some = plural(wrong, "partition does", "partitions do")
        return f"{some} not get the replication factor asked for" if wrong else None

    def conflict(self, room: Room) -> Conflict | None:
        at = room.first(room.available.sum(axis=1) < room.rf)
        if at is None:
            return None
        left, rf = int(room.available[at].sum()), int(room.rf[at])
        return Conflict(
            int(room.rows[at]),
            f"replication factor {rf} of partition {room.label(at)} needs {plural(rf, 'broker')}; "
            f"{left} can hold it",
        )

    def ways_out(self, trial: Trial) -> Iterator[Way]:
        """The highest factor below the one asked for that can be had."""
        for lower in range(min(factor(trial) - 1, trial.cluster.n_brokers), 0, -1):
            if trial.allows(lowered(trial.request, lower)):
                yield Way(Step.LOWER, f"lower the replication factor to {lower}")
                return


def below_min_isr(draft: Draft) -> Iterator[str]:
    """What becomes of partitions that are to have fewer replicas than must be in sync: no wave has them."""
    cluster = draft.cluster
    short = draft.movable & (draft.rf < cluster.min_isr) & (cluster.rf >= cluster.min_isr)
    rows = np.flatnonzero(short)
    if len(rows):
        least, them = cluster.min_isr[rows[0]], "it" if len(rows) == 1 else "them"
        yield (
            f"--replication-factor leaves {plural(len(rows), 'partition')} fewer replicas than "
            f"min.insync.replicas ({cluster.label(rows[0])}: {draft.rf[rows[0]]} of {least}): no write with "
            f"acks=all would succeed, and no wave has {them}. Lower min.insync.replicas first"
        )


def lowered(request: Request, factor: int) -> Request:
    """A replication factor for the one partition, created or not."""
    create = tuple((topic, partitions, factor) for topic, partitions, _ in request.create)
    return replace(request, create=create, replication_factor=None if create else factor)
