"""Why a plan does what it does with one partition, or with one broker: as plain data, for every face."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Plan, measures
from equipoise.errors import UnusableInput
from equipoise.files.plan_request import request_in
from equipoise.files.plan_summary import planned_from, reasons_of
from equipoise.planning.problem import shares
from equipoise.planning.problem.problem import Problem
from equipoise.planning.request.laying import build_problem
from equipoise.planning.telling.explain import cause
from equipoise.planning.telling.otherwise import Otherwise, otherwise
from equipoise.report import words
from equipoise.report.heat import transfers
from equipoise.report.moves import KINDS, kinds, moved_bytes
from equipoise.wording import cut

MOST = 5
"""Brokers or topics that are named; others are counted."""
RULES = {
    "drain": "{closed} may hold nothing",
    "replace": "{closed} may hold nothing",
    "replication-factor": "the replication factor would not be what is asked for",
    "assume-alive": "a broker that is not alive would receive or lead it",
    "rack-rule": "a rack would hold more of its replicas than the rule allows",
}
"""Rules whose names do not say enough → what a list that breaks them does; ``closed``: its brokers that are
to be emptied."""


def explained(plan: Plan, what: str) -> dict[str, Any]:
    """Why a partition (``orders-3``) or a broker (``4``) changes as it does.

    Raises `UnusableInput` where the plan has no such thing.
    """
    problem = build_problem(planned_from(plan.cluster), request_in(plan.request))
    if what.isascii() and what.isdigit():
        return of_broker(plan, problem, position_of(plan, what))
    return of_partition(plan, problem, row_of(plan, what))


def position_of(plan: Plan, what: str) -> int:
    """The position of a broker by its id."""
    ids = plan.cluster.brokers.ids.tolist()
    if len(what) > 10 or int(what) not in ids:
        advice = f"The plan has brokers {', '.join(map(str, ids[:MOST]))}{' ...' if len(ids) > MOST else ''}"
        raise UnusableInput(f"there is no broker {cut(what)}", source="explain", advice=advice)
    return ids.index(int(what))


def row_of(plan: Plan, what: str) -> int:
    """The row of a partition by topic and number."""
    cluster = plan.cluster
    topic, _, number = what.rpartition("-")
    if topic in cluster.topics and number.isascii() and number.isdigit() and len(number) <= 10:
        first, end = cluster.topic_start[(at := cluster.topics.index(topic)) : at + 2].tolist()
        found = np.flatnonzero(cluster.partition[first:end] == int(number))
        if len(found):
            return int(first + found[0])
    advice = "Name a partition as TOPIC-NUMBER, or a broker by its id"
    raise UnusableInput(f"the plan has no partition {cut(what)}", source="explain", advice=advice)


def of_partition(plan: Plan, problem: Problem, row: int) -> dict[str, Any]:
    """What happens to a partition, why, and what any other list would break or cost."""
    cluster = plan.cluster
    before, after = ids_of(plan, cluster.replicas[row]), ids_of(plan, plan.target[row])
    changes = np.flatnonzero(plan.changed == row)
    told: dict[str, Any] = {
        "version": 1, "partition": cluster.label(row), "before": before, "after": after,
        "what": KINDS[kinds(plan)[changes[0]]] if len(changes) else "stays as it is",
        "why": reasons_of(plan, np.array([row]))[0] if len(changes) else "",
        "bytes": None, "leaves": [], "comes_to": [], "otherwise": [],
        "log_dirs": dirs_of(plan, row),
    }  # fmt: skip
    if not len(changes):
        return told
    size = moved_bytes(plan, np.array([row]))[0]
    tried = otherwise(problem, plan.target, row)
    tried = [*tried[:1], *sorted(tried[1:], key=lambda one: bool(one.rule))]
    return told | {
        "bytes": None if np.isnan(size) else int(size),
        "leaves": [level(plan, problem, broker) for broker in before if broker not in after],
        "comes_to": [level(plan, problem, broker) for broker in after if broker not in before],
        "otherwise": [alternative(plan, problem, one) for one in tried],
    }


def dirs_of(plan: Plan, row: int) -> list[dict[str, Any]]:
    """The replicas of a partition that stay on their broker and change their log dir."""
    dirs = plan.cluster.dirs
    if dirs is None or plan.dirs is None:
        return []
    held = dirs.held(plan.cluster.ids_of(plan.target))[row]
    moved = np.flatnonzero(plan.dirs.moved(plan.cluster, plan.target)[row]).tolist()
    places = [(int(held[at]), int(plan.dirs.target[row, at])) for at in moved]
    return [
        {
            "broker": (broker := int(dirs.broker[old])), "from": dirs.paths[old], "to": dirs.paths[new],
            "why": plan.dirs.why.get(broker, ""),
        }
        for old, new in places
    ]  # fmt: skip


def ids_of(plan: Plan, positions: Sequence[int] | npt.NDArray[np.int32]) -> list[int]:
    """Broker ids of positions, without padding."""
    return [int(plan.cluster.brokers.ids[at]) for at in positions if at >= 0]


def alternative(plan: Plan, problem: Problem, one: Otherwise) -> dict[str, Any]:
    """Another list and why it is not the plan's, in a sentence."""
    if one.rule:
        shut = ids_of(plan, [at for at in one.positions if not problem.eligible[at]])
        sentence = RULES.get(one.rule, f"breaks the rule {one.rule}").format(closed=listed(shut))
    elif not one.goal:
        sentence = "as good at every goal"
    else:
        sentence = differs(one)
        sentence += "" if one.is_worse else ", which is better: the plan is not proved best there"
    return {
        "list": ids_of(plan, one.positions), "breaks": one.rule or None, "goal": one.goal or None,
        "value": one.value if one.goal else None, "planned": one.planned if one.goal else None,
        "sentence": sentence,
    }  # fmt: skip


def differs(one: Otherwise) -> str:
    """Both values; of squares, which count nothing, only which is more level."""
    title = words.goal_title(one.goal).lower()
    if one.goal in words.SQUARED:
        return f"{title.removesuffix(' level')} would be {'less' if one.is_worse else 'more'} level"
    both = (words.written(one.goal, value) for value in (one.value, one.planned))
    return f"{title}: {' instead of '.join(both)}"


def level(plan: Plan, problem: Problem, broker: int) -> dict[str, Any]:
    """Replicas and leaders of a broker before and after, with its bands."""
    at = int(plan.cluster.brokers.index_of([broker])[0])
    n = plan.cluster.n_brokers
    sides = (plan.cluster.replicas, plan.target)
    held = [int(measures.replicas_per_broker(lists, n)[at]) for lists in sides]
    led = [int(measures.leaders_per_broker(lists, n)[at]) for lists in sides]
    return {
        "broker": broker, "rack": plan.cluster.brokers.racks[at], "may_hold": bool(problem.eligible[at]),
        "replicas": held, "replicas_band": ends(shares.replica_band(problem, plan.target), at),
        "leaders": led, "leaders_band": ends(shares.leader_band(problem, plan.target), at),
    }  # fmt: skip


def ends(band: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]], at: int) -> list[int] | None:
    """Both ends of a broker's band; None where it has none."""
    low, high = (int(side[at]) for side in band)
    return None if high >= shares.ANYTHING else [low, high]


def of_broker(plan: Plan, problem: Problem, at: int) -> dict[str, Any]:
    """What a broker gives and takes, to and from whom, and for which reasons.

    Who gives to whom is told as in the report's map: the k-th replica that goes from a list is taken by the
    k-th that comes to it.
    """
    rows = plan.changed
    touched = rows[(plan.cluster.replicas[rows] == at).any(axis=1) | (plan.target[rows] == at).any(axis=1)]
    table, copies = transfers(plan)
    why = ranked(Counter(map(cause, reasons_of(plan, touched))))
    return {
        "version": 1,
        **level(plan, problem, int(plan.cluster.brokers.ids[at])),
        "down": plan.cluster.brokers.down[at],
        "gives": {"replicas": int(table[at].sum()), "to": partners(plan, table[at])},
        "takes": {
            "replicas": int(table[:, at].sum() + copies[at]),
            "from": partners(plan, table[:, at]),
            "added": int(copies[at]),
        },
        "reasons": [{"why": sentence, "partitions": count} for sentence, count in why],
    }


def partners(plan: Plan, counts: npt.NDArray[np.int64]) -> list[dict[str, int]]:
    """Brokers with the replicas that go to them, or come from them, the most first."""
    ids = plan.cluster.brokers.ids.tolist()
    some = Counter({ids[at]: int(counts[at]) for at in np.flatnonzero(counts).tolist()})
    return [{"broker": broker, "replicas": n} for broker, n in ranked(some)]


def listed(ids: Sequence[int]) -> str:
    """``broker 3`` or ``brokers 3, 4``."""
    return ("broker " if len(ids) == 1 else "brokers ") + ", ".join(map(str, ids))


def ranked(count: Counter[Any]) -> list[tuple[Any, int]]:
    """The most frequent first, equals by name."""
    return sorted(count.items(), key=lambda item: (-item[1], item[0]))
