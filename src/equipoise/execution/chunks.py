"""Requests of a size that a controller takes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

from equipoise.execution.port import TopicPartition

T = TypeVar("T")

CHUNK = 1000
"""Partitions or configs in one request: KRaft writes each request as one batch of at most 10,000
records and refuses a larger one as a whole."""


def chunks(items: Iterable[T], size: int = CHUNK) -> Iterator[list[T]]:
    """The items in order, in lists of at most ``size``."""
    rest = iter(items)
    while chunk := list(islice(rest, size)):
        yield chunk


def by_topic(partitions: Iterable[TopicPartition]) -> dict[str, list[int]]:
    """Partition numbers of each topic."""
    grouped: dict[str, list[int]] = defaultdict(list)
    for topic, partition in partitions:
        grouped[topic].append(partition)
    return grouped
