"""Ways out of a conflict: one sentence each, tried on a single partition before it is named."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from enum import IntEnum
from typing import NamedTuple, Protocol

from equipoise.cluster import Cluster
from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.request import Request

MOST_NAMED = 20
"""Brokers in one sentence."""
NOTHING = Request()
"""What stands for an option that is not given."""

Without = Callable[[Request, Sequence[int]], Request]
"""A request without its rule for some brokers."""


class Step(IntEnum):
    """How far a way out leads away from what was asked; the nearest ones are named first."""

    LOOSEN = 1
    """One rule asks less, or nothing."""
    FREE = 2
    """One rule leaves out some brokers."""
    LOWER = 3
    """There are fewer replicas."""
    ADD = 4
    """There are more brokers."""


class Way(NamedTuple):
    """One way out."""

    step: Step
    words: str


class Trial(Protocol):
    """A partition on which requests are tried, as a cluster of its own."""

    @property
    def cluster(self) -> Cluster: ...

    @property
    def request(self) -> Request:
        """What is asked of it, which cannot be had."""
        ...

    def laid(self, request: Request) -> Problem:
        """Another request, laid over the cluster."""
        ...

    def allows(self, request: Request) -> bool:
        """True where the partition can satisfy another request."""
        ...

    def changes(self, request: Request) -> int | None:
        """The fewest replicas that change, None where the rules leave no place for them."""
        ...


def field_of(option: str) -> str:
    """The field of a `Request` that an option fills."""
    return option.replace("-", "_")


def is_given(request: Request, option: str) -> bool:
    return bool(getattr(request, field_of(option)) != getattr(NOTHING, field_of(option)))


def left_out(request: Request, options: Sequence[str]) -> Request:
    """The request without some options."""
    return replace(request, **{field_of(option): getattr(NOTHING, field_of(option)) for option in options})


def leave_out(trial: Trial, option: str) -> Iterator[Way]:
    """To do without an option, where it is given and that is enough."""
    if is_given(trial.request, option) and trial.allows(left_out(trial.request, [option])):
        yield Way(Step.LOOSEN, f"leave out --{option}")


def freed(trial: Trial, brokers: Sequence[int], without: Without, words: str) -> Iterator[Way]:
    """Any one of some brokers freed of a rule, or as few as it takes."""
    some = [b for b in brokers if trial.allows(without(trial.request, [b]))]
    if some:
        named = f"one of brokers {listed(some)}" if len(some) > 1 else f"broker {some[0]}"
        yield Way(Step.FREE, words.format(named))
    elif brokers and trial.allows(without(trial.request, brokers)):
        needed = list(brokers)
        for broker in brokers:
            fewer = [b for b in needed if b != broker]
            if trial.allows(without(trial.request, fewer)):
                needed = fewer
        yield Way(Step.FREE, words.format(f"brokers {listed(needed)}"))


def listed(brokers: Sequence[int]) -> str:
    """``4, 7``, cut short where there are many."""
    more = ", ..." if len(brokers) > MOST_NAMED else ""
    return ", ".join(str(b) for b in brokers[:MOST_NAMED]) + more


def factor(trial: Trial) -> int:
    """The replication factor that the partition is to have."""
    problem = trial.laid(trial.request)
    return int(problem.rf[problem.movable].max())
