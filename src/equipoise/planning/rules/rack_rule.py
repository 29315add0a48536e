"""`--rack-rule`: how many replicas of a partition may stand in one rack."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.measures import rack_limits, replicas_per_rack
from equipoise.errors import UnusableInput
from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.request import Request
from equipoise.planning.rules.answer import Answer
from equipoise.planning.rules.draft import Draft
from equipoise.planning.rules.interface import BoolArray, Conflict, Int64, Option, Role, Rule, Span
from equipoise.planning.rules.room import Room
from equipoise.planning.rules.ways import MOST_NAMED, Step, Trial, Way, listed

NO_RACKS = (
    "no racks are known: two replicas of a partition may land in one zone; give racks with --racks"
)
Count = TypeVar("Count", bound=np.signedinteger[Any])


class RackRule(Rule):
    """No partition has more replicas above its racks' limit than today, all racks together: its *excess*.

    ``strict``: no rack ends with more than one, whatever there is today.
    """

    name = "rack-rule"
    role = Role.CONDITION
    options = (
        Option("rack-rule", "At most ceil(rf / racks) replicas of a partition in a rack, or at most one."),
    )

    def lay(self, draft: Draft) -> None:
        brokers = draft.cluster.brokers
        draft.limit = limits_of(draft)
        if brokers.has_racks:
            refuse_rackless(draft)
        elif draft.rf.max(initial=0) > 1 and not draft.request.leaders_only:
            draft.warnings.insert(0, NO_RACKS)
            if is_strict(draft.request):
                draft.warnings.append("--rack-rule strict keeps nothing apart: no racks are known")

    def in_racks(self, problem: Problem, rows: Int64, now: Int64, growth: int | None = None) -> Span:
        return Span(np.array([[-1]]), most_in_racks(problem, rows, now))

    def broken(self, answer: Answer) -> BoolArray:
        problem, rows = answer.problem, answer.rows
        then = above_limit(problem, rows, answer.racks_after).sum(axis=1)
        return (then > allowed_excess(problem, rows, answer.racks_before)) & answer.movable

    def refusal(self, answer: Answer) -> str | None:
        """None: `compare` counts what a published algorithm breaks of it."""
        return None

    def conflict(self, room: Room) -> Conflict | None:
        places = most_together(room.problem, room.rows, room.now, room.available)
        at = room.first(places < room.rf)
        if at is None:
            return None
        problem, rf = room.problem, int(room.rf[at])
        names = problem.cluster.brokers.rack_names
        left = [name for name, n in zip(names, room.available[at], strict=True) if n]
        if is_strict(problem.request):
            words = (
                f"{rf} racks are needed for RF {rf} with one replica per rack (partition {room.label(at)}); "
                f"{len(left)} {'is' if len(left) == 1 else 'are'} left ({', '.join(left)})"
            )
        else:
            words = (
                f"partition {room.label(at)} needs {rf} places with at most "
                f"{int(problem.limit[room.rows[at]])} per rack; "
                f"the racks ({', '.join(left)}) have {int(places[at])}"
            )
        return Conflict(int(room.rows[at]), words)

    def ways_out(self, trial: Trial) -> Iterator[Way]:
        spread = replace(trial.request, rack_rule="spread")
        if is_strict(trial.request) and trial.allows(spread):
            limit = trial.laid(spread).limit.max()
            yield Way(Step.LOOSEN, f"allow {limit} per rack (--rack-rule spread)")


def refuse_rackless(draft: Draft) -> None:
    """Raise `UnusableInput` where a broker without a rack may hold replicas: nobody knows beside which.

    One that is emptied is no such broker, nor one that is empty and receives nothing.
    """
    brokers = draft.cluster.brokers
    holds = np.isin(np.arange(len(brokers)), draft.current)
    unknown = ~brokers.racked & draft.eligible & (draft.receives | holds)
    if unknown.any():
        ids = brokers.ids[unknown].tolist()
        who, its, it = ("broker {} has", "its rack", "it") if len(ids) == 1 else (
            "brokers {} have", "their racks", "them"
        )  # fmt: skip
        raise UnusableInput(
            f"{who.format(listed(ids))} no rack, while others have one",
            source=draft.cluster.name,
            advice=f"Name {its} (--racks {ids[0]}:RACK), or empty {it} "
            f"(--drain {','.join(map(str, ids[:MOST_NAMED]))})",
        )


def is_strict(request: Request) -> bool:
    """True where one replica in a rack is all, not to be mended as far as possible but kept."""
    return request.rack_rule == "strict"


def allowed_excess(problem: Problem, rows: Int64, now: IntArray | Int64) -> Int64:
    """``(n_rows,)``: excess that partitions with so many replicas ``now`` in each rack may end with.

    That of today, counted by the limit of the replication factor that they have today.
    """
    brokers = problem.cluster.brokers
    if is_strict(problem.request) or not brokers.has_racks:
        return np.zeros(len(now), dtype=np.int64)
    limit = rack_limits(now.sum(axis=1, dtype=np.int32), brokers.rack_idx, problem.eligible & brokers.racked)
    return np.maximum(now - limit[:, None], 0).sum(axis=1, dtype=np.int64)


def most_in_racks(problem: Problem, rows: Int64, now: IntArray | Int64) -> Int64:
    """``(n_rows, n_racks)``: replicas that a rack may hold if it alone has the partition's excess."""
    most = problem.limit[rows] + allowed_excess(problem, rows, now)
    return np.broadcast_to(most[:, None], now.shape)


def most_together(problem: Problem, rows: Int64, now: Int64, places: Int64) -> Int64:
    """``(n_rows,)``: replicas that all racks may hold together, of ``places`` ``(n_rows, n_racks)``."""
    above = above_limit(problem, rows, places).sum(axis=1)
    return np.asarray(places.sum(axis=1) - np.maximum(above - allowed_excess(problem, rows, now), 0))


def limits_of(draft: Draft) -> IntArray:
    """The limit of each partition's racks, ``(n_partitions,)``; without racks there is none."""
    brokers, strict = draft.cluster.brokers, is_strict(draft.request)
    if not brokers.has_racks:
        return np.maximum(draft.rf, 1)
    return rack_limits(draft.rf, brokers.rack_idx, draft.eligible & brokers.racked, strict=strict)


def above_limit(problem: Problem, rows: Int64 | slice, in_rack: npt.NDArray[Count]) -> npt.NDArray[Count]:
    """``(n_rows, n_racks)``: replicas above the limit, of so many ``in_rack``."""
    return np.maximum(in_rack - problem.limit[rows][:, None], 0)


def rack_excess(problem: Problem, replicas: IntArray) -> IntArray:
    """``(n_partitions, n_racks)`` int32: replicas above the limit."""
    counts = replicas_per_rack(replicas, problem.rack_idx, problem.n_racks)
    return above_limit(problem, slice(None), counts)
