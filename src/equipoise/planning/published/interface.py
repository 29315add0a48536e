"""The door of the published algorithms: one protocol, one registry, one kind of refusal.

Every algorithm is a module of this package with a ``name`` and a ``run``; it is imported when it
is asked for, so that a plan by one of them pays for no other.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Protocol, cast, runtime_checkable

import numpy as np

from equipoise.cluster import Level, Plan, measures
from equipoise.cluster.brokers import IntArray
from equipoise.cluster.cluster import check_lists
from equipoise.errors import ImpossibleRequest, UnusableInput
from equipoise.planning.budget import bytes_moved
from equipoise.planning.goals import evaluate
from equipoise.planning.problem import Problem
from equipoise.planning.published.settings import Settings, settings_for
from equipoise.planning.request import ALL_GOALS
from equipoise.wording import plural

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
    target = target_of(name, problem, settings)
    sentence = f"so answers the published algorithm '{name}'"
    return Plan(
        cluster=problem.cluster,
        target=target,
        eligible=problem.eligible,
        strategy=name,
        certificate=tuple(
            Level(goal, evaluate(problem, target, goal), 0, "none", "measured, not proved")
            for goal in problem.goals if goal in ALL_GOALS
        ),
        why={int(row): sentence for row in measures.changed_rows(problem.cluster.replicas, target)},
        request=problem.request.to_json(),
        warnings=problem.warnings,
        batch=strategy.batches(problem, target, settings) if isinstance(strategy, Batching) else None,
    )


def check_request(problem: Problem, target: IntArray) -> None:
    """Raise `NoPlan` for an answer that is none: most of the texts know only some of the options."""
    held = target >= 0
    broker = np.maximum(target, 0)
    wrong_rf = (held.sum(axis=1) != problem.rf) & problem.movable
    if wrong_rf.any():
        some = plural(int(wrong_rf.sum()), "partition does", "partitions do")
        raise NoPlan(f"{some} not get the replication factor asked for")
    stranded = held & ~problem.eligible[broker] & problem.movable[:, None]
    if stranded.any() and not problem.request.leaders_only:
        some = plural(int(stranded.sum()), "replica stays", "replicas stay")
        raise NoPlan(f"{some} on brokers to be emptied")
    new = measures.arrivals(problem.current, target)
    if (new & ~problem.receives[broker]).any():
        raise NoPlan("it puts replicas on brokers that may receive none")
    if len(touched := measures.changed_rows(problem.current, target)) and not problem.movable[touched].all():
        raise NoPlan("it changes topics that may not change")
    check_limits(problem, target)


def check_limits(problem: Problem, target: IntArray) -> None:
    """Raise `NoPlan` where a budget or a rule on leaders, which the texts do not know, is broken."""
    request, before = problem.request, problem.cluster.replicas
    new = measures.arrivals(before, target)
    if request.leaders_only and new.any():
        raise NoPlan("it moves data, and only leaders may change")
    if request.max_moves is not None and new.sum() > request.max_moves:
        moved = plural(int(new.sum()), "replica")
        raise NoPlan(f"it moves {moved}, more than the {request.max_moves} allowed")
    if request.max_bytes is not None and (size := round(bytes_moved(problem, target))) > request.max_bytes:
        raise NoPlan(f"it moves {plural(size, 'byte')}, more than the {request.max_bytes} allowed")
    most = request.max_changes_per_partition
    if most is not None and new.sum(axis=1).max(initial=0) > most:
        raise NoPlan(f"it moves more than {plural(most, 'replica')} of one partition")
    if (~problem.leads[target[problem.movable, 0]]).any() and not request.leaders_only:
        raise NoPlan("it makes leaders of brokers that may not lead")
