"""What the OpenAPI description says holds for bodies, queries and ids that nobody would think of."""

from __future__ import annotations

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from jsonschema_rs import validator_for
from schemathesis.generation import GenerationMode
from schemathesis.schemas import BaseSchema
from starlette.testclient import TestClient
from tests.unit.server.conftest import ORDERS

from equipoise.planning.request.options import READERS
from equipoise.server.answers import ANSWERS, SCHEMAS
from equipoise.server.describing import EXAMPLES as EXAMPLE_BODIES

OPERATIONS = (
    "POST /api/plan", "POST /api/check", "POST /api/compare", "POST /api/frontier", "POST /api/show",
    "POST /submit", "GET /api/jobs/{job}", "GET /api/jobs/{job}/{part}", "DELETE /api/jobs/{job}",
    "GET /health", "GET /metrics",
)  # fmt: skip
EXAMPLES = 15
"""Of each kind for each operation: good bodies, and such as break the description."""
SENT = ("method", "url", "params", "headers", "json", "data")
schemathesis.checks.load_all_checks()
CHECKS = schemathesis.checks.CHECKS.get_by_names(
    [
        "not_a_server_error", "status_code_conformance", "content_type_conformance",
        "response_schema_conformance",
    ]
)  # fmt: skip
KINDS = [
    (operation, mode)
    for operation in OPERATIONS
    for mode in GenerationMode
    if mode == GenerationMode.POSITIVE or operation.startswith("POST")  # of the others nothing can be broken
]


@pytest.fixture(scope="module")
def described(client: TestClient) -> BaseSchema:
    return schemathesis.openapi.from_dict(client.get("/openapi.json").json())


@pytest.mark.slow
def test_every_operation_is_tried(described: BaseSchema) -> None:
    """One that is new comes into the list above."""
    found = [result.ok() for result in described.get_all_operations()]
    assert sorted(f"{one.method.upper()} {one.path}" for one in found) == sorted(OPERATIONS)


@pytest.mark.parametrize("verb", EXAMPLE_BODIES)
@pytest.mark.slow
def test_examples_are_true(verb: str, client: TestClient) -> None:
    """The answer to the example of each body has the shape that is described, and so has its own example."""
    schema = validator_for(SCHEMAS[verb])
    schema.validate(ANSWERS[verb])
    path = "/submit" if verb == "submit" else f"/api/{verb}"
    answer = client.post(path, json=EXAMPLE_BODIES[verb])
    assert answer.status_code == 200
    schema.validate(answer.json())
    job = validator_for(SCHEMAS["job"])
    job.validate(ANSWERS["job"])
    job.validate(client.get(answer.headers["location"]).json())


def test_options_of_the_query_are_described(described: BaseSchema, client: TestClient) -> None:
    """All that the command line has, and what is described does what it says."""
    route = client.get("/openapi.json").json()["paths"]["/api/plan"]["post"]
    kinds = {one["name"]: one["schema"]["type"] for one in route["parameters"]}
    assert kinds.keys() == {*READERS, "name", "throttle", "max-inflight"}
    assert (kinds["drain"], kinds["leaders-only"]) == ("string", "boolean")
    told = client.post("/api/plan?drain=4&leaders-only=false", content=ORDERS).json()["request"]
    assert told == {"drain": [4]}


@pytest.mark.slow
@pytest.mark.parametrize(("operation", "mode"), KINDS, ids=lambda part: getattr(part, "value", part))
def test_answers_are_as_described(
    operation: str, mode: GenerationMode, described: BaseSchema, client: TestClient
) -> None:
    """No fault of ours, and no status, media type or shape that the description lacks."""
    method, path = operation.split()
    one = described[path][method]

    @settings(
        max_examples=EXAMPLES, derandomize=True, deadline=None, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(case=one.as_strategy(generation_mode=mode))
    def answered(case: schemathesis.Case) -> None:
        sent = case.as_transport_kwargs(base_url=str(client.base_url))
        answer = client.request(**{name: value for name, value in sent.items() if name in SENT})
        assert "Traceback" not in answer.text
        case.validate_response(answer, checks=CHECKS)

    answered()

