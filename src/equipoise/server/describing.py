"""The OpenAPI description: bodies, answers, and an example of each."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel

from equipoise.planning.request.options import READERS
from equipoise.planning.request.values import flag
from equipoise.server.answers import answering
from equipoise.server.calls import (
    SOURCE_EXAMPLE,
    WHOLE,
    CheckCall,
    CompareCall,
    FrontierCall,
    PlanCall,
    ShowCall,
)
from equipoise.server.failures import STATUS

CALLS: dict[str, type[BaseModel]] = {
    "plan": PlanCall, "check": CheckCall, "compare": CompareCall, "frontier": FrontierCall, "show": ShowCall,
}  # fmt: skip
SUMMARIES = {
    "plan": "Plan a cluster: the whole plan.json",
    "check": "Judge any tool's reassignment",
    "compare": "Every published algorithm on this cluster",
    "frontier": "Balance reached for each budget of data moved",
    "show": "The cluster as it is, without a plan",
    "submit": "The body of Kafka Partitions Assignment Optimizer, and its answer",
}
ASSIGNMENT = {"version": 1, "partitions": [{"topic": "orders", "partition": 0, "replicas": [1, 2]}]}
EXAMPLES: dict[str, Any] = {
    "plan": {"sources": [SOURCE_EXAMPLE], "options": {"brokers": "1,2"}},
    "check": {
        "sources": [SOURCE_EXAMPLE],
        "reassignment": {
            "version": 1, "partitions": [{"topic": "orders", "partition": 1, "replicas": [2, 1]}],
        },
    },
    "compare": {"sources": [SOURCE_EXAMPLE], "time-limit": 5},
    "frontier": {"sources": [SOURCE_EXAMPLE], "budgets": [0, 50, 100]},
    "show": {"sources": [SOURCE_EXAMPLE]},
    "submit": {"brokers": "1:a,2:b,3:a", "partitions": ASSIGNMENT},
}
KINDS = {
    status: ", ".join(kind for kind in STATUS if STATUS[kind] == status) for status in STATUS.values()
}
FAILED = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["kind", "problem"],
            "properties": {
                "kind": {"enum": [*STATUS]}, "problem": {"type": "string"}, "source": {"type": "string"},
                "place": {"type": "string"}, "advice": {"type": "string"},
                "reasons": {"type": "array", "items": {"type": "string"}},
                "relaxations": {"type": "array", "items": {"type": "string"}},
            },
        }
    },
}  # fmt: skip
SUBMISSION = {
    "type": "object",
    "required": ["partitions"],
    "properties": {
        "brokers": {"type": "string", "description": "Ids, each with its rack: 0:a,1:b"},
        "partitions": {"description": "What kafka-reassign-partitions prints as the current assignment."},
    },
}


def described(verb: str) -> dict[str, Any]:
    """What a route of jobs says of itself."""
    schema = {"$ref": f"#/components/schemas/{CALLS[verb].__name__}"} if verb in CALLS else SUBMISSION
    answers: dict[int | str, dict[str, Any]] = {
        200: answering(verb, "What came of it; its job stands in Location."),
        202: answering("job", "With Prefer: respond-async: the job, to be asked for at Location."),
        **{status: failing(KINDS[status]) for status in sorted(KINDS)},
    }
    return {
        "summary": SUMMARIES[verb],
        "tags": ["plans"],
        "responses": answers,
        "openapi_extra": {
            "parameters": [*map(option, READERS), *fields(CALLS.get(verb))],
            "requestBody": {
                "required": True,
                "content": {
                    "application/json": {"schema": schema, "example": EXAMPLES[verb]},
                    "text/plain": {"schema": {"type": "string"}, "example": SOURCE_EXAMPLE["text"]},
                },
            }
        },
    }


def option(name: str) -> dict[str, Any]:
    """An option of a request in the query, as curl gives it: ``?drain=4``."""
    schema = {"type": "boolean"} if READERS[name] is flag else {"type": "string"}
    told = f"As --{name} of equipoise plan; it stands above that of the body."
    return {"name": name, "in": "query", "required": False, "schema": schema, "description": told}


def fields(call: type[BaseModel] | None) -> list[dict[str, Any]]:
    """Keys of a call that a query may give too, as text."""
    if call is None:
        return []
    return [
        {
            "name": info.alias or name, "in": "query", "required": False, "schema": {"type": "string"},
            "description": info.description or "As in the body.",
        }
        for name, info in call.model_fields.items()
        if (info.alias or name) not in WHOLE
    ]  # fmt: skip


def of_a_job(*statuses: int, good: dict[int | str, dict[str, Any]] | None = None) -> dict[str, Any]:
    """What a route to one job says of itself: its good answer, that there is no such job, or no result."""
    failed = {status: failing(KINDS[status]) for status in sorted({404, *statuses})}
    return {"tags": ["jobs"], "responses": (good or {}) | failed}


JOB: dict[int | str, dict[str, Any]] = {200: answering("job", "What it is at, and which parts it made.")}
PART: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The part, in its own media type.",
        "content": {
            "application/json": {"schema": {}},
            **{kind: {"schema": {"type": "string"}} for kind in ("text/plain", "text/html")},
            "application/zip": {"schema": {"type": "string", "contentMediaType": "application/zip"}},
        },
    }
}


def failing(kinds: str) -> dict[str, Any]:
    """An answer that says what went wrong."""
    schema = {"$ref": "#/components/schemas/Failure"}
    return {"description": f"No result: {kinds}.", "content": {"application/json": {"schema": schema}}}


def without_validation(made: dict[str, Any], shapes: dict[str, Any]) -> None:
    """Take out what FastAPI says of checks that it makes for others: ids of jobs are any text."""
    for name in ("HTTPValidationError", "ValidationError"):
        shapes.pop(name, None)
    for methods in made["paths"].values():
        for route in methods.values():
            if "HTTPValidationError" in str(route["responses"].get("422", "")):
                del route["responses"]["422"]


def with_shapes(app: FastAPI) -> None:
    """Put the shapes of bodies and failures into the description."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            made = get_openapi(
                title=app.title, version=app.version, description=app.description, routes=app.routes
            )
            shapes = made.setdefault("components", {}).setdefault("schemas", {})
            shapes |= {"Failure": FAILED}
            without_validation(made, shapes)
            for call in CALLS.values():
                shape = call.model_json_schema(ref_template="#/components/schemas/{model}")
                shapes |= shape.pop("$defs", {})
                shapes[call.__name__] = shape
            app.openapi_schema = made
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]
