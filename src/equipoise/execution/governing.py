"""A throttle, or a number in flight, between two bounds: down at once where replicas fall behind anywhere,
slowly up in calm."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from equipoise.execution.instructions import Health
from equipoise.execution.port import Replica, TopicPartition

CALM_S = 30.0
"""Calm for so long, and the rate goes up by a step. As long as Kafka lets a replica lag before it leaves the
ISR (``replica.lag.time.max.ms``), so that what a step does is seen before the next."""
STEPS = 10
"""From the lower bound to the upper one."""
SETTLE_S = 10.0
"""Replicas that are lost so soon after the rate was halved are lost to the same trouble."""


@dataclass(frozen=True)
class Bounds:
    """Bytes a second of every broker, each way, or partitions in flight; neither is ever passed."""

    low: int
    high: int

    def __post_init__(self) -> None:
        if not 1 <= self.low <= self.high:
            raise ValueError(f"{self.low} to {self.high} is no range of them")

    def holding(self, rate: int) -> int:
        """What is given, or the bound that it passes."""
        return min(self.high, max(self.low, rate))

    @property
    def step(self) -> int:
        return max(1, (self.high - self.low) // STEPS)


@dataclass
class Governor:
    """What was seen so far: which replicas are not in their ISR, and since when it is calm."""

    from_before: frozenset[Replica] | None = None
    """Out of their ISR at the first look, and ever since: no doing of ours, and no reason to wait."""
    known: frozenset[Replica] = field(default_factory=frozenset)
    last: Health = field(default_factory=lambda: Health({}))
    """What was seen at the look before: brokers learn of the end of a move one after the other, so what is
    seen once alone may be a copy that has just arrived."""
    calm_since: float = 0.0
    lowered: float | None = None
    eased: float | None = None
    """When it was last lowered for a burden."""

    def advise(
        self, now: float, health: Health, rate: int, bounds: Bounds, burden: str = ""
    ) -> tuple[int, str]:
        """The rate (or number) from now on, and why; "" where it stays. ``now`` in seconds, rates in bytes a
        second."""
        seen = replicas(health.under_replicated)
        out = seen & replicas(self.last.under_replicated)
        under, self.last = health.under_min_isr & self.last.under_min_isr, health
        if self.from_before is None:
            self.from_before, self.known, self.calm_since = seen, seen, now
            return rate, ""
        fresh, self.known = sorted(out - self.known), out
        self.from_before &= out
        if out - self.from_before or under:
            self.calm_since = now
        if under and rate > bounds.low:
            return bounds.low, f"{min(under)} is under its min ISR"
        if fresh and rate > bounds.low and (self.lowered is None or now - self.lowered >= SETTLE_S):
            self.lowered = now
            topic, number, broker = fresh[0]
            more = f" (and {len(fresh) - 1:,} more)" if len(fresh) > 1 else ""
            lost = f"broker {broker} is no longer in the ISR of {TopicPartition(topic, number)}{more}"
            return bounds.holding(rate // 2), lost
        if burden:
            self.calm_since = now
            if rate > bounds.low and (self.eased is None or now - self.eased >= CALM_S):
                self.eased = now
                return bounds.holding(rate // 2), burden
            return rate, ""
        if rate < bounds.high and now - self.calm_since >= CALM_S and seen <= self.from_before:
            self.calm_since = now
            return bounds.holding(rate + bounds.step), f"no replica left its ISR for {CALM_S:.0f} s"
        return rate, ""

    def rest(self, now: float) -> None:
        """Nothing is copied: how calm it is tells nothing of a rate."""
        self.calm_since = now


def replicas(behind: Mapping[TopicPartition, tuple[int, ...]]) -> frozenset[Replica]:
    return frozenset(Replica(*name, broker) for name, missing in behind.items() for broker in missing)
