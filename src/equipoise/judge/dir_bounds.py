"""What no way of placing a broker's replicas in its log dirs is below, as the judge counts it.

Where few replicas may be anywhere all the loads that their dirs can come to are looked at; else the bounds
are in closed form.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

MOST_LOADS = 20_000
"""Loads of a broker's dirs that are looked at one by one."""
MOST_FREE = 16
"""Replicas that may be anywhere, for loads to be looked at."""


class Replica(NamedTuple):
    """One replica on a broker."""

    size: int
    old: int
    """The dir that it lies in, -1 where it is new or nobody knows."""
    new: int
    movable: bool


class Bands(NamedTuple):
    """The dirs of a broker that may hold replicas, with least and most of each, in the same order."""

    dirs: tuple[int, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]
    room: tuple[float, ...] = ()
    """What each may end with; nothing where no volume is looked at."""

    def fits(self, loads: Sequence[int]) -> bool:
        """True where every dir has room for its load."""
        return all(load <= most for load, most in zip(loads, self.room or (inf,) * len(loads), strict=True))

    def outside(self, loads: Sequence[int]) -> int:
        """By how much loads, a number for each dir, lie outside."""
        return sum(map(off, loads, self.low, self.high))


def off(load: int, low: int, high: int) -> int:
    return max(0, load - high, low - load)


def least_of(
    staying: Sequence[Replica], free: Sequence[Replica], bands: Bands, outside: int
) -> tuple[int, int]:
    """What no way of placing the replicas is below: outside the bands, and of those moved."""
    start = [sum(each.size for each in staying if each.old == at) for at in bands.dirs]
    if not bands.room:
        return least_counts(free, start, bands)
    loads = all_loads(free, start, bands.dirs)
    if loads is not None:
        ways = ((bands.outside(load), moved) for load, moved in loads.items() if bands.fits(load))
        return min(ways, default=(0, 0))
    return closed_outside(staying, free, start, bands), closed_moved(staying, free, bands, outside)


def all_loads(
    free: Sequence[Replica], start: Sequence[int], dirs: Sequence[int]
) -> dict[tuple[int, ...], int] | None:
    """Every load that the dirs can come to with the least moved for it; None where there are too many."""
    # As many as a planner may have tried (`dir_ways`), and more: else it would have to be believed.
    if len(free) > MOST_FREE or len(dirs) ** len(free) > 2 * MOST_LOADS:
        return None
    loads = {tuple(start): 0}
    for each in free:
        more: dict[tuple[int, ...], int] = {}
        for load, moved in loads.items():
            for k, at in enumerate(dirs):
                to = (*load[:k], load[k] + each.size, *load[k + 1 :])
                cost = moved + (each.size if each.old in dirs and each.old != at else 0)
                # What lies outside depends on the loads alone, so
                # of all ways to a load the cheapest is enough.
                more[to] = min(cost, more.get(to, cost))
        loads = more
    return loads


def least_counts(free: Sequence[Replica], start: Sequence[int], bands: Bands) -> tuple[int, int]:
    """Counts, one replica after the other to the dir where one more is cheapest; that is best for sums."""
    back = [sum(each.old == at for each in free) for at in bands.dirs]
    at_home = [held + more_there for held, more_there in zip(start, back, strict=True)]
    loads = list(start)

    def more(k: int) -> tuple[int, int]:
        n, band = loads[k], (bands.low[k], bands.high[k])
        return off(n + 1, *band) - off(n, *band), -int(n < at_home[k])

    # One more in a dir costs no less than the one before it
    # there, so the cheapest next one is never regretted.
    for _ in free:
        loads[min(range(len(loads)), key=more)] += 1
    return bands.outside(loads), sum(max(0, home - n) for home, n in zip(at_home, loads, strict=True))


def closed_outside(
    staying: Sequence[Replica], free: Sequence[Replica], start: Sequence[int], bands: Bands
) -> int:
    """What may not move stays; and the largest replica lies in some dir, which leaves the others the rest."""
    sizes = [each.size for each in (*staying, *free)]
    largest, total = max(sizes), sum(sizes)
    stays = sum(max(0, held - most) for held, most in zip(start, bands.high, strict=True))
    # In the dir of the largest replica is at least that; below
    # `least` the dir lacks itself what the others then need not.
    in_some = min(
        max(0, largest - most) + max(0, sum(bands.low) - least - total + max(largest, least))
        for least, most in zip(bands.low, bands.high, strict=True)
    )
    return max(stays, in_some)


def closed_moved(
    staying: Sequence[Replica], free: Sequence[Replica], bands: Bands, outside: int
) -> int:
    """What dirs above their bands must give, and what those below lack and nothing new brings."""
    gives = lacks = 0
    found = (*staying, *free)
    for at, least, most in zip(bands.dirs, bands.low, bands.high, strict=True):
        held = sum(each.size for each in found if each.old == at)
        over = max(0, held - most)
        may_go = [each.size for each in free if each.old == at]
        # Where nothing may be left outside, a dir above its band gives a whole replica at least.
        gives += max(over, min(may_go, default=0)) if over and not outside else over
        lacks += max(0, least - held)
    brought = sum(each.size for each in found if each.old not in bands.dirs)
    return max(0, gives - outside, lacks - outside - brought)
