"""The door of the published algorithms: one protocol, one registry, one kind of refusal.

Every algorithm is a module of this package with a ``name`` and a ``run``; it is imported when it
is asked for, so that a plan by one of them pays for no other.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol, cast, runtime_checkable

from equipoise.cluster import Plan
from equipoise.cluster.brokers import IntArray
from equipoise.cluster.cluster import check_lists
from equipoise.errors import ImpossibleRequest, UnusableInput
from equipoise.planning.problem.problem import Problem
from equipoise.planning.published.measured import measured_plan
from equipoise.planning.published.settings import Settings, settings_for
from equipoise.planning.rules import RULES
from equipoise.planning.rules.answer import Answer

STRATEGIES: Mapping[str, str] = {
    "pinterest": "pinterest",
    "pinterest-chains": "pinterest_chains",
    "linear-program": "linear_program",
    "mixed-integer": "mixed_integer",
    "appier": "appier",
    "permutations": "permutations",
    "bin-packing": "bin_packing",
    "capacity": "capacity",
    "wix": "wix",
    "greedy": "greedy",
    "greedy-racks": "greedy_racks",
    "generate": "generate",
}
"""Public name of each algorithm, and its module in this package."""


class NoPlan(ImpossibleRequest):
    """The algorithm found no plan; that another would find one is not excluded."""

    def __init__(self, reason: str) -> None:
        super().__init__([reason])
        self.reason = reason


class Strategy(Protocol):
    """What a module of this package offers."""

    name: str

    def run(self, problem: Problem, settings: Settings) -> IntArray:
        """``(n_partitions, max_rf)`` int32 broker positions, -1 padded; raises `NoPlan`."""
        ...


@runtime_checkable
class Batching(Protocol):
    """What a module offers beside that if its text carries plans out in batches of its own."""

    def batches(self, problem: Problem, target: IntArray, settings: Settings) -> IntArray | None:
        """``(n_partitions,)``: `Plan.batch`."""
        ...


def load(name: str) -> Strategy:
    """The algorithm of that name; raises `UnusableInput` where there is none."""
    if name not in STRATEGIES:
        raise UnusableInput(f"there is no strategy '{name}'", source="--strategy",
                            advice=f"Choose one of flow, {', '.join(STRATEGIES)}")
    return cast("Strategy", importlib.import_module(f"equipoise.planning.published.{STRATEGIES[name]}"))


def target_of(name: str, problem: Problem, settings: Settings | None = None) -> IntArray:
    """The assignment that the algorithm arrives at, checked; raises `NoPlan`.

    Without ``settings`` those of the request hold.
    """
    strategy = load(name)
    settings = settings or settings_for(name, problem.request.strategy_settings)
    if not problem.movable.any():
        return problem.current
    target = strategy.run(problem, settings)
    check_lists(problem.cluster, target)
    check_request(problem, target)
    return target


def plan_with(name: str, problem: Problem) -> Plan:
    """The algorithm's answer as a plan whose levels are measured, with no proof claimed."""
    strategy, settings = load(name), settings_for(name, problem.request.strategy_settings)
    try:
        target = target_of(name, problem, settings)
    except NoPlan as refusal:
        raise NoPlan(f"the published algorithm '{name}' found no plan: {refusal.reason}") from None
    plan = measured_plan(problem, target, name, f"so answers the published algorithm '{name}'")
    if isinstance(strategy, Batching):
        plan = replace(plan, batch=strategy.batches(problem, target, settings))
    return plan


def check_request(problem: Problem, target: IntArray) -> None:
    """Raise `NoPlan` for an answer that is none: most of the texts know only some of the options."""
    answer = Answer(problem, target)
    for rule in RULES:
        reason = rule.refusal(answer)
        if reason is not None:
            raise NoPlan(reason)
