"""The rules of a request, one module each, and everything that is asked of all of them.

A rule is added by writing its module and putting it into `RULES`; what it lacks is an error here, when
it is made. Its option needs a field in `Request`, a reader in `request.options` and a place in the help.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce

import numpy as np
import numpy.typing as npt

from equipoise.cluster.brokers import IntArray
from equipoise.planning.basis.registry import registered
from equipoise.planning.problem.problem import Problem
from equipoise.planning.rules.answer import Answer
from equipoise.planning.rules.assume_alive import AssumeAlive
from equipoise.planning.rules.cordon import Cordon
from equipoise.planning.rules.drain import Drain
from equipoise.planning.rules.interface import Budget, Int64, Role, Rule, Span
from equipoise.planning.rules.leaders_only import LeadersOnly
from equipoise.planning.rules.max_bytes import MAX_BYTES
from equipoise.planning.rules.max_changes_per_partition import MAX_CHANGES
from equipoise.planning.rules.max_fill import MAX_FILL
from equipoise.planning.rules.max_moves import MAX_MOVES
from equipoise.planning.rules.no_leaders_on import NoLeadersOn
from equipoise.planning.rules.rack_capacity import RACK_CAPACITY
from equipoise.planning.rules.rack_rule import RackRule
from equipoise.planning.rules.replace import Replace
from equipoise.planning.rules.replication_factor import ReplicationFactor
from equipoise.planning.rules.stay_in_rack import StayInRack
from equipoise.planning.rules.topics import Topics

BoolArray = npt.NDArray[np.bool_]

REGISTRY: Mapping[str, Rule] = registered(
    Topics(), AssumeAlive(), ReplicationFactor(), Drain(), Replace(),
    Cordon(), NoLeadersOn(), RackRule(), StayInRack(), LeadersOnly(), MAX_FILL,
    RACK_CAPACITY, MAX_MOVES, MAX_BYTES, MAX_CHANGES,
)  # fmt: skip
RULES: tuple[Rule, ...] = tuple(REGISTRY.values())
"""In the order in which they are laid over a cluster and in which what they say is told."""

BUDGETS: tuple[Budget, ...] = tuple(rule for rule in RULES if isinstance(rule, Budget))

OPTIONS: dict[str, str] = {option.name: option.asks for rule in RULES for option in rule.options}
"""What each option of a rule asks, in a sentence."""

EASIEST_FIRST: tuple[str, ...] = tuple(
    option for role in Role for rule in reversed(RULES) if rule.role is role for option in rule.dispensable
)
"""Options that can make a request impossible, from the easiest to give up."""


def broken(answer: Answer) -> BoolArray:
    """``(n_rows,)``: lists that break some rule."""
    return np.logical_or.reduce([rule.broken(answer) for rule in RULES])


def refuse_over_budget(problem: Problem, lists: IntArray) -> None:
    """Raise `ImpossibleRequest` where lists that do no more than the rules need break a shared budget."""
    answer = Answer(problem, lists)
    for budget in BUDGETS:
        if not budget.of_each:
            budget.refuse(float(budget.used(answer).sum()), problem.request)


def within_budgets(problem: Problem, lists: IntArray) -> bool:
    """True where the lists keep every budget of the request."""
    answer = Answer(problem, lists)
    return not any(budget.broken(answer).any() for budget in BUDGETS)


def spans(problem: Problem, rows: Int64, now: Int64, growth: int | None = None) -> Iterator[Span]:
    """`Rule.in_racks` of each rule that asks."""
    for rule in RULES:
        span = rule.in_racks(problem, rows, now, growth)
        if span is not None:
            yield span


def rack_span(problem: Problem, rows: Int64, now: Int64, growth: int | None = None) -> Span:
    """How many replicas each rack may hold by all rules: what `spans` have in common, perhaps nothing."""
    least, most = zip(*spans(problem, rows, now, growth), strict=True)
    return Span(reduce(np.maximum, least), reduce(np.minimum, most))
