"""`--brokers`, `--add`, `--drain`: which brokers may hold replicas afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from equipoise.errors import UnusableInput
from equipoise.planning.problem.request import Request
from equipoise.planning.rules.answer import Answer, some
from equipoise.planning.rules.draft import Draft
from equipoise.planning.rules.interface import BoolArray, Option, Role, Rule
from equipoise.planning.rules.new_brokers import new_brokers
from equipoise.planning.rules.ways import Trial, Way, freed
from equipoise.wording import plural


class Drain(Rule):
    """Brokers that are drained, or not among those named, end empty; what may not move stays on them."""

    name = "drain"
    role = Role.PURPOSE
    options = (
        Option("drain", "Brokers to empty."),
        Option(
            "brokers", "Brokers that may hold replicas afterwards (ids, ranges, :rack); others are drained."
        ),
        Option("add", "Brokers to add, with their racks."),
    )
    dispensable = ("drain", "brokers")  # brokers that are added are in nobody's way

    def lay(self, draft: Draft) -> None:
        request, ids = draft.request, draft.cluster.brokers.ids
        added = [broker for broker, _ in request.add]
        if request.brokers is not None:
            named = [broker for broker, _ in request.brokers]
            draft.eligible &= np.isin(ids, [*named, *added, *(new for _, new in request.replace)])
        gone = (*request.drain, *(old for old, _ in request.replace))
        draft.eligible[draft.positions(gone, "--drain")] = False
        if not len(ids):
            raise UnusableInput(
                "no broker and no partition is told, so there is nothing to plan",
                source=", ".join(draft.cluster.files) or draft.cluster.name,
                advice="Give the state of a cluster",
            )
        if not draft.eligible.any():
            raise UnusableInput(
                "no broker is left to hold replicas",
                source="--drain" if gone else "--brokers",
                advice="Keep at least one broker",
            )
        for broker in added:
            if broker in request.drain:
                raise UnusableInput(
                    f"broker {broker} cannot be added and drained",
                    source="--add",
                    advice=f"Take {broker} out of --drain",
                )
        warn(draft)

    def broken(self, answer: Answer) -> BoolArray:
        if answer.problem.stays:  # nothing moves
            return answer.none
        return some(stranded(answer))

    def refusal(self, answer: Answer) -> str | None:
        if not self.broken(answer).any():
            return None
        stay = plural(int(stranded(answer).sum()), "replica stays", "replicas stay")
        return f"{stay} on brokers to be emptied"

    def ways_out(self, trial: Trial) -> Iterator[Way]:
        """To keep brokers of the cluster that are to go, or to add some."""
        laid = trial.laid(trial.request)
        gone = np.intersect1d(trial.cluster.brokers.ids, laid.cluster.brokers.ids[~laid.eligible])
        yield from freed(trial, gone.tolist(), kept, "keep {}")
        yield from new_brokers(trial)


def stranded(answer: Answer) -> BoolArray:
    """Mask over the lists: replicas that may move and stay on brokers to be emptied."""
    return answer.on(~answer.problem.eligible) & answer.movable[:, None]


def warn(draft: Draft) -> None:
    """Say what stays on brokers to be emptied."""
    current = draft.current
    barred = (current >= 0) & ~draft.eligible[np.maximum(current, 0)]
    if draft.request.leaders_only and (barred & draft.movable[:, None]).any():
        draft.warnings.append("--leaders-only moves no data: replicas on brokers to be emptied stay there")
    for rows, what in (
        (draft.stuck, "of partitions that cannot be moved now"),
        (~draft.movable & ~draft.stuck, "of topics that may not change"),
    ):
        stay = barred & rows[:, None]
        if stay.any():
            ids = ", ".join(str(i) for i in np.unique(draft.cluster.ids_of(current[stay])))
            draft.warnings.append(
                f"{plural(int(stay.sum()), 'replica')} {what} "
                f"{'stays' if stay.sum() == 1 else 'stay'} on brokers to be emptied ({ids})"
            )


def kept(request: Request, brokers: Sequence[int]) -> Request:
    """Brokers neither drained nor replaced, and named where those that stay are."""
    named = request.brokers
    return replace(
        request,
        brokers=None if named is None else (*named, *((b, None) for b in brokers)),
        drain=tuple(b for b in request.drain if b not in brokers),
        replace=tuple(pair for pair in request.replace if pair[0] not in brokers),
    )
