"""One case planned: what is told of it, as one line of a file."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import replace
from typing import Any

import numpy as np
from tools.corpus.cases import Case, request_of
from tools.corpus.processes import Limits, Send, called_apart

from equipoise.cluster import Cluster, Plan
from equipoise.planning import Request, make_plan

Line = dict[str, Any]
AGAIN_BELOW_S = 2.0
"""CPU seconds of a plan up to which it is planned again on its result."""
BUDGETS = ("max_moves", "max_bytes", "max_changes_per_partition")
EXITS = {2: "unusable", 3: "impossible"}
"""Of the errors that reach a user, by their exit code."""


def planned(case: Case, limits: Limits) -> Line:
    """The line of a case, in processes of their own; the CPU seconds are those of planning alone."""
    ended = called_apart(lambda send: plan_once(case, send), limits)
    line: Line = {"name": case.name, "family": case.family}
    for sent in ended.sent:
        line |= sent
    line["cpu_s"] = round(ended.cpu_s - line.pop("drawn_in_s", 0.0), 3)
    line["peak_mb"] = round(ended.peak_mb, 1)
    target = line.pop("target", None)
    if ended.how:
        line["exit"] = ended.how.partition(":")[0]
        line["message"] = line.get("message", ended.how)
    elif target is not None and line["cpu_s"] <= AGAIN_BELOW_S:
        line["again"] = is_empty_again(case, target, line, limits)
    return line


def plan_once(case: Case, send: Send) -> None:
    """Send what the case is, then what came of it."""
    cluster, fields = case.draw()
    send(described(cluster, fields) | {"drawn_in_s": time.process_time()})
    try:
        plan = make_plan(cluster, request_of(fields))
    except Exception as error:
        how = EXITS.get(getattr(error, "exit_code", 0), "crashed")
        send({"exit": how, "message": f"{type(error).__name__}: {error}"})
    else:
        send(told(plan))


def described(cluster: Cluster, fields: dict[str, Any]) -> Line:
    """Size and digest of a cluster, and the request."""
    brokers = cluster.brokers
    digest = hashlib.sha256(json.dumps([fields, brokers.racks, cluster.topics]).encode())
    for column in (
        brokers.ids, brokers.weight, cluster.topic_idx, cluster.partition, cluster.ids_of(cluster.replicas),
        cluster.size_bytes, cluster.bytes_in_per_s, cluster.bytes_out_per_s,
    ):  # fmt: skip
        digest.update(np.ascontiguousarray(column).tobytes())
    return {
        "partitions": cluster.n_partitions,
        "brokers": cluster.n_brokers,
        "racks": len({rack for rack in brokers.racks if rack is not None}),
        "topics": len(cluster.topics),
        "replicas": int(cluster.rf.sum()),
        "request": fields,
        "input": digest.hexdigest()[:16],
    }


def told(plan: Plan) -> Line:
    """What a plan reaches and proves, and its lists."""
    return {
        "exit": "planned",
        "goals": [
            {
                "goal": level.goal,
                "value": plain(level.value),
                "lower_bound": plain(level.lower_bound),
                "proof": str(getattr(level.proof, "value", level.proof)),
                "anywhere": plain(anywhere(level)),
            }
            for level in plan.certificate
        ],
        "data_moves": data_moves(plan),
        "changed": len(plan.changed),
        "lists": digest_of(plan),
        "target": plan.target,
    }


def anywhere(level: Any) -> Any:
    """What no plan is below, wherever replicas stand; the field had another name in earlier versions."""
    return level.global_bound if hasattr(level, "global_bound") else level.anywhere


def plain(figure: Any) -> float | int | None:
    """A figure as JSON has it."""
    return None if figure is None else int(figure) if float(figure).is_integer() else float(figure)


def data_moves(plan: Plan) -> int:
    """Replicas on brokers that did not hold their partition."""
    before, after = plan.cluster.replicas, plan.target
    held = (after[:, :, None] == before[:, None, :]).any(axis=2)
    return int(((after >= 0) & ~held).sum())


def digest_of(plan: Plan) -> str:
    """SHA-256 of every topic, partition and new list, whatever the width of the table."""
    cluster, target = plan.cluster, plan.target
    digest = hashlib.sha256(json.dumps(cluster.topics).encode())
    for column in (cluster.topic_idx, cluster.partition, (target >= 0).sum(axis=1), target[target >= 0]):
        digest.update(np.ascontiguousarray(column, dtype="<i4").tobytes())
    return digest.hexdigest()


def is_empty_again(case: Case, target: np.ndarray, line: Line, limits: Limits) -> bool | None:
    """Whether the same request on the result changes nothing, the budgets spent; None where that is
    something else to ask, or no answer came."""
    goals = tuple(level["goal"] for level in line["goals"])
    if not is_fixed_point(line["request"], goals):
        return None
    ended = called_apart(lambda send: send(plan_again(case, target, goals)), limits)
    return ended.sent[0] if ended.sent and not ended.how else None


def is_fixed_point(fields: dict[str, Any], goals: tuple[str, ...]) -> bool:
    """False for what can be said only once.

    Partitions are created with a factor of their own and a size not known yet; with ``reorders`` before
    ``moves`` a partition that moved could be put back to the brokers it had.
    """
    elsewhere = ("replication_factor", "topics", "exclude_topics", "max_bytes")
    if fields.get("create") and any(fields.get(name) is not None for name in elsewhere):
        return False
    return not {"reorders", "moves"} <= set(goals) or goals.index("moves") < goals.index("reorders")


def plan_again(case: Case, target: np.ndarray, goals: tuple[str, ...]) -> bool:
    """Plan on the result of a plan."""
    cluster, fields = case.draw()
    request = request_of(fields)
    second = make_plan(applied(cluster, request, target), spent(request, goals))
    return second.is_empty


def applied(cluster: Cluster, request: Request, target: np.ndarray) -> Cluster:
    """The cluster once the plan is carried out, with the brokers and partitions that it brings."""
    from equipoise.planning import build_problem

    extended = build_problem(cluster, request).cluster
    return replace(extended, replicas=target, allow_empty_lists=False)


def spent(request: Request, goals: tuple[str, ...]) -> Request:
    """What is asked the second time: nothing is left to create, and the budgets are spent."""
    none: dict[str, Any] = {name: 0 for name in BUDGETS if getattr(request, name) is not None}
    counts = request.balance == ("count",)
    return replace(request, create=(), goals=goals if counts else request.goals, **none)
