"""What a rule is: one unit that says what it closes, who breaks it, when it conflicts, and the ways out.

A rule is a module of this room with one instance in the registry (`equipoise.planning.rules`). A part that is
missing is an error when the package is imported: the class is abstract then, and has no instance.

Methods see a rule through the columns that it lays over a `Problem` and through the replicas that it lets a
rack hold (`Rule.in_racks`). Budgets and rules on loads have no column: what they allow is asked of their
modules. No method reads the option of a rule from the request; a test says where one does.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from enum import Enum
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from equipoise.cluster.brokers import IntArray
from equipoise.errors import ImpossibleRequest
from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.request import Request
from equipoise.planning.rules.answer import Answer
from equipoise.planning.rules.draft import Draft
from equipoise.planning.rules.room import Room
from equipoise.planning.rules.ways import Trial, Way, field_of, is_given

Int64 = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
MANY = 2**31
"""More replicas than there can be, where nothing is asked: Kafka counts in 31 bits."""


class Role(Enum):
    """What a rule is to a request, from what is easiest to give up."""

    CONDITION = "how it is to be done"
    BUDGET = "what it may cost"
    PURPOSE = "what is to be done"


class Option(NamedTuple):
    """An option of the command line without its dashes."""

    name: str
    asks: str
    """What it asks, in a sentence."""


class Span(NamedTuple):
    """Replicas of each partition that each rack may hold; both broadcast to ``(n_rows, n_racks)`` int64.

    What all racks hold above the limit is bounded besides (`rack_rule.allowed_excess`).
    """

    least: Int64
    """-1 where nothing is asked."""
    most: Int64
    """`MANY` where nothing is asked."""


class Conflict(NamedTuple):
    """A partition that a rule leaves no place for."""

    row: int
    words: str


class Rule(ABC):
    """One rule of a request."""

    name: ClassVar[str]
    """Its main option without dashes, which is the name of its module, too."""
    role: ClassVar[Role]
    options: ClassVar[tuple[Option, ...]]
    """The options that it is given by."""

    @property
    def dispensable(self) -> tuple[str, ...]:
        """The options that a request can do without, from the easiest to give up."""
        return tuple(option.name for option in self.options)

    def is_given(self, request: Request) -> bool:
        """True where the request asks for more than everybody gets."""
        return any(is_given(request, option.name) for option in self.options)

    @abstractmethod
    def lay(self, draft: Draft) -> None:
        """Close or pin what the rule asks for; those before it in the registry are laid already.

        Raises `UnusableInput` for what cannot be meant.
        """

    def in_racks(self, problem: Problem, rows: Int64, now: Int64, growth: int | None = None) -> Span | None:
        """How many replicas each rack may hold of ``rows``; None where the rule does not ask.

        ``now`` ``(n_rows, n_racks)``: how many it holds; ``growth``: how many there are to be more of each
        partition, where that does not follow from ``now``. This makes the arcs of every network and the rows
        of every program.
        """
        return None

    @abstractmethod
    def broken(self, answer: Answer) -> BoolArray:
        """``(n_rows,)``: lists that break the rule."""

    @abstractmethod
    def refusal(self, answer: Answer) -> str | None:
        """Why a published algorithm's lists are no answer.

        None where they are one, and for a rule that those are not held to.
        """

    def closed(self, problem: Problem) -> str | None:
        """What is said where the rule leaves no broker for any partition."""
        return None

    def conflict(self, room: Room) -> Conflict | None:
        """A partition that the rule, with those that close brokers, leaves no place for; seen at once.

        What rules forbid only together is found by solving (`request.conflicts`).
        """
        return None

    @abstractmethod
    def ways_out(self, trial: Trial) -> Iterable[Way]:
        """What of the rule could be asked instead."""


class Budget(Rule):
    """A rule that bounds what data moves use up: of each partition, or of all together."""

    role = Role.BUDGET
    of_each: ClassVar[bool]
    """True where each partition has its own; False where all share one."""

    @abstractmethod
    def cost(self, problem: Problem) -> npt.NDArray[np.float64]:
        """``(n_partitions,)``: what one data move of each uses up."""

    @abstractmethod
    def short(self, needed: float, allowed: int) -> str:
        """What is said where the rules need more of it than is allowed."""

    def used(self, answer: Answer) -> npt.NDArray[np.float64]:
        """``(n_rows,)``: what the data moves of each list use up."""
        used: npt.NDArray[np.float64] = self.cost(answer.problem)[answer.rows] * answer.moves
        return used

    def allowed(self, request: Request) -> int | None:
        """How much may be used up; None for any amount."""
        value: int | None = getattr(request, field_of(self.name))
        return value

    def given(self, problem: Problem, allowed: int | None) -> Problem:
        """The problem with so much of it; None: with any amount."""
        asked: dict[str, Any] = {field_of(self.name): allowed}
        return replace(problem, request=replace(problem.request, **asked))

    def broken(self, answer: Answer) -> BoolArray:
        """Lists that use up too much; of a shared budget all that use some.

        Of some lists alone nobody can say that they break a shared one.
        """
        allowed = self.allowed(answer.problem.request)
        if allowed is None or not (self.of_each or answer.only is None):
            return answer.none
        used = self.used(answer)
        over = used > allowed if self.of_each else np.asarray(used.sum() > allowed)
        return (used > 0) & over

    def refuse(self, needed: float, request: Request) -> None:
        """Raise `ImpossibleRequest` if the rules alone need more than is allowed."""
        allowed = self.allowed(request)
        if allowed is not None and needed > allowed:
            least = int(np.ceil(needed))
            raise ImpossibleRequest([self.short(needed, allowed)], [f"allow {least:,} (--{self.name})"])


class LoadRule(Rule):
    """A rule on what brokers or racks bear, which all lists break together and none alone."""

    role = Role.CONDITION
    bearer: ClassVar[str]
    """Who bears it: ``broker`` or ``rack``."""

    @property
    def dispensable(self) -> tuple[str, ...]:
        """Of one partition alone it asks nothing."""
        return ()

    def ways_out(self, trial: Trial) -> tuple[Way, ...]:
        """None for one partition: what does not fit is found once all are placed."""
        return ()

    def is_kept(self, problem: Problem, lists: IntArray) -> bool:
        """True where nobody who receives something bears too much."""
        return not self.broken(Answer(problem, lists)).any()

    def refuse(self, problem: Problem, lists: IntArray) -> None:
        """Raise `ImpossibleRequest` where the best lists that were found break the rule."""
        if not self.is_kept(problem, lists):
            within = f"in which every {self.bearer} that receives something stays within --{self.name}"
            raise ImpossibleRequest(
                [f"no plan was found {within}"], [f"allow more (--{self.name}), or add {self.bearer}s"]
            )
