"""What can be asked over HTTP: the shape of each body, and its reading.

A body is either a call, JSON with the key ``sources``, or the very text of one source; then the options are
those of the query. Options have the names and values of the command line and are read by the same reader.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

import orjson
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from equipoise.errors import UnusableInput
from equipoise.planning.request.options import READERS
from equipoise.planning.request.values import flag
from equipoise.wording import cut

FLAGS = {"": True, "true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
"""How a query writes what is set or not."""
WHOLE = {"sources", "options", "reassignment"}
"""Keys of a call that no query can give."""
SOURCE_EXAMPLE = {
    "name": "topics.txt",
    "text": "Topic: orders\tPartitionCount: 2\tReplicationFactor: 2\tConfigs:\n"
    "Topic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n"
    "Topic: orders\tPartition: 1\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n",
}


class Shape(BaseModel):
    """Keys that are none are refused."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class Source(Shape):
    """A file: its name and its content, as text or in base64 (gzip, a zip of a snapshot folder)."""

    name: str = Field("cluster", max_length=400)
    text: str | None = None
    base64: str | None = None

    def content(self) -> bytes:
        """The bytes; raises `UnusableInput` unless exactly one of the two is given and sound."""
        if (self.text is None) == (self.base64 is None):
            raise UnusableInput("has to have either text or base64", source=cut(self.name))
        if self.text is not None:
            return self.text.encode("utf-8", "surrogatepass")
        try:
            return base64.b64decode(self.base64 or "", validate=True)
        except (binascii.Error, ValueError):
            raise UnusableInput("is not base64", source=cut(self.name)) from None


Options = Annotated[
    dict[str, JsonValue],
    Field(
        description="The options of `equipoise plan`, named as there without the dashes.",
        examples=[{"drain": "4", "racks": {"1": "a", "2": "b"}, "max-moves": 10}],
        json_schema_extra={"propertyNames": {"enum": list(READERS)}},
    ),
]


class Call(Shape):
    """A cluster, and what is wished for it."""

    sources: list[Source] = Field(min_length=1, max_length=200, examples=[[SOURCE_EXAMPLE]])
    name: str | None = Field(None, max_length=200, description="What the cluster is called.")
    options: Options = Field(default_factory=dict)


class PlanCall(Call):
    """As `equipoise plan`."""

    throttle: str | int | None = Field(None, description="Bytes a second for the waves: 20MB.")
    max_inflight: str | int | None = Field(
        None, alias="max-inflight", description="Partitions in flight at most."
    )


class CheckCall(Call):
    """As `equipoise check`: any tool's reassignment, judged."""

    reassignment: Source | dict[str, JsonValue] = Field(
        union_mode="left_to_right",
        description="Kafka's JSON, or a file that has it.",
        examples=[{"version": 1, "partitions": [{"topic": "orders", "partition": 1, "replicas": [2, 1]}]}],
    )
    optimum: bool = Field(True, description="Plan the same state too, to see the distance.")

    def proposal(self) -> bytes:
        """The bytes of what is judged."""
        if isinstance(self.reassignment, Source):
            return self.reassignment.content()
        return orjson.dumps(self.reassignment)


class CompareCall(Call):
    """As `equipoise compare`."""

    time_limit: float = Field(
        10.0, alias="time-limit", ge=0.1, le=600, description="Seconds an algorithm may take."
    )


class FrontierCall(Call):
    """As `equipoise frontier`."""

    budgets: list[Annotated[float, Field(ge=0, le=100)]] | None = Field(
        None, min_length=1, max_length=50, description="Percent of what the plan without a budget moves."
    )


class ShowCall(Call):
    """As `equipoise show`."""


AnyCall = TypeVar("AnyCall", bound=Call)


def read_call(kind: type[AnyCall], body: bytes, query: Mapping[str, str]) -> AnyCall:
    """The call that a body and a query make; raises `UnusableInput` for what is none."""
    given = call_in(body)
    if given is None:
        text = {"name": "body", "base64": base64.b64encode(body).decode()}
        given = {"sources": [text]}
    fields = {info.alias or name for name, info in kind.model_fields.items()} - WHOLE
    asked = {name: value for name, value in query.items() if name in fields}
    options = {name: of_query(name, value) for name, value in query.items() if name not in fields}
    if "budgets" in asked:
        asked["budgets"] = asked["budgets"].split(",")  # type: ignore[assignment]
    given = given | asked
    told = given.get("options") or {}
    if options and isinstance(told, dict):  # anything else is refused for what it is
        given["options"] = told | options
    return validated(kind, given)


def call_in(body: bytes) -> dict[str, Any] | None:
    """The call in a body, None where it is another text."""
    if body.lstrip()[:1] != b"{":
        return None
    try:
        found = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) and "sources" in found else None


def validated(kind: type[AnyCall], given: Mapping[str, Any]) -> AnyCall:
    try:
        return kind.model_validate(given)
    except ValidationError as errors:
        first = errors.errors(include_url=False, include_input=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise UnusableInput(cut(first["msg"]), source="body", place=cut(place)) from None


def of_query(name: str, value: str) -> Any:
    """An option of a query: what is set or not as such, everything else as text."""
    return FLAGS.get(value.lower(), value) if READERS.get(name) is flag else value


def shown_options(call: Call) -> dict[str, Any]:
    """The options as the reader takes them: with dashes, and without those that are not set."""
    return {name.replace("_", "-"): value for name, value in call.options.items() if value is not False}


def as_json(data: Any) -> bytes:
    """Plain data as JSON; numbers of any size."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False).encode("utf-8", "replace")
