"""Configs of the fake cluster: described with their sources, altered key by key."""

from __future__ import annotations

from typing import Any

from kafka.protocol import admin

from fake import model as m
from fake.model import Model

TOPIC_DEFAULTS = {
    "cleanup.policy": "delete", "min.insync.replicas": "1", "retention.ms": "604800000",
    "retention.bytes": "-1", "leader.replication.throttled.replicas": "",
    "follower.replication.throttled.replicas": "",
}  # fmt: skip
KINDS = {2: "topic", 4: "broker"}
DYNAMIC = {"topic": 1, "broker": 2}
STATIC, DEFAULT = 4, 5


def describe_configs(model: Model, request: Any, broker: int, ports: dict[int, int]) -> Any:
    response = admin.DescribeConfigsResponse
    row = response.DescribeConfigsResult
    entry = row.DescribeConfigsResourceResult
    results = []
    topics = {of[0] for of in model.partitions}
    for resource in request.resources:
        kind, name = KINDS[resource.resource_type], resource.resource_name
        code = m.UNKNOWN_TOPIC if kind == "topic" and name not in topics else 0
        values = {} if code else described(model, kind, name)
        keys = (
            values
            if resource.configuration_keys is None
            else set(resource.configuration_keys) & values.keys()
        )
        configs = [
            entry(name=key, value=values[key][0], read_only=False, config_source=values[key][1],
                  is_sensitive=False, synonyms=[], config_type=2, documentation=None) for key in sorted(keys)
        ]  # fmt: skip
        results.append(row(error_code=code, error_message=None, resource_type=resource.resource_type,
                           resource_name=name, configs=configs))  # fmt: skip
    return response(throttle_time_ms=0, results=results)


def described(model: Model, kind: str, name: str) -> dict[str, tuple[str, int]]:
    """Value and source of each config of a resource."""
    values = {key: (value, DEFAULT) for key, value in TOPIC_DEFAULTS.items()} if kind == "topic" else {}
    values |= {key: (value, STATIC) for key, value in model.static.get((kind, name), {}).items()}
    return values | {
        key: (value, DYNAMIC[kind]) for key, value in model.configs.get((kind, name), {}).items()
    }


def alter_configs(model: Model, request: Any, broker: int, ports: dict[int, int]) -> Any:
    response = admin.IncrementalAlterConfigsResponse
    row = response.AlterConfigsResourceResponse
    rows = []
    for resource in request.resources:
        kind, name = KINDS[resource.resource_type], resource.resource_name
        codes = [
            model.alter_config(kind, name, config.name, config.config_operation, config.value)
            for config in resource.configs
        ]
        code = next((code for code in codes if code), 0)
        rows.append(
            row(error_code=code, error_message=None, resource_type=resource.resource_type, resource_name=name)
        )
    return response(throttle_time_ms=0, responses=rows)
