"""Judging a plan directory: its assignment, its certificate, and whether all its files agree.

The digests of a directory tell accidents apart from what was written. Here every file is made
again from the plan and compared, so that a change is found even where the digests were mended too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import orjson

from equipoise.cluster import Plan
from equipoise.cluster.proofs import StrategyName
from equipoise.files.plan_directory import contents
from equipoise.judge import Case, Verdict, Violation, judge, rules_of
from equipoise.judge.certificate import as_violations, untold, verify
from equipoise.judge.log_dirs import judge_dirs


def audit(plan: Plan, out: Path) -> Verdict:
    """The verdict on a plan directory that was read as ``plan``, and on whether its files agree."""
    return proved_again(plan, contradictions(plan, out))


def proved_again(plan: Plan, contradicted: Iterable[str] = ()) -> Verdict:
    """The verdict on a plan by the rules that it was made for, with its certificate."""
    cluster = plan.cluster
    rules = rules_of(cluster, plan.request)
    everyone = np.ones(cluster.n_brokers, dtype=bool)
    found = verify(Case(cluster, plan.target, rules, everyone), plan.certificate, plan.proofs)
    told = (*strangers(plan), *contradicted)
    also = [Violation("files", None, None, None, sentence) for sentence in told]
    if not np.array_equal(rules.eligible, plan.eligible):
        also.append(Violation("files", None, None, None, "eligible brokers are not those of the request"))
    dirs, broken = judge_dirs(Case(cluster, plan.target, rules, everyone), plan.dirs, plan.request)
    found = (*found, *dirs)
    verdict = judge(cluster, plan.target, rules, also=(*also, *broken, *as_violations(found)))
    return replace(verdict, certificate=found, notes=tuple(untold(plan.certificate, found)))


def strangers(plan: Plan) -> Iterator[str]:
    """A sentence where what made the plan is no strategy, or not the one that was asked for."""
    if plan.strategy not in list(StrategyName):
        yield f"plan.json: there is no strategy called {plan.strategy}"
    elif plan.strategy != plan.request.get("strategy", StrategyName.FLOW):
        yield f"plan.json: 'strategy' is {plan.strategy}, which is not what was asked for"


def contradictions(plan: Plan, out: Path) -> Iterator[str]:
    """A sentence for each file that is not what the plan makes it."""
    for name, data in contents(plan):
        if name == "plan.json":
            yield from plan_json_differs(data, (out / name).read_bytes())
        elif not (out / name).is_file():
            yield f"{name} is missing"
        elif (out / name).read_bytes() != data:
            yield f"{name} is not what the plan says"
    yield from waves_differ(out)


def plan_json_differs(expected: bytes, found: bytes) -> Iterator[str]:
    """Keys whose values do not follow from the plan; keys that only a newer version writes may be missing."""
    if expected == found:
        return
    wanted, have = orjson.loads(expected), orjson.loads(found)
    for key in have:
        if key not in wanted or have[key] != wanted[key]:
            yield f"plan.json: '{key}' does not follow from the rest"


def waves_differ(out: Path) -> Iterator[str]:
    """No wave moves what the reassignment does not, or what another wave does."""
    left = set(partition_lines(out / "reassignment.json"))
    for path in sorted((out / "waves").glob("[0-9]*.json")):
        wave = partition_lines(path)
        if not left.issuperset(wave) or len(set(wave)) < len(wave):
            yield f"waves/{path.name} moves what the plan does not, or what an earlier wave moves"
        left.difference_update(wave)


def partition_lines(path: Path) -> list[bytes]:
    """The line of each partition in a file that this package wrote."""
    lines = path.read_bytes().splitlines()
    return [line.rstrip(b",") for line in lines if line.startswith(b'{"topic"')]
