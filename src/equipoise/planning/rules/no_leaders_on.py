"""`--no-leaders-on`: brokers that hold replicas and lead nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from equipoise.cluster.health import alive
from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.request import Request
from equipoise.planning.rules.answer import Answer, some
from equipoise.planning.rules.draft import Draft
from equipoise.planning.rules.interface import BoolArray, Conflict, Option, Role, Rule
from equipoise.planning.rules.room import Room
from equipoise.planning.rules.ways import Trial, Way, freed


class NoLeadersOn(Rule):
    """The first of each list is a broker that may lead."""

    name = "no-leaders-on"
    role = Role.CONDITION
    options = (Option("no-leaders-on", "Brokers that lead nothing."),)

    def lay(self, draft: Draft) -> None:
        draft.leads[draft.positions(draft.request.no_leaders_on, "--no-leaders-on")] = False

    def broken(self, answer: Answer) -> BoolArray:
        """Of brokers that are down `AssumeAlive` says it."""
        problem = answer.problem
        may = problem.leads | ~alive(problem.cluster.brokers, problem.request.assume_alive)
        led: BoolArray = may[np.maximum(answer.lists[:, 0], 0)]
        return ~led & answer.movable

    def refusal(self, answer: Answer) -> str | None:
        if answer.problem.stays:  # there a partition may have nobody else
            return None
        return "it makes leaders of brokers that may not lead" if self.broken(answer).any() else None

    def closed(self, problem: Problem) -> str | None:
        return None if problem.leads.any() else "no broker is left that may lead a partition"

    def conflict(self, room: Room) -> Conflict | None:
        return stuck(room) or out_of_reach(room)

    def ways_out(self, trial: Trial) -> Iterator[Way]:
        return freed(trial, sorted(trial.request.no_leaders_on), leading, "take {} out of --no-leaders-on")


def stuck(room: Room) -> Conflict | None:
    """A partition whose one replica is pinned where it may not be led."""
    problem = room.problem
    stays = problem.pinned[room.rows] & ~problem.leads[np.maximum(room.lists, 0)]
    at = room.first(some(stays) & (room.rf == 1))
    if at is None:
        return None
    holder = room.lists[at][stays[at]][0]
    does = "keeps" if holder in problem.cluster.replicas[room.rows[at]] else "takes over"
    return Conflict(
        int(room.rows[at]),
        f"broker {problem.cluster.brokers.ids[holder]} {does} partition {room.label(at)}, "
        "which has one replica, and may not lead",
    )


def out_of_reach(room: Room) -> Conflict | None:
    """A partition that stands on no broker that may lead, where none of those may receive."""
    problem = room.problem
    if (problem.receives & problem.leads).any():
        return None
    at = room.first(~some(room.only(room.lists, problem.leads) >= 0))
    if at is None:
        return None
    return Conflict(
        int(room.rows[at]), f"no broker that may lead can take a replica of partition {room.label(at)}"
    )


def leading(request: Request, brokers: Sequence[int]) -> Request:
    return replace(request, no_leaders_on=tuple(b for b in request.no_leaders_on if b not in brokers))
