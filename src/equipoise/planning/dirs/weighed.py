"""Bytes: each dir in its band with the fewest bytes moved, by a search.

What has no home goes first, the largest where there is most room. Then dirs outside their bands give or
take, the largest replica first that does not overshoot; what is left of a band no single replica mends is
mended by exchanges. At last a replica that has moved is left where it was, or a smaller one moved in its
stead, wherever the bands allow it. What a dir holds above its room weighs more than any band.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterator
from itertools import permutations
from typing import NamedTuple

import numpy as np

from equipoise.planning.dirs.bounds import least_moved, least_outside
from equipoise.planning.dirs.shelves import Placed, Shelves

OVERFULL = 2**64
"""What a byte above a dir's room counts, beside one outside its band."""


class Step(NamedTuple):
    """Replicas that change their dir, and what the dirs then hold outside their bands and their room."""

    wasted: int
    """Bytes moved beyond what the dirs have too much, or lack."""
    outside: int
    moved: int
    """More bytes away from home than before; may be negative."""
    moves: tuple[tuple[int, int], ...]
    """(replica, dir)."""


def level_bytes(shelves: Shelves, exchanges: int) -> Placed:
    """Places that no step of the search makes better, and bounds in closed form; see `Search`."""
    search = Search(shelves, exchanges)
    search.place_homeless()
    while search.mend():
        search.spare()
    places = np.array(search.places, dtype=np.int64)
    outside = shelves.outside(shelves.held(places))
    return Placed(
        places,
        min(outside, least_outside(shelves)),
        min(shelves.moved(places), least_moved(shelves, outside)),
    )


class Search:
    """Places on the way; whole numbers of Python, for they are looked at one by one."""

    def __init__(self, shelves: Shelves, exchanges: int) -> None:
        """``exchanges``: of so many replicas of a dir, evenly by size, an exchange is sought for each."""
        self.exchanges = exchanges
        self.size, self.home = shelves.size.tolist(), shelves.home.tolist()
        self.low, self.high, self.room = shelves.low, shelves.high, shelves.room
        self.places: list[int] = list(self.home)
        self.held: list[int] = shelves.held(shelves.home).tolist()
        self.dirs = range(len(self.high))
        self.free = [at for at, fixed in enumerate(shelves.fixed.tolist()) if not fixed]
        self.there: list[list[tuple[int, int]]] = [[] for _ in self.dirs]
        """Of each dir what may leave it, as (bytes, replica), ascending."""
        for at in self.free:
            if self.home[at] >= 0:
                self.there[self.home[at]].append((self.size[at], at))
        for replicas in self.there:
            replicas.sort()
        self.outside = sum(self.off(at, self.held[at]) for at in self.dirs)
        """What the dirs hold outside their bands, and above their room."""

    def off(self, at: int, held: int) -> int:
        """How far so many bytes are outside the band of a dir, and what they are above its room."""
        return max(0, held - self.high[at], self.low[at] - held) + OVERFULL * max(0, held - self.room[at])

    def put(self, replica: int, to: int) -> None:
        size, at = self.size[replica], self.places[replica]
        if at >= 0:
            self.hold(at, -size)
            del self.there[at][bisect_left(self.there[at], (size, replica))]
        self.hold(to, size)
        self.places[replica] = to
        insort(self.there[to], (size, replica))

    def hold(self, at: int, more: int) -> None:
        self.outside -= self.off(at, self.held[at])
        self.held[at] += more
        self.outside += self.off(at, self.held[at])

    def place_homeless(self) -> None:
        """The largest first, each where there is most room."""
        homeless = [(-self.size[at], at) for at in self.free if self.home[at] < 0]
        for _, replica in sorted(homeless):
            room = [min(self.high[at], self.room[at]) - self.held[at] for at in self.dirs]
            self.put(replica, room.index(max(room)))

    def mend(self) -> bool:
        """Steps until none brings the dirs nearer to their bands; False where nothing was to be done."""
        began = outside = self.outside
        while outside:
            # Exchanges move two for the sake of their difference, so they come where no single replica helps.
            best = self.best(self.pairs(self.one)) or self.best(self.pairs(self.exchange))
            if best is None:
                break
            for replica, to in best.moves:
                self.put(replica, to)
            outside = best.outside
        return outside < began

    def best(self, steps: Iterator[Step]) -> Step | None:
        """Of the steps that help the one that moves least more than is wanted, then that which helps most."""
        outside = self.outside
        return min((step for step in steps if step.outside < outside), default=None)

    def pairs(self, between: Callable[[int, int, int], Iterator[Step]]) -> Iterator[Step]:
        """The steps ``between`` each two dirs of which one has too much or the other too little."""
        for giver, taker in permutations(self.dirs, 2):
            most = min(self.high[giver], self.room[giver])
            wanted = max(self.held[giver] - most, self.low[taker] - self.held[taker])
            if wanted > 0:
                yield from between(giver, taker, wanted)

    def one(self, giver: int, taker: int, wanted: int) -> Iterator[Step]:
        """A replica of about ``wanted`` bytes goes from one dir to another."""
        for given in self.near(giver, wanted):
            yield self.step(((given, taker),), wanted)

    def exchange(self, giver: int, taker: int, wanted: int) -> Iterator[Step]:
        """A replica goes against one that is smaller by about ``wanted`` bytes."""
        gives = self.there[giver]
        for size, given in gives[:: len(gives) // self.exchanges + 1]:
            for taken in self.near(taker, size - wanted) if size > wanted else ():
                yield self.step(((given, taker), (taken, giver)), wanted)

    def near(self, at: int, wanted: int) -> list[int]:
        """The largest replica of a dir of at most so many bytes, and the smallest of at least so many."""
        sizes = self.there[at]
        k = bisect_right(sizes, (wanted, len(self.size)))
        return [sizes[j][1] for j in (k - 1, k) if 0 <= j < len(sizes)]

    def step(self, moves: tuple[tuple[int, int], ...], wanted: int = 0) -> Step:
        """What these moves would come to, where so many bytes are ``wanted``."""
        outside = self.outside
        change, moved = dict.fromkeys((self.places[moves[0][0]], moves[0][1]), 0), 0
        for replica, to in moves:
            at, home, size = self.places[replica], self.home[replica], self.size[replica]
            change[at] -= size
            change[to] += size
            if home >= 0:
                moved += size * (int(to != home) - int(at != home))
        for at, more in change.items():
            outside += self.off(at, self.held[at] + more) - self.off(at, self.held[at])
        return Step(max(0, moved - wanted), outside, moved, moves)

    def spare(self) -> None:
        """What has moved goes home, or a smaller one goes in its stead, where nothing is worse for it."""
        away = [(-self.size[at], at) for at in self.free if 0 <= self.home[at] != self.places[at]]
        for _, replica in sorted(away):
            now, home, outside = self.places[replica], self.home[replica], self.outside
            back = (replica, home)
            if self.step((back,)).outside <= outside:
                self.put(*back)
                continue
            size = self.size[replica]
            # The one that goes instead may be as much smaller
            # as the bands of both dirs leave free, and no more.
            need = size - min(self.high[home] - self.held[home], self.held[now] - self.low[now])
            for other in self.near(home, max(0, need - 1))[-1:]:
                step = self.step((back, (other, now)))
                if step.outside <= outside and step.moved < 0:
                    for move in step.moves:
                        self.put(*move)
