"""How burdened brokers are, read from what JMX exporters show: queue, idle handlers, latency of requests.

Exporters write the same figure in two ways, and both are known here:

- by their default: ``kafka_network_RequestChannel_Value{name="RequestQueueSize"}``,
  ``kafka_network_RequestMetrics_99thPercentile{name="TotalTimeMs",request="Produce"}``;
- by the rules that come with them, which Strimzi has too: ``kafka_network_requestchannel_requestqueuesize``,
  ``kafka_network_requestmetrics_totaltimems{request="Produce",quantile="0.99"}``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from equipoise.formats.exposition import Sample, sample_in


@dataclass(frozen=True)
class Limit:
    """A figure of brokers, and how far it may go."""

    name: str
    bound: float
    is_least: bool
    """True where it is too little that is bad."""
    words: str

    def is_passed(self, value: float) -> bool:
        return value < self.bound if self.is_least else value > self.bound

    def said(self, value: float, where: str) -> str:
        than = "at least" if self.is_least else "at most"
        return f"{self.words}{where} is {value:.4g} ({than} {self.bound:g} is well)"


LIMITS = (
    Limit("queue", 250.0, False, "the request queue"),  # half of queued.max.requests as it is by default
    Limit("idle", 0.3, True, "the idle share of request handlers"),  # what Kafka's docs call ideal
    Limit("produce", 1000.0, False, "the 99th percentile of Produce in ms"),
    Limit("fetch", 1000.0, False, "the 99th percentile of FetchConsumer in ms"),  # it waits 500 for records
)
REQUESTS = {"produce": "produce", "fetchconsumer": "fetch"}


def figure_of(sample: Sample) -> str:
    """The name of the limit that a sample is a figure of, "" where it is of none."""
    name = (sample.name + "_" + sample.labels.get("name", "")).lower()
    if "requestqueuesize" in name and "count" not in name:
        return "queue"
    if "requesthandleravgidle" in name:
        return "idle" if "oneminuterate" in name or sample.name.lower().endswith("percent") else ""
    is_p99 = "99thpercentile" in name or sample.labels.get("quantile") == "0.99"
    if "totaltimems" in name and is_p99 and "999thpercentile" not in name:
        return REQUESTS.get(sample.labels.get("request", "").lower(), "")
    return ""


def figures(text: str) -> Iterator[tuple[str, float, str]]:
    """Of each sample that is one of the figures its name, its value and where it is of, "" where untold."""
    for line in map(str.strip, text.splitlines()):
        found = sample_in(line) if line and not line.startswith("#") else None
        if found is not None and (name := figure_of(found)):
            try:
                value = float(found.value)
            except ValueError:
                continue
            if not math.isnan(value):
                yield name, value, found.labels.get("instance", "")


def burden_in(text: str, limits: tuple[Limit, ...] = LIMITS) -> str | None:
    """The first figure that is beyond its limit, in words; "" where all is well, None where none is told."""
    told = list(figures(text))
    for limit in limits:
        own = [(value, where) for name, value, where in told if name == limit.name]
        if own and limit.is_passed((worst := min(own) if limit.is_least else max(own))[0]):
            return limit.said(worst[0], of(worst[1]))
    return "" if told else None


def of(where: str) -> str:
    return f" of {where}" if where else ""
