"""The verdict on an assignment, whoever made it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Cluster
from equipoise.cluster.apart import Spread, apart
from equipoise.cluster.brokers import IntArray
from equipoise.judge.certificate import Finding
from equipoise.judge.checks import Check, seven_checks
from equipoise.judge.goals.registry import EVERY
from equipoise.judge.levels import costs, levels
from equipoise.judge.loads import COUNTED, load_value
from equipoise.judge.rules import Rules
from equipoise.judge.violations import Case, Violation, check_assignment


@dataclass(frozen=True)
class Verdict:
    """What is wrong with an assignment, what it costs and what it brings."""

    violations: tuple[Violation, ...]
    brokers: tuple[int, ...]
    """Ids of the brokers that are to hold replicas."""
    checks: tuple[Check, ...]
    costs: Mapping[str, Any]
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    goals: Mapping[str, int | None]
    """Value of each goal and of each load that is levelled, None where the sources do not tell what it is
    counted from."""
    apart: Mapping[str, int]
    """Goal → how far brokers are apart in what it levels; empty where that tells nothing."""
    from_optimum: tuple[Mapping[str, Any], ...] | None = None
    """For each goal this value, that of the optimum or its proved bound, and how far it is off; None where
    not known."""
    certificate: tuple[Finding, ...] = ()
    """The levels of a plan's own certificate, re-checked."""
    notes: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """True where no hard rule is broken."""
        return not self.violations

    def to_json(self) -> dict[str, Any]:
        """The verdict as plain JSON data; keys are only ever added."""
        optimum = None if self.from_optimum is None else [dict(entry) for entry in self.from_optimum]
        return {
            "version": 1,
            "verdict": "pass" if self.passed else "fail",
            "violations": [violation.to_json() for violation in self.violations],
            **self.costs,
            "before": dict(self.before),
            "after": dict(self.after),
            "from_optimum": optimum,
            "notes": list(self.notes),
            "goals": dict(self.goals),
            "apart": dict(self.apart),
            "checks": [check.to_json() for check in self.checks],
            "certificate": [asdict(level) for level in self.certificate],
        }


def judge(
    cluster: Cluster,
    target: IntArray,
    rules: Rules,
    *,
    known: npt.NDArray[np.bool_] | None = None,
    also: tuple[Violation, ...] = (),
) -> Verdict:
    """Judge ``target`` ``(n_partitions, max_rf)`` by rules; ``also`` are violations found before."""
    everyone = np.ones(cluster.n_brokers, dtype=bool) if known is None else known
    case = Case(cluster, target, rules, everyone)
    return Verdict(
        brokers=tuple(cluster.brokers.ids[rules.eligible].tolist()),
        violations=(*also, *check_assignment(cluster, target, rules, everyone)),
        checks=seven_checks(cluster, target, rules.eligible),
        costs=costs(cluster, target),
        before=levels(cluster, cluster.replicas, rules.eligible, strict_racks=rules.strict_racks),
        after=levels(cluster, target, rules.eligible, strict_racks=rules.strict_racks),
        goals=values(case),
        apart=apart(EVERY, Spread(cluster, target, rules.eligible, rules.leads)),
    )


def values(case: Case) -> dict[str, int | None]:
    """The value of every goal, then of the loads of the request."""
    known = {goal.name: goal.value(case) if goal.is_known(case) else None for goal in EVERY}
    return known | {load: load_value(load, case) for load in case.rules.loads if load not in COUNTED}


def distance(
    mine: Verdict,
    best: Mapping[str, int | None],
    goals: Sequence[str],
    best_apart: Mapping[str, int] | None = None,
) -> tuple[Mapping[str, Any], ...]:
    """The compared ``goals`` of an assignment and of the best one, side by side, where both are known.

    ``apart`` of an entry is how far brokers are apart here and in the best one (None where only its value is
    known), in goals of which that tells something. The first goal in which they differ decides: an assignment
    that moves less and levels less may be ahead in a later one.
    """
    return tuple(
        {"goal": goal, "value": value, "optimum": optimum, "distance": value - optimum}
        | ({"apart": [mine.apart[goal], (best_apart or {}).get(goal)]} if goal in mine.apart else {})
        for goal in goals
        if (value := mine.goals.get(goal)) is not None and (optimum := best.get(goal)) is not None
    )
