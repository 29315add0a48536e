"""``/submit``: the body that killerwhile's Kafka Partitions Assignment Optimizer takes, and its answer.

``brokers`` is a list of ids, each with its rack where there are racks; ``partitions`` is what
``kafka-reassign-partitions --generate`` prints as the current assignment. The answer is Kafka's JSON of the
partitions that change, ready to be executed; nothing else is in it.

    {"brokers": "0:a,1:b,2:a", "partitions": {"version": 1, "partitions": [...]}}

The assignment may also stand in the body itself beside the options, or be a text: then ``brokers`` is taken
from the query or from ``--broker-list`` in the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import orjson

from equipoise.errors import UnusableInput
from equipoise.server.calls import of_query

ASSIGNMENT = ("version", "partitions")
BROKER_LIST = re.compile(rb"--broker-list[ =\\\s]+[\"']?([0-9][0-9,: a-zA-Z._-]*)")


def read_submission(body: bytes, query: Mapping[str, str]) -> tuple[bytes, dict[str, Any]]:
    """The assignment as Kafka writes it, and the options; raises `UnusableInput` for what is no such body."""
    options: dict[str, Any] = {name: of_query(name, value) for name, value in query.items()}
    given = document(body)
    if given is None:
        named = BROKER_LIST.search(body)
        if named and "brokers" not in options:
            options["brokers"] = named[1].decode("ascii").split()[0].rstrip(",")
        return body, options
    partitions = given.get("partitions")
    nested = isinstance(partitions, dict)
    assignment = partitions if nested else {name: given[name] for name in ASSIGNMENT if name in given}
    if isinstance(partitions, str):
        assignment = document(partitions.encode()) or {}
    if not isinstance(assignment, dict) or not isinstance(assignment.get("partitions"), list):
        advice = 'Give {"brokers": "0:a,1:b", "partitions": {"version": 1, "partitions": [...]}}'
        raise UnusableInput("has no assignment of partitions", source="body", advice=advice)
    beside = {name: value for name, value in given.items() if name not in ASSIGNMENT}
    return orjson.dumps(assignment), beside | options


def document(text: bytes) -> dict[str, Any] | None:
    """The JSON object that a text is, None where it is something else."""
    try:
        found = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) else None
