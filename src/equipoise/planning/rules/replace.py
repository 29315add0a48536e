"""`--replace`: one broker for another, list by list; the successor gives nothing away."""

from __future__ import annotations

import numpy as np

from equipoise.cluster.health import alive
from equipoise.errors import UnusableInput
from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.request import Request
from equipoise.planning.rules.answer import Answer, some
from equipoise.planning.rules.draft import Draft
from equipoise.planning.rules.interface import BoolArray, Option, Role, Rule
from equipoise.planning.rules.ways import Trial, Way


class Replace(Rule):
    """What stands on a successor stays there, and it stands where the old broker stood."""

    name = "replace"
    role = Role.PURPOSE
    options = (Option("replace", "One for one: what stood on the old broker moves to the new one."),)

    def lay(self, draft: Draft) -> None:
        """Exchange each replaced broker in place, and pin all that stands on its successor then.

        What the successor held before is pinned as well: a second run sees the same lists and cannot
        tell what was taken over from what was there.
        """
        refuse_contradictions(draft.request)
        up = alive(draft.cluster.brokers, draft.request.assume_alive)
        before = draft.cluster.replicas
        for old_id, new_id in draft.request.replace:
            old, new = draft.cluster.brokers.index_of(np.array([old_id, new_id])).tolist()
            if not up[new]:
                why = draft.cluster.brokers.down[new]
                raise UnusableInput(
                    f"broker {new_id} is not alive ({why}) and cannot replace another",
                    source="--replace",
                    advice=f"Start it, or give --assume-alive {new_id}",
                )
            free = draft.movable & ~(draft.current == new).any(axis=1)
            draft.current[(before == old) & free[:, None]] = new
            draft.pinned |= (draft.current == new) & draft.movable[:, None]

    def broken(self, answer: Answer) -> BoolArray:
        given_away = np.zeros(len(answer.lists), dtype=bool)
        for k in np.flatnonzero(answer.problem.pinned.any(axis=0)):
            pinned, broker = answer.problem.pinned[answer.rows, k], answer.current[:, k : k + 1]
            given_away |= pinned & ~some(answer.lists == broker)
        return given_away

    def refusal(self, answer: Answer) -> str | None:
        """None: no published text knows successors, and what they give away is for the judge to say."""
        return None

    def ways_out(self, trial: Trial) -> tuple[Way, ...]:
        """None of its own: `Drain` offers to keep brokers that are replaced as well."""
        return ()


def refuse_contradictions(request: Request) -> None:
    """Raise for a successor that another option empties or closes."""
    for _, new in request.replace:
        if new in request.drain:
            problem, against = "cannot replace another and be drained", "--drain"
        elif new in request.cordon:
            problem, against = "is cordoned and cannot replace another", "--cordon"
        else:
            continue
        advice = f"Take {new} out of {against}"
        raise UnusableInput(f"broker {new} {problem}", source="--replace", advice=advice)


def successors(problem: Problem) -> dict[int, int]:
    """Ids of the brokers that are replaced, with those that take over."""
    return dict(problem.request.replace)
