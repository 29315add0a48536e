"""What answers look like, for the OpenAPI description: the keys that are always there, and examples.

Keys are only ever added to an answer, so schemas name what can be relied on and forbid nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from equipoise.server.jobs import ENDED

Schema = dict[str, Any]
TEXT: Schema = {"type": "string"}
WHOLE: Schema = {"type": "integer"}
TEXTS: Schema = {"type": "array", "items": TEXT}
BROKERS: Schema = {"type": "array", "items": WHOLE, "description": "Ids, the preferred leader first."}
VERSION: Schema = {"const": 1}


def known(kind: str) -> Schema:
    """A value of this type, null where no source tells it."""
    return {"type": [kind, "null"]}


def holding(**properties: Schema) -> Schema:
    """An object that has at least these keys."""
    return {"type": "object", "required": [*properties], "properties": properties}


def listed(**properties: Schema) -> Schema:
    """A list of such objects."""
    return {"type": "array", "items": holding(**properties)}


ROW = {"topic": TEXT, "partition": WHOLE}
ASSIGNMENT = holding(version=VERSION, partitions=listed(**ROW, replicas=BROKERS))
SCHEMAS: Mapping[str, Schema] = {
    "plan": holding(
        version=VERSION, cluster=TEXT,
        summary=holding(
            data_moves=WHOLE, bytes_moved=known("number"), leadership_changes=WHOLE, partitions_changed=WHOLE
        ),
        certificate=listed(
            goal=TEXT, value=known("number"), lower_bound=known("number"), gap=known("number"), proof=TEXT
        ),
        warnings=TEXTS,
        moves=listed(**ROW, before=BROKERS, after=BROKERS, why=TEXT),
    ),
    "check": holding(
        version=VERSION, verdict={"enum": ["pass", "fail"]}, violations=listed(rule=TEXT, detail=TEXT),
        data_moves=WHOLE, bytes_moved=known("number"), leadership_changes=WHOLE, partitions_changed=WHOLE,
        goals={"type": "object", "additionalProperties": known("number")},
        from_optimum=known("array")
        | {"items": holding(goal=TEXT, value=WHOLE, optimum=WHOLE, distance=WHOLE)},
        notes=TEXTS,
    ),
    "compare": holding(
        version=VERSION, cluster=TEXT, warnings=TEXTS,
        rows=listed(strategy=TEXT, reason=TEXT, data_moves=known("integer"), behind=TEXT),
    ),
    "frontier": holding(
        version=VERSION, cluster=TEXT, goal=TEXT, unit={"enum": ["moves", "bytes"]}, warnings=TEXTS,
        knee=known("number"),
        points=listed(
            percent={"type": "number"}, budget=WHOLE, data_moves=known("integer"),
            bytes_moved=known("integer"), value=known("integer"), lower_bound=known("integer"), reason=TEXT,
        ),
    ),
    "show": holding(
        version=VERSION, cluster=TEXT, counts={"type": "object"}, warnings=TEXTS,
        loads=listed(load=TEXT, title=TEXT, unit=TEXT, most=known("number"), skew=known("number")),
        health={"type": "object"}, brokers=listed(id=WHOLE, rack=known("string"), down=known("string")),
    ),
    "submit": ASSIGNMENT,
    "job": holding(
        job=TEXT, verb=TEXT, state={"enum": ["waiting", "running", *ENDED]}, doing=TEXT,
        seconds={"type": "number"}, parts=TEXTS,
    ),
    "health": holding(
        status={"const": "ok"}, version=TEXT, jobs=holding(running=WHOLE, waiting=WHOLE)
    ),
}  # fmt: skip
"""What is asked for → the schema of its answer."""

MOVED = {"topic": "orders", "partition": 1, "before": [1, 2], "after": [2, 1], "why": "broker 1 leads many"}
COSTS = {"data_moves": 0, "bytes_moved": 0, "leadership_changes": 1, "partitions_changed": 1}
ANSWERS: Mapping[str, Any] = {
    "plan": {
        "version": 1, "cluster": "orders", "summary": COSTS,
        "certificate": [
            {"goal": "leaders", "value": 0, "lower_bound": 0, "gap": 0.0, "proof": "flow-dual"}
        ],
        "warnings": [], "moves": [MOVED],
    },
    "check": {
        "version": 1, "verdict": "pass", "violations": [], **COSTS, "goals": {"leaders": 0},
        "from_optimum": [{"goal": "leaders", "value": 0, "optimum": 0, "distance": 0, "apart": [0, 0]}],
        "notes": [],
    },
    "compare": {
        "version": 1, "cluster": "orders", "warnings": [],
        "rows": [{"strategy": "flow", "reason": "", "data_moves": 0, "behind": ""}],
    },
    "frontier": {
        "version": 1, "cluster": "orders", "goal": "replicas", "unit": "moves", "warnings": [], "knee": None,
        "points": [
            {"percent": 100, "budget": 4, "data_moves": 4, "bytes_moved": None, "value": 0, "lower_bound": 0,
             "apart": 1, "reason": ""},
        ],
    },
    "show": {
        "version": 1, "cluster": "orders", "counts": {"brokers": 2}, "warnings": [],
        "loads": [{"load": "leaders", "title": "Preferred leaders", "unit": "count", "most": 2, "skew": 2.0}],
        "health": {"not_alive": []}, "brokers": [{"id": 1, "rack": "a", "down": None, "replicas": 2}],
    },
    "submit": {"version": 1, "partitions": [{"topic": "orders", "partition": 1, "replicas": [2, 1]}]},
    "job": {
        "job": "9f8e7d", "verb": "plan", "state": "running", "doing": "leaders", "seconds": 1.5, "parts": [],
    },
    "health": {"status": "ok", "version": "0.1.0", "jobs": {"running": 0, "waiting": 0}},
}  # fmt: skip
"""What is asked for → an example of its answer, cut short."""


def answering(what: str, description: str) -> dict[str, Any]:
    """The good answer to something, as a route describes it."""
    content = {"application/json": {"schema": SCHEMAS[what], "example": ANSWERS[what]}}
    return {"description": description, "content": content}
