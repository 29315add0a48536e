"""What is asked of a cluster: every option, alone and with others, as the fields of a request.

An operation is plain data but for brokers and budgets, which come from the cluster.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from tools.corpus.clusters import Shape, rack_of

from equipoise.cluster import Cluster

Fields = dict[str, Any]
FIRST, LEADING = ("racks", "replicas"), ("leaders", "elections", "topic-leaders")

FIRST_SUCCESSOR = 1_000
"""The successor of broker 7 is broker 1007."""


@dataclass(frozen=True)
class Asked:
    """What operations look at."""

    shape: Shape
    cluster: Cluster
    rng: np.random.Generator

    def some(self, n: int) -> tuple[int, ...]:
        """Brokers, at most a third of them."""
        most = max(1, min(n, self.shape.brokers // 3))
        return tuple(sorted(self.rng.choice(self.shape.brokers, most, replace=False).tolist()))

    def new(self, n: int) -> tuple[tuple[int, str | None], ...]:
        """Brokers that are not there yet, with their racks."""
        first = self.shape.brokers
        return tuple((broker, rack_of(self.shape, broker)) for broker in range(first, first + n))

    @property
    def few_moves(self) -> int:
        """Three of a hundred replicas."""
        return max(1, 3 * self.shape.partitions * self.shape.factor // 100)

    @property
    def few_bytes(self) -> int:
        """Three of a hundred bytes held."""
        return int(0.03 * self.shape.factor * self.cluster.size_bytes.sum())


def add(n: int) -> Callable[[Asked], Fields]:
    return lambda of: {"add": of.new(n)}


def drain(n: int) -> Callable[[Asked], Fields]:
    return lambda of: {"drain": of.some(n)}


def exchange(n: int) -> Callable[[Asked], Fields]:
    return lambda of: {"replace": tuple((old, FIRST_SUCCESSOR + old) for old in of.some(n))}


def keep(of: Asked) -> Fields:
    """All but two brokers are named."""
    gone = of.some(2)
    return {"brokers": tuple((b, None) for b in range(of.shape.brokers) if b not in gone)}


def factor(change: int) -> Callable[[Asked], Fields]:
    return lambda of: {"replication_factor": min(of.shape.brokers, max(1, of.shape.factor + change))}


def more_partitions(of: Asked) -> Fields:
    """A tenth more partitions for the first topic."""
    have = int((of.cluster.topic_idx == 0).sum())
    return {"create": ((of.cluster.topics[0], have + max(1, of.shape.partitions // 10), of.shape.factor),)}


def both(*each: Callable[[Asked], Fields]) -> Callable[[Asked], Fields]:
    return lambda of: {name: value for one in each for name, value in one(of).items()}


def fixed(**fields: Any) -> Callable[[Asked], Fields]:
    return lambda of: fields


def goals(*names: str) -> Callable[[Asked], Fields]:
    return fixed(goals=names)


def few_moves(of: Asked) -> Fields:
    return {"max_moves": of.few_moves}


def few_bytes(of: Asked) -> Fields:
    return {"max_bytes": of.few_bytes}


def no_leaders(of: Asked) -> Fields:
    return {"no_leaders_on": of.some(2)}


def cordon(of: Asked) -> Fields:
    return {"cordon": of.some(1)}


OPERATIONS: dict[str, Callable[[Asked], Fields]] = {
    "default": fixed(),
    "drain-1": drain(1),
    "drain-2": drain(2),
    "add-1": add(1),
    "add-3": add(3),
    "replace-1": exchange(1),
    "replace-2-drain": both(exchange(2), goals(*FIRST, "moves", "topics", *LEADING)),
    "brokers": keep,
    "factor-up": factor(1),
    "factor-down": factor(-1),
    "max-moves": few_moves,
    "add-max-moves": both(add(2), few_moves),
    "max-bytes": few_bytes,
    "add-max-bytes": both(add(2), few_bytes),
    "max-changes": fixed(max_changes_per_partition=1),
    "add-max-changes": both(add(3), fixed(max_changes_per_partition=1)),
    "leaders-only": fixed(leaders_only=True),
    "leaders-only-none-on": both(fixed(leaders_only=True), no_leaders),
    "required-only": fixed(required_only=True),
    "drain-required-only": both(drain(2), fixed(required_only=True)),
    "stay-in-rack": fixed(stay_in_rack=True),
    "drain-stay-in-rack": both(drain(1), fixed(stay_in_rack=True)),
    "strict": fixed(rack_rule="strict"),
    "drain-strict": both(drain(1), fixed(rack_rule="strict")),
    "no-leaders-on": no_leaders,
    "cordon": cordon,
    "drain-cordon": both(drain(1), cordon),
    "tolerance": fixed(tolerance=(5.0, 5.0)),
    "tolerance-above": fixed(tolerance=(0.0, 20.0)),
    "create": lambda of: {"create": (("new", max(1, of.shape.partitions // 10), of.shape.factor),)},
    "create-more": more_partitions,
    "topics": fixed(topics="t.*[0-4]"),
    "exclude-topics": fixed(exclude_topics="t.*[0-4]"),
    "failover-last": goals(*FIRST, "moves", "topics", *LEADING, "failover", "reorders"),
    "failover-early": goals(*FIRST, "failover", "moves", "topics", *LEADING, "reorders"),
    "positions": goals(*FIRST, "moves", "topics", *LEADING, "positions"),
    "reorders": goals(*FIRST, "moves", "leaders", "elections", "reorders"),
    "rack-leaders-last": goals(*FIRST, "moves", "topics", *LEADING, "rack-leaders"),
    "rack-leaders-early": goals("racks", "rack-leaders", "replicas", "moves", "topics", *LEADING),
    "topics-first": goals("racks", "topics", "replicas", "moves", *LEADING),
    "leaders-first": goals("racks", "leaders", "replicas", "moves", "topics", "elections", "topic-leaders"),
    "moves-first": goals("racks", "moves", "replicas", "leaders", "elections"),
    "disk": fixed(balance=("disk",)),
    "disk-tight": fixed(balance=("disk",), tolerance=(1.0, 1.0)),
    "drain-disk": both(drain(1), fixed(balance=("disk",))),
    "disk-max-bytes": both(few_bytes, fixed(balance=("disk",))),
    "disk-network-in": fixed(balance=("disk", "network-in")),
    "network-out": fixed(balance=("network-out",)),
    "network-out-leaders-only": fixed(balance=("network-out",), leaders_only=True),
    "all-loads": fixed(balance=("disk", "network-in", "network-out"), tolerance=(10.0, 10.0)),
}
WITH_RACKS = {name for name in OPERATIONS if "rack" in name or "strict" in name}
"""Of interest where there are racks."""
WITH_LOADS = {name for name in OPERATIONS if "bytes" in name or "disk" in name or "network" in name} | {
    "all-loads"
}
"""Asked of clusters whose sizes and rates are known."""
