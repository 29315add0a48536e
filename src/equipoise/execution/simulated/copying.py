"""Time in the model: copies get on at throttled rates, their links shared fairly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from equipoise.execution.port import Resource, TopicPartition
from equipoise.execution.simulated.world import World
from equipoise.scheduling.result import FloatArray
from equipoise.scheduling.throttles import FOLLOWER_RATE, FOLLOWER_REPLICAS, LEADER_RATE, LEADER_REPLICAS


@dataclass(frozen=True)
class Copy:
    """One replica on its way."""

    name: TopicPartition
    source: int
    target: int


class Copying(World):
    """A world whose time can be advanced."""

    def advance(self, seconds: float) -> None:
        """Let time pass: copies get on, moves end."""
        end = self.now + seconds
        while self.now < end:
            copies = list(self.copies())
            if not copies:
                self.now = end
                return
            rates = self.rates(copies)
            left = np.array([self.size[c.name] - self.moving[c.name].copied[c.target] for c in copies])
            first = float(np.min(left / np.maximum(rates, 1e-9)))
            step = min(end - self.now, max(first, self.grain))
            self.copy(copies, np.minimum(left, rates * step), left)
            self.now = end if step == end - self.now else self.now + step

    def copies(self) -> Iterator[Copy]:
        """What can be copied now: from a leader that lives to a broker that lives."""
        for name, moving in self.moving.items():
            if self.leader[name] >= 0:
                for broker in moving.lagging(self.size[name]):
                    if broker not in self.down:
                        yield Copy(name, self.leader[name], broker)

    def copy(self, copies: list[Copy], amounts: FloatArray, left: FloatArray) -> None:
        """Add ``amounts`` to the copies; those that have all they lack, ``left``, are complete."""
        ended = (amounts >= left * (1 - 1e-9)).tolist()
        for copy, amount, over in zip(copies, amounts.tolist(), ended, strict=True):
            copied = self.moving[copy.name].copied
            copied[copy.target] = self.size[copy.name] if over else copied[copy.target] + amount
        for copy, over in zip(copies, ended, strict=True):
            if over and copy.name in self.moving:
                self.refresh(copy.name)

    def rates(self, copies: list[Copy]) -> FloatArray:
        """Bytes a second of each copy, its two links shared fairly (progressive filling)."""
        links: dict[tuple[str, int, bool], int] = {}
        ends = np.array(
            [[links.setdefault(link, len(links)) for link in self.links_of(copy)] for copy in copies]
        )
        free = np.array([self.capacity(link) for link in links])
        rates, active = np.zeros(len(copies)), np.ones(len(copies), dtype=bool)
        for _ in range(8):
            using = np.bincount(ends[active].ravel(), minlength=len(free))
            share = np.where(using > 0, free / np.maximum(using, 1), np.inf)
            more = np.where(active, share[ends].min(axis=1), 0.0)
            rates += more
            taken = np.bincount(ends.ravel(), weights=np.repeat(more, 2), minlength=len(free))
            free = np.maximum(free - taken, 0.0)
            active &= (free[ends] > 1e-6 * self.link).all(axis=1)
            if not active.any():
                break
        return rates

    def links_of(self, copy: Copy) -> tuple[tuple[str, int, bool], ...]:
        """Outbound link of the leader and inbound link of the target, each throttled or not."""
        topic, number = copy.name
        return (
            ("out", copy.source, self.in_list(topic, LEADER_REPLICAS, f"{number}:{copy.source}")),
            ("in", copy.target, self.in_list(topic, FOLLOWER_REPLICAS, f"{number}:{copy.target}")),
        )

    def in_list(self, topic: str, key: str, pair: str) -> bool:
        pairs = self.pairs.get((topic, key), frozenset())
        return pair in pairs or "*" in pairs

    def capacity(self, link: tuple[str, int, bool]) -> float:
        side, broker, throttled = link
        rate = self.settings[Resource.broker(broker)].get(LEADER_RATE if side == "out" else FOLLOWER_RATE)
        return min(float(rate), self.link) if throttled and rate else self.link
