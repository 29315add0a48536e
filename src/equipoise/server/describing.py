"""The OpenAPI description: bodies, answers, and an example of each."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel

from equipoise.server.calls import (
    SOURCE_EXAMPLE,
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
        202: {"description": "With Prefer: respond-async: the job, to be asked for at Location."},
        **{status: failing(KINDS[status]) for status in sorted(KINDS)},
    }
    return {
        "summary": SUMMARIES[verb],
        "tags": ["plans"],
        "responses": answers,
        "openapi_extra": {
            "requestBody": {
                "required": True,
                "content": {
                    "application/json": {"schema": schema, "example": EXAMPLES[verb]},
                    "text/plain": {"schema": {"type": "string"}, "example": SOURCE_EXAMPLE["text"]},
                },
            }
        },
    }


def of_a_job(*statuses: int) -> dict[str, Any]:
    """What a route to one job says of itself: that there may be no such job, or why it has no result."""
    told = {404, *statuses}
    return {"tags": ["jobs"], "responses": {status: failing(KINDS[status]) for status in sorted(told)}}


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
