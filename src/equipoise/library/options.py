"""The options of the command line as keyword arguments, with their types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict, cast

from equipoise.errors import UnusableInput
from equipoise.planning.problem.request import Request
from equipoise.planning.request.options import request_of

Brokers = int | str | Sequence[int | str]
"""One broker, a text as on the command line (``"0-18,21:b"``), or a sequence of such."""


class Options(TypedDict, total=False):
    """Every option of ``equipoise plan`` that says what is wished; absent ones keep their default."""

    brokers: Brokers
    add: Brokers
    drain: Brokers
    replace: str | Sequence[str]
    racks: str | Mapping[int, str]
    topics: str
    exclude_topics: str
    partial: bool
    replication_factor: int
    create: str | Sequence[str]
    goals: str | Sequence[str]
    balance: str | Sequence[str]
    tolerance: float | str
    leaders_only: bool
    required_only: bool
    effort: Literal["quick", "normal", "thorough"]
    strategy: str
    strategy_settings: str | Mapping[str, str]
    rack_rule: Literal["spread", "strict"]
    stay_in_rack: bool
    no_leaders_on: Brokers
    cordon: Brokers
    assume_alive: Brokers
    consumption: float | str
    cross_zone_price: float | str
    consumers_in: str | Sequence[str]
    drain_dir: str | Sequence[str]
    log_dirs: str
    max_fill: str
    rack_capacity: str | Mapping[str, int | str]
    max_moves: int
    max_bytes: int | str
    max_changes_per_partition: int


def wanted(request: Request | None, options: Options) -> Request:
    """The request that is given as such or as options.

    Raises `UnusableInput` where both are given, and for an option that is none or has no such value.
    """
    if request is None:
        given = cast("Mapping[str, Any]", options)
        return request_of({name.replace("_", "-"): listed(value) for name, value in given.items()})
    if options:
        advice = "Give one of them, or change the request with dataclasses.replace"
        raise UnusableInput("is given beside a request", source=min(options), advice=advice)
    return request


def listed(value: Any) -> Any:
    """The value, a list where it is another sequence, such as a range."""
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else value
