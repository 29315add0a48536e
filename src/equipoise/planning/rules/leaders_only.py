"""`--leaders-only`: reorders alone, no data moves."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from equipoise.errors import UnusableInput
from equipoise.planning.rules.answer import Answer, some
from equipoise.planning.rules.draft import Draft
from equipoise.planning.rules.interface import BoolArray, Conflict, Option, Role, Rule
from equipoise.planning.rules.room import Room
from equipoise.planning.rules.ways import Trial, Way, leave_out


class LeadersOnly(Rule):
    """Every replica stays on its broker; lists change their order."""

    name = "leaders-only"
    role = Role.CONDITION
    options = (Option("leaders-only", "Reorders alone: no data moves."),)

    def lay(self, draft: Draft) -> None:
        request = draft.request
        draft.stays = request.leaders_only
        moving = request.replication_factor is not None or request.create or request.replace
        if request.leaders_only and moving:
            raise UnusableInput(
                "moves no data",
                source="--leaders-only",
                advice="Leave out --replication-factor, --create and --replace",
            )

    def broken(self, answer: Answer) -> BoolArray:
        if not self.is_given(answer.problem.request):
            return answer.none
        return answer.moves > 0

    def refusal(self, answer: Answer) -> str | None:
        return "it moves data, and only leaders may change" if self.broken(answer).any() else None

    def conflict(self, room: Room) -> Conflict | None:
        if not self.is_given(room.problem.request):
            return None
        leaderless = ~some(room.only(room.lists, room.problem.leads) >= 0)
        bad = leaderless & some(room.lists >= 0)
        if not bad.any():
            return None
        at = int(np.argmax(bad))
        return Conflict(
            int(room.rows[at]),
            f"partition {room.label(at)} stands only on brokers that may not lead, "
            "and --leaders-only moves nothing",
        )

    def ways_out(self, trial: Trial) -> Iterator[Way]:
        return leave_out(trial, self.name)
