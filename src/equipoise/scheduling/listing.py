"""List scheduling: copies start one by one, as soon as both their links are free.

A copy holds its source's outbound and its target's inbound link for ``amount`` units of time, which
makes the order an open shop (Gonzalez and Sahni, "Open shop scheduling to minimize finish time",
1976): no link idles while it has work for an idle partner, and the links with most left go first.
Copies really run side by side and share their links; as long as no busy link idles, the end comes
at the same moment.
"""

from __future__ import annotations

import heapq

import numpy as np
import numpy.typing as npt

from equipoise.scheduling.copies import Copies
from equipoise.scheduling.links import Links
from equipoise.scheduling.queues import Queues
from equipoise.scheduling.result import FloatArray
from equipoise.scheduling.room import Room

REFRESH = 16
"""Links are ranked anew each time one part in so many of what is left has started."""


class Listing:
    """The list schedule of some copies; times are in the unit of ``Copies.amount``."""

    start: FloatArray
    """``(n_copies,)``: when each copy starts, NaN where it never found room on its target."""
    length: float
    """When the last copy ends."""

    def __init__(
        self, copies: Copies, later: npt.NDArray[np.bool_], n_brokers: int, slots: int, room: Room
    ) -> None:
        """At most ``slots`` copies run at once; ``later`` marks those that let others go first on a link."""
        self.queues, self.room, self.slots = Queues(copies, later, n_brokers), room, slots
        self.links = Links(self.queues.has_work)
        self.amount, self.row = copies.amount.tolist(), copies.row.tolist()
        self.out_left, self.in_left = (side.tolist() for side in copies.per_link(n_brokers))
        # With fewer slots than links could use, a slot that comes
        # free may serve any pair, not only the two that had it.
        self.scarce = slots < min(len(np.unique(copies.source)), len(np.unique(copies.target)))
        self.watched, self.tight = bool(room.tight.any()), room.tight.tolist()
        self.waiting: dict[int, list[int]] = {}
        self.running: list[tuple[float, int, int, int]] = []
        self.begun = [np.nan] * len(copies)
        self.length, self.left, self.rank_at = 0.0, len(copies), len(copies)
        self.run()
        self.start = np.array(self.begun)

    def run(self) -> None:
        self.fill()
        while self.running:
            self.length, source, target, copy = heapq.heappop(self.running)
            # Else nothing is new but these two links, so no other pair need be looked at.
            if self.scarce or self.watched or self.left <= self.rank_at:
                self.links.release(source, target)
                if self.watched:
                    self.make_room(self.row[copy])
                self.fill()
            elif self.links.go_on(source, target):
                self.start_next(source, target)
            else:
                self.links.release(source, target)
                self.refill(source, target)

    def fill(self) -> None:
        """Start whatever can start."""
        if self.left <= self.rank_at:
            self.links.rank(self.out_left, self.in_left)
            # Ranking all links takes far longer than one choice,
            # and within so few copies hardly any rank changes.
            self.rank_at = self.left - self.left // REFRESH - 1
        while len(self.running) < self.slots and (pair := self.links.any_pair()) is not None:
            self.begin(*pair)

    def refill(self, source: int, target: int) -> None:
        """Start what two links that have just come free can do; all other pairs had their chance."""
        to = self.links.target_for(source)
        if to >= 0:
            self.begin(source, to)
        by = self.links.source_for(target)
        if by >= 0:
            self.begin(by, target)

    def begin(self, source: int, target: int) -> None:
        """Start the next copy of an idle pair, or set the pair aside until its target has room."""
        if self.tight[target] and not self.fits(source, target):
            return
        self.links.occupy(source, target)
        copy = self.start_next(source, target)
        if self.tight[target]:
            self.room.free[target] -= self.room.incoming[copy]

    def start_next(self, source: int, target: int) -> int:
        """Start the next copy of a pair whose links are held for it; returns the copy."""
        copy, more = self.queues.take(source, target)
        if not more:
            self.links.set_work(source, target, False)
        self.left -= 1
        self.begun[copy] = self.length
        amount = self.amount[copy]
        self.out_left[source] -= amount
        self.in_left[target] -= amount
        # Copies that end at one moment come off by broker, so the order is the same on every machine.
        heapq.heappush(self.running, (self.length + amount, source, target, copy))
        return copy

    def fits(self, source: int, target: int) -> bool:
        if self.queues.bring_forward(source, target, self.room.incoming, self.room.free[target]):
            return True
        # The pair is hidden from every choice until its target
        # has room again, or it would be chosen for ever.
        self.links.set_work(source, target, False)
        self.waiting.setdefault(target, []).append(source)
        return False

    def make_room(self, row: int) -> None:
        """A copy has ended; with the last one of its partition the old replicas go."""
        for broker in self.room.copied(row):
            for source in self.waiting.pop(broker, []):
                self.links.set_work(source, broker, True)
