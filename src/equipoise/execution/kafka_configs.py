"""Configs of topics and brokers: read with their sources and errors, altered key by key."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Literal

from kafka.admin import ConfigResourceType
from kafka.admin._configs import AlterConfigOp, ConfigSourceType
from kafka.errors import KafkaError
from kafka.protocol.admin import DescribeConfigsRequest, IncrementalAlterConfigsRequest

from equipoise.execution.answers import failure, lost
from equipoise.execution.chunks import chunks
from equipoise.execution.port import ConfigValue, Failure, Resource
from equipoise.execution.requests import AdminRequests

Kind = Literal["topic", "broker"]
TYPES: dict[Kind, int] = {"topic": ConfigResourceType.TOPIC.value, "broker": ConfigResourceType.BROKER.value}
KINDS = {number: kind for kind, number in TYPES.items()}
SOURCES = {source.value: source.name for source in ConfigSourceType}


def describe(
    client: AdminRequests, resources: Collection[Resource], keys: Collection[str] | None
) -> dict[Resource, Mapping[str, ConfigValue] | Failure]:
    """See :meth:`Port.configs`."""
    names = None if keys is None else sorted(keys)

    def request(some: Iterable[Resource]) -> Any:
        row = DescribeConfigsRequest.DescribeConfigsResource
        return DescribeConfigsRequest(
            resources=[
                row(resource_type=TYPES[of.kind], resource_name=of.name, configuration_keys=names)
                for of in some
            ]
        )

    found: dict[Resource, Mapping[str, ConfigValue] | Failure] = {}
    for asked, answer in exchange(client, resources, request):
        rows = [] if isinstance(answer, Exception) else answer.results
        told = {Resource(KINDS[row.resource_type], row.resource_name): values(row) for row in rows}
        found |= {of: told.get(of, missing(answer)) for of in asked}
    return found


def alter(
    client: AdminRequests,
    changes: Mapping[Resource, Mapping[str, str | None]],
    *,
    validate_only: bool = False,
) -> dict[Resource, Failure | None]:
    """See :meth:`Port.alter_configs`."""

    def request(some: Iterable[Resource]) -> Any:
        row = IncrementalAlterConfigsRequest.AlterConfigsResource
        return IncrementalAlterConfigsRequest(
            resources=[
                row(resource_type=TYPES[of.kind], resource_name=of.name, configs=operations(changes[of]))
                for of in some
            ],
            validate_only=validate_only,
        )

    results: dict[Resource, Failure | None] = {}
    for asked, answer in exchange(client, [of for of in changes if changes[of]], request):
        rows = [] if isinstance(answer, Exception) else answer.responses
        told = {
            Resource(KINDS[row.resource_type], row.resource_name): failure(row.error_code, row.error_message)
            for row in rows
        }
        results |= {of: told.get(of, missing(answer)) for of in asked}
    return {of: results.get(of) for of in changes}


def operations(changes: Mapping[str, str | None]) -> list[Any]:
    """Deleting is an operation of its own: setting a key to null is refused."""
    row = IncrementalAlterConfigsRequest.AlterConfigsResource.AlterableConfig
    return [
        row(
            name=key,
            config_operation=(AlterConfigOp.DELETE if value is None else AlterConfigOp.SET).value,
            value=value,
        )
        for key, value in changes.items()
    ]


def exchange(
    client: AdminRequests, resources: Collection[Resource], request: Any
) -> Iterator[tuple[list[Resource], Any]]:
    """Requests and answers: topics in chunks to any broker, each broker's own to itself."""
    for chunk in chunks([of for of in resources if of.kind == "topic"], 500):
        try:
            yield chunk, client.ask(request(chunk))
        except KafkaError as error:
            yield chunk, error
    brokers = {int(of.name): of for of in resources if of.kind == "broker"}
    answers = client.ask_each({broker: request([of]) for broker, of in brokers.items()})
    for broker, answer in answers.items():
        yield [brokers[broker]], answer


def values(row: Any) -> Mapping[str, ConfigValue] | Failure:
    """The configs of one resource."""
    if refused := failure(row.error_code, row.error_message):
        return refused
    return {
        config.name: ConfigValue(
            config.value, SOURCES.get(config.config_source, "UNKNOWN"), bool(config.is_sensitive)
        )
        for config in row.configs
    }


def missing(answer: Any) -> Failure:
    """The failure of a resource that the answer does not mention."""
    if isinstance(answer, Exception):
        return lost(answer)
    return Failure("NO_ANSWER", "the broker's answer does not mention it")
