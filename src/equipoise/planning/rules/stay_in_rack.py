"""`--stay-in-rack`: a moved replica stays in the rack it leaves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from equipoise.planning.problem.problem import Problem
from equipoise.planning.rules.answer import Answer, some
from equipoise.planning.rules.draft import Draft
from equipoise.planning.rules.interface import MANY, BoolArray, Conflict, Int64, Option, Role, Rule, Span
from equipoise.planning.rules.rack_rule import most_in_racks
from equipoise.planning.rules.room import Room
from equipoise.planning.rules.ways import Trial, Way, leave_out
from equipoise.wording import plural


class StayInRack(Rule):
    """Each rack keeps its number of a partition's replicas, but for those it is to have more, or fewer."""

    name = "stay-in-rack"
    role = Role.CONDITION
    options = (Option("stay-in-rack", "A moved replica stays in the rack it leaves."),)

    def lay(self, draft: Draft) -> None:
        # Nothing is closed: which brokers are left depends on where a replica comes from.
        if self.is_given(draft.request) and not draft.cluster.brokers.has_racks:
            draft.warnings.append("--stay-in-rack keeps nothing in its place: no racks are known")

    def in_racks(self, problem: Problem, rows: Int64, now: Int64, growth: int | None = None) -> Span | None:
        return kept(problem, rows, now, growth) if self.is_given(problem.request) else None

    def broken(self, answer: Answer) -> BoolArray:
        if not self.is_given(answer.problem.request) or answer.problem.n_racks == 1:
            return answer.none
        span = kept(answer.problem, answer.rows, answer.racks_before.astype(np.int64))
        then = answer.racks_after
        return some((then < span.least) | (then > span.most))

    def refusal(self, answer: Answer) -> str | None:
        """None: the published texts know racks that spread replicas, not racks that keep them."""
        return None

    def conflict(self, room: Room) -> Conflict | None:
        problem = room.problem
        if not self.is_given(problem.request) or problem.n_racks == 1:
            return None
        places = np.minimum(room.available, most_in_racks(problem, room.rows, room.now))
        keeps = (room.rf >= room.now.sum(axis=1))[:, None]
        short = keeps & (places < room.now)
        at = room.first(some(short))
        if at is None:
            return None
        rack = int(np.argmax(short[at]))
        return Conflict(
            int(room.rows[at]),
            f"partition {room.label(at)} has {plural(int(room.now[at, rack]), 'replica')} in rack "
            f"{problem.cluster.brokers.rack_names[rack]}, "
            f"which can keep {int(places[at, rack])} under --stay-in-rack",
        )

    def ways_out(self, trial: Trial) -> Iterator[Way]:
        return leave_out(trial, self.name)


def kept(problem: Problem, rows: Int64, now: Int64, growth: int | None = None) -> Span:
    """As many as there are; more where a partition is to have more, fewer where it is to have fewer."""
    more = problem.rf[rows] - now.sum(axis=1) if growth is None else np.array([growth])
    return Span(np.where(more[:, None] >= 0, now, -1), np.where(more[:, None] <= 0, now, MANY))
