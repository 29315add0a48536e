"""`--cordon`: brokers that keep what they have and receive nothing new."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from equipoise.cluster import measures
from equipoise.planning.problem.request import Request
from equipoise.planning.rules.answer import Answer, some
from equipoise.planning.rules.draft import Draft
from equipoise.planning.rules.interface import BoolArray, Option, Role, Rule
from equipoise.planning.rules.ways import Trial, Way, freed


class Cordon(Rule):
    """No replica comes to a cordoned broker."""

    name = "cordon"
    role = Role.CONDITION
    options = (Option("cordon", "Brokers that receive nothing new."),)

    def lay(self, draft: Draft) -> None:
        draft.receives[draft.positions(draft.request.cordon, "--cordon")] = False

    def broken(self, answer: Answer) -> BoolArray:
        if answer.problem.receives.all():
            return answer.none
        created = answer.before[:, :1] < 0
        new = measures.arrivals(answer.current, answer.lists) | created
        return some(new & answer.on(~answer.problem.receives))

    def refusal(self, answer: Answer) -> str | None:
        return "it puts replicas on brokers that may receive none" if self.broken(answer).any() else None

    def ways_out(self, trial: Trial) -> Iterator[Way]:
        return freed(trial, sorted(trial.request.cordon), uncordoned, "take {} out of --cordon")


def uncordoned(request: Request, brokers: Sequence[int]) -> Request:
    return replace(request, cordon=tuple(b for b in request.cordon if b not in brokers))
