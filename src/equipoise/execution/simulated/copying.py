"""Time in the model: copies get on at throttled rates, their links shared fairly."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from equipoise.execution.port import Resource
from equipoise.execution.simulated.tracks import Copy, Tracks
from equipoise.execution.simulated.world import World
from equipoise.scheduling.throttles import FOLLOWER_RATE, FOLLOWER_REPLICAS, LEADER_RATE, LEADER_REPLICAS

Link = tuple[str, int, bool]
"""Side ("out" or "in"), broker, and whether it is the throttled share of that broker's link."""


class Copying(World):
    """A world whose time can be advanced."""

    tracks: Tracks

    def advance(self, seconds: float) -> None:
        """Let time pass: copies get on, moves end."""
        end = self.now + seconds
        while self.now < end:
            if self.stale:
                self.tracks, self.stale = self.laid(), False
            if not len(self.tracks):
                self.now = end
                return
            step = min(end - self.now, max(self.tracks.first_end, self.grain))
            landed = self.tracks.advance(step)
            self.now = end if step == end - self.now else self.now + step
            self.land(landed)
        self.note_progress()

    def land(self, landed: list[Copy]) -> None:
        """Copies that are complete join the ISR; with the last one its move ends."""
        for copy in landed:
            self.moving[copy.name].copied[copy.target] = self.size[copy.name]
        for copy in landed:
            if copy.name in self.moving:
                self.refresh(copy.name)
        if self.stale:
            self.note_progress()

    def note_progress(self) -> None:
        """Write down what every copy under way has by now."""
        for copy, left in zip(self.tracks.copies.tolist(), self.tracks.left.tolist(), strict=True):
            self.moving[copy.name].copied[copy.target] = self.size[copy.name] - left

    def laid(self) -> Tracks:
        """The tracks of everything that can be copied now."""
        copies = list(self.copies())
        links: dict[Link, int] = {}
        ends = [[links.setdefault(link, len(links)) for link in self.links_of(copy)] for copy in copies]
        left = [self.size[copy.name] - self.moving[copy.name].copied[copy.target] for copy in copies]
        return Tracks(
            np.array(copies, dtype=object),
            np.array(ends, dtype=np.int64).reshape(len(copies), 2),
            np.array([self.capacity(link) for link in links], dtype=np.float64),
            np.array(left),
        )

    def copies(self) -> Iterator[Copy]:
        """What can be copied now: from a leader that lives to a broker that lives."""
        for name, moving in self.moving.items():
            if self.leader[name] >= 0:
                for broker in moving.lagging(self.size[name]):
                    if broker not in self.down and broker not in self.failed:
                        yield Copy(name, self.leader[name], broker)

    def links_of(self, copy: Copy) -> tuple[Link, Link]:
        """Outbound link of the leader and inbound link of the target, each throttled or not."""
        topic, number = copy.name
        return (
            ("out", copy.source, self.in_list(topic, LEADER_REPLICAS, f"{number}:{copy.source}")),
            ("in", copy.target, self.in_list(topic, FOLLOWER_REPLICAS, f"{number}:{copy.target}")),
        )

    def in_list(self, topic: str, key: str, pair: str) -> bool:
        pairs = self.pairs.get((topic, key), frozenset())
        return pair in pairs or "*" in pairs

    def capacity(self, link: Link) -> float:
        side, broker, throttled = link
        rate = self.settings[Resource.broker(broker)].get(LEADER_RATE if side == "out" else FOLLOWER_RATE)
        return min(float(rate), self.link) if throttled and rate else self.link
