"""``kafka-configs --describe`` of topics and brokers, and the config lists of other tools.

From 2.5 on: a heading ``Dynamic configs for topic pay are:`` (or ``All``, or ``Default configs for
brokers in the cluster are:``) and one indented ``name=value sensitive=... synonyms={...}`` a line.
Before: ``Configs for topic 'pay' are a=b,c=d`` on one line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

from equipoise.formats.faults import Faults, shown
from equipoise.formats.fragment import Fragment
from equipoise.formats.text import lines

NAME = "kafka-configs --describe"

HEADING = re.compile(
    r"^\s*(?:(?:Dynamic|All|Default)\s+)?[Cc]onfigs for (?:(topics?|brokers?)\s+)?(.*?)\s+are:?(?:\s+(.*))?$"
)
ENTRY = re.compile(r"^\s+([A-Za-z0-9._-]+)=(.*)$")
NEXT_NAME = re.compile(r",\s*(?=[A-Za-z][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)+=)")
"""A comma ends a value only where another dotted config name follows: values hold commas too."""

KEPT = frozenset(
    (
        "retention.ms", "retention.bytes", "local.retention.ms", "local.retention.bytes", "log.retention.ms",
        "log.retention.minutes", "log.retention.hours", "log.retention.bytes", "remote.storage.enable",
        "cleanup.policy", "log.cleanup.policy", "segment.bytes", "min.insync.replicas",
        "unclean.leader.election.enable",
        "leader.replication.throttled.replicas", "follower.replication.throttled.replicas",
        "leader.replication.throttled.rate", "follower.replication.throttled.rate", "cordoned.log.dirs",
        "broker.rack",
    )
)  # fmt: skip
"""Configs that say something about placement, size or safety; the others are passed over."""


def recognises(head: bytes) -> bool:
    return re.search(rb"^\s*(Dynamic |All |Default )?[Cc]onfigs for .* are", head, re.M) is not None


def parse(text: bytes, faults: Faults) -> Fragment:
    """Configs of topics and of brokers (under None the default of all brokers)."""
    topics: dict[str, dict[str, str]] = {}
    brokers: dict[int | None, dict[str, str]] = {}
    target: dict[str, str] | None = None
    for number, line in lines(text):
        heading = HEADING.match(line)
        entry = None if heading else ENTRY.match(line)
        if heading:
            target = entity(heading, topics, brokers)
            if target is None:
                faults.report(f"{shown(heading[2])} is no topic or broker", line=number, text=line)
            elif heading[3]:
                target.update(split_configs(heading[3]))
        elif entry and target is not None:
            if entry[1] in KEPT:
                target[entry[1]] = re.split(r" sensitive=(?:true|false)\b", entry[2])[0]
        elif line[:1].isspace() or "=" in line:
            faults.report(f"{shown(line.strip())} is no name=value", line=number, text=line)
    return Fragment(
        faults.source, NAME, topic_configs=topics, broker_configs=brokers, quarantined=tuple(faults.set_aside)
    )


def entity(
    heading: re.Match[str], topics: dict[str, dict[str, str]], brokers: dict[int | None, dict[str, str]]
) -> dict[str, str] | None:
    """The configs of what a heading names; None where that cannot be told."""
    kind, name = heading[1] or "", heading[2].strip("'\"")
    if kind.startswith("topic"):
        return topics.setdefault(name, {})
    if kind.startswith("broker"):
        if re.fullmatch(r"[0-9]{1,10}", name):
            return brokers.setdefault(int(name), {})
        if name in ("in the cluster", "<default>", "default entity", ""):
            return brokers.setdefault(None, {})
    return None


def split_configs(text: str) -> dict[str, str]:
    """The kept ones of comma joined configs, ``a=b,c=d,e``, where values may hold commas."""
    pairs = (entry.partition("=") for entry in NEXT_NAME.split(text.strip()) if "=" in entry)
    return {name.strip(): value.strip() for name, _, value in pairs if name.strip() in KEPT}


def min_isr(configs: Mapping[str, str]) -> int | None:
    """min.insync.replicas where it is given as a positive number."""
    value = configs.get("min.insync.replicas", "")
    return int(value) if re.fullmatch(r"[1-9][0-9]{0,8}", value) else None


RETENTION_S = {
    "retention.ms": 0.001,
    "log.retention.ms": 0.001,
    "log.retention.minutes": 60.0,
    "log.retention.hours": 3600.0,
}
"""Configs that say how old records become, the stronger first, and how many seconds one of each is."""
MOST_BYTES = 2**62
"""Who gives more means no limit."""
CENTURY_S = 100 * 365 * 86_400
"""Who asks for more, as with the largest number there is, means for ever."""


def retention_s(configs: Mapping[str, str]) -> float | None:
    """Seconds until a record leaves the disk; inf where age is not what deletes it (-1, or compaction).

    With tiered storage it is the local retention where one is given: older records lie elsewhere.
    """
    if "compact" in configs.get("cleanup.policy", configs.get("log.cleanup.policy", "")):
        return math.inf
    local = whole_number(configs, "local.retention.ms")
    if configs.get("remote.storage.enable") == "true" and local is not None and local >= 0:
        return local / 1000
    for name, step in RETENTION_S.items():
        if (value := whole_number(configs, name)) is not None:
            return value * step if 0 <= value * step <= CENTURY_S else math.inf
    return None


def retention_bytes(configs: Mapping[str, str]) -> float | None:
    """Bytes of a replica from which on its oldest segments are deleted; None where nobody set a limit."""
    local = whole_number(configs, "local.retention.bytes")
    if configs.get("remote.storage.enable") == "true" and local is not None and local >= 0:
        return float(min(local, MOST_BYTES))
    value = next((v for name in ("retention.bytes", "log.retention.bytes")
                  if (v := whole_number(configs, name)) is not None), -1)  # fmt: skip
    return float(value) if 0 <= value < MOST_BYTES else None


def whole_number(configs: Mapping[str, str], name: str) -> int | None:
    """A config that is a whole number; None where it is absent or something else."""
    value = configs.get(name, "")
    return int(value) if re.fullmatch(r"-?[0-9]{1,19}", value) else None
