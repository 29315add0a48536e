"""`--assume-alive`, and what holds of every broker that is down without it.

Kafka accepts a broker that is down as a target, and the move waits for ever. A partition of which nobody who
is alive has all data cannot be copied at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from equipoise.cluster import measures
from equipoise.cluster.health import Health, alive
from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.request import Request
from equipoise.planning.rules.answer import Answer, some
from equipoise.planning.rules.draft import Draft
from equipoise.planning.rules.health_words import are, warnings
from equipoise.planning.rules.interface import BoolArray, Conflict, Option, Role, Rule
from equipoise.planning.rules.room import Room
from equipoise.planning.rules.ways import Trial, Way, freed
from equipoise.wording import plural


class AssumeAlive(Rule):
    """No replica and no leader comes to a broker that is down; what Kafka cannot move now stays."""

    name = "assume-alive"
    role = Role.CONDITION
    options = (Option("assume-alive", "Brokers to plan with although a source says that they are down."),)
    dispensable = ()  # it opens, and is in nobody's way

    def lay(self, draft: Draft) -> None:
        """Close brokers as `Cordon` and `NoLeadersOn` do; `Topics` has chosen what may change."""
        draft.positions(draft.request.assume_alive, "--assume-alive")
        health = Health(draft.cluster, draft.request.assume_alive)
        draft.receives &= health.alive
        draft.leads &= health.alive
        draft.stuck = health.stuck & draft.movable
        draft.movable &= ~draft.stuck
        draft.alarms += warnings(health, draft.request, draft.movable)

    def broken(self, answer: Answer) -> BoolArray:
        up = up_in(answer.problem)
        if up.all() and not answer.problem.stuck.any():
            return answer.none
        created = answer.before[:, :1] < 0
        comes = (measures.arrivals(answer.current, answer.lists) | created) & answer.on(~up)
        return some(comes) | self.led(answer) | self.impossible(answer)

    def led(self, answer: Answer) -> BoolArray:
        """``(n_rows,)``: lists that a broker that is down leads, though they may change or do."""
        changes = measures.leadership_changed(answer.current, answer.lists)
        return answer.on(~up_in(answer.problem))[:, 0] & (changes | answer.movable)

    def impossible(self, answer: Answer) -> BoolArray:
        """``(n_rows,)``: lists that change what Kafka cannot move."""
        return answer.changed & answer.problem.stuck[answer.rows]

    def refusal(self, answer: Answer) -> str | None:
        """Of brokers that receive nothing `Cordon` says it."""
        if self.impossible(answer).any():
            return "it changes what cannot be moved now"
        if answer.problem.stays:  # there a partition may have nobody else
            return None
        return "it leaves leaders on brokers that are not alive" if self.led(answer).any() else None

    def conflict(self, room: Room) -> Conflict | None:
        """A partition that had enough brokers if those that are down were up."""
        problem = room.problem
        down = problem.eligible & ~up_in(problem)
        free = down.sum() - (room.only(room.lists, down) >= 0).sum(axis=1)
        short = room.rf - room.available.sum(axis=1)
        at = room.first((short > 0) & (short <= free))
        if at is None:
            return None
        rf, ids = int(room.rf[at]), problem.cluster.brokers.ids[down].tolist()
        return Conflict(
            int(room.rows[at]),
            f"replication factor {rf} of partition {room.label(at)} needs {plural(rf, 'broker')}; "
            f"{int(room.available[at].sum())} can hold it, as {are(ids)} not alive",
        )

    def ways_out(self, trial: Trial) -> Iterator[Way]:
        laid = trial.laid(trial.request)
        down = laid.cluster.brokers.ids[laid.eligible & ~up_in(laid)].tolist()
        return freed(trial, down, assumed, "count {} as alive (--assume-alive)")


def up_in(problem: Problem) -> BoolArray:
    """``(n_brokers,)``: alive, or assumed to be."""
    return alive(problem.cluster.brokers, problem.request.assume_alive)


def assumed(request: Request, brokers: Sequence[int]) -> Request:
    return replace(request, assume_alive=tuple(sorted({*request.assume_alive, *brokers})))
