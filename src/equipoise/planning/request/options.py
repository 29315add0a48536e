"""The options of `plan` as people write them, and the request they mean.

The command line, a fleet's request files and the HTTP API all come through here, so an option means
the same everywhere. Names are those of the command line without the leading dashes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from equipoise.errors import UnusableInput
from equipoise.planning.goals import ALL_GOALS
from equipoise.planning.problem.request import Request
from equipoise.planning.published.settings import read_pairs
from equipoise.planning.request.brokers_named import (
    broker_ids,
    brokers,
    log_dir_names,
    racks,
    replacements,
)
from equipoise.planning.request.loads_named import (
    balance,
    consumers_in,
    log_dirs,
    max_fill,
    rack_capacity,
    tolerance,
)
from equipoise.planning.request.values import (
    consumption,
    count,
    effort,
    flag,
    items,
    positive,
    price,
    rack_rule,
    regex,
    size,
    text,
)
from equipoise.wording import quoted

MOST_REPLICAS = 100_000
"""Of a partition to create."""
MOST_PARTITIONS = 1_000_000
"""Of one topic to create."""


def request_of(options: Mapping[str, Any]) -> Request:
    """The request that options mean; absent and None keep their default.

    Raises `UnusableInput` naming the option, the value and what it should look like.
    """
    unknown = sorted(name for name in options if name not in READERS)
    if unknown:
        raise UnusableInput(
            "there is no such option", source=unknown[0] or quoted(""),
            advice=f"Options are {', '.join(READERS)}",
        )  # fmt: skip
    fields: dict[str, Any] = {
        name.replace("-", "_"): READERS[name](f"--{name}", value)
        for name, value in options.items()
        if value is not None
    }
    if fields.get("leaders_only") and fields.get("required_only"):
        raise UnusableInput(
            "cannot be combined with --required-only", source="--leaders-only", advice="Give one of them"
        )
    if fields.get("leaders_only") and (fields.get("log_dirs") or fields.get("drain_dir")):
        raise UnusableInput(
            "cannot be combined with log dirs, between which data is copied", source="--leaders-only",
            advice="Leave out --log-dirs and --drain-dir",
        )  # fmt: skip
    return Request(**fields)


def created(option: str, value: Any) -> tuple[tuple[str, int, int], ...]:
    """``TOPIC:PARTITIONS:RF`` triples."""
    found = []
    for item in items(option, value):
        match = re.fullmatch(r"([a-zA-Z0-9._-]+):([0-9]{1,10}):([0-9]{1,10})", item)
        if match is None or int(match[2]) > MOST_PARTITIONS or int(match[3]) > MOST_REPLICAS:
            raise UnusableInput(
                f"{quoted(item)} is not a topic to create", source=option, advice="Write TOPIC:PARTITIONS:RF"
            )
        found.append((match[1], int(match[2]), int(match[3])))
    topics = [topic for topic, _, _ in found]
    twice = next((topic for topic in topics if topics.count(topic) > 1), None)
    if twice is not None:
        raise UnusableInput(f"topic {twice} is named twice", source=option, advice="Give each topic once")
    return tuple(sorted(found))


def goals(option: str, value: Any) -> tuple[str, ...]:
    found = items(option, value)
    for goal in found:
        if goal not in ALL_GOALS:
            raise UnusableInput(
                f"there is no goal {quoted(goal)}", source=option, advice=f"Goals are {', '.join(ALL_GOALS)}"
            )
    return tuple(dict.fromkeys(found))


def strategy_settings(option: str, value: Any) -> tuple[tuple[str, str], ...]:
    """``seed=3,shift=2``, or a mapping."""
    if isinstance(value, Mapping):
        value = [f"{name}={written}" for name, written in value.items()]
    return read_pairs(items(option, value))


READERS = {
    "brokers": brokers,
    "add": brokers,
    "drain": broker_ids,
    "replace": replacements,
    "racks": racks,
    "replication-factor": positive,
    "topics": regex,
    "exclude-topics": regex,
    "create": created,
    "goals": goals,
    "balance": balance,
    "tolerance": tolerance,
    "consumption": consumption,
    "rack-rule": rack_rule,
    "stay-in-rack": flag,
    "no-leaders-on": broker_ids,
    "cordon": broker_ids,
    "assume-alive": broker_ids,
    "max-fill": max_fill,
    "rack-capacity": rack_capacity,
    "max-moves": count,
    "max-bytes": size,
    "max-changes-per-partition": count,
    "log-dirs": log_dirs,
    "drain-dir": log_dir_names,
    "cross-zone-price": price,
    "consumers-in": consumers_in,
    "partial": flag,
    "leaders-only": flag,
    "required-only": flag,
    "effort": effort,
    "strategy": text,
    "strategy-settings": strategy_settings,
}
