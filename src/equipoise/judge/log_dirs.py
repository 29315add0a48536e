"""Log dirs of a plan, judged by themselves: what is broken, and whether the bounds claimed hold.

Values are counted and bounds computed broker by broker, with nothing of the planner's: where few replicas
may be anywhere, over all the loads that their dirs can come to; else in closed form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from equipoise.cluster import Cluster
from equipoise.cluster.brokers import IntArray
from equipoise.cluster.log_dirs import DirPlan, LogDirs
from equipoise.judge.certificate import Finding
from equipoise.judge.violations import Case, Violation

GOALS = {True: ("log-dirs", "log-dir-bytes"), False: ("log-dir-replicas", "log-dir-moves")}
"""Outside the bands and moved: weighed, and counted where a size is not known."""
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

    def outside(self, loads: Sequence[int]) -> int:
        """By how much loads, a number for each dir, lie outside."""
        return sum(map(off, loads, self.low, self.high))


class Reached(NamedTuple):
    """Outside the bands, and moved: what a broker has, and what it cannot be below."""

    outside: int
    moved: int
    least_outside: int
    least_moved: int


def judge_dirs(
    case: Case, plan: DirPlan | None, request: Mapping[str, Any]
) -> tuple[tuple[Finding, ...], tuple[Violation, ...]]:
    """The findings of every level that a plan claims of its log dirs, and the rules that it breaks."""
    dirs = case.cluster.dirs
    asked = bool(request.get("log_dirs") or request.get("drain_dir"))
    if plan is None or dirs is None:
        missing = asked and dirs is not None
        told = "log dirs were asked for, and the plan has none"
        return (), (Violation("log-dirs", None, None, None, told),) if missing else ()
    broken = tuple(violations(case, dirs, plan, drained_of(dirs, request)))
    return tuple(findings(case, dirs, plan, request)), broken


def drained_of(dirs: LogDirs, request: Mapping[str, Any]) -> list[int]:
    return [dirs.position(int(broker), str(path)) for broker, path in request.get("drain_dir") or ()]


def violations(case: Case, dirs: LogDirs, plan: DirPlan, drained: Sequence[int]) -> Iterator[Violation]:
    """Replicas in dirs that take none, out of dirs that they may not leave, or left in drained ones."""
    cluster = case.cluster
    held = dirs.held(cluster.ids_of(case.target))
    for row, column in np.argwhere((held >= 0) | (plan.target >= 0)).tolist():
        old, new = int(held[row, column]), int(plan.target[row, column])
        topic = cluster.topics[cluster.topic_idx[row]]
        broker = int(cluster.brokers.ids[case.target[row, column]])
        place = topic, int(cluster.partition[row]), broker
        if new != old and new >= 0 and not dirs.usable[new]:
            yield Violation("log-dirs", *place, f"{dirs.paths[new]} of broker {broker} takes no replicas")
        if new != old and not case.rules.movable[row]:
            yield Violation("log-dirs", *place, f"its replica on broker {broker} may not change its log dir")
        if new in drained and case.rules.movable[row]:
            yield Violation("drain-dir", *place, f"{dirs.paths[new]} of broker {broker} is to be empty")


def findings(case: Case, dirs: LogDirs, plan: DirPlan, request: Mapping[str, Any]) -> Iterator[Finding]:
    """What the levels come to here, beside what the plan claims."""
    totals: dict[str, list[int]] = {}
    held = dirs.held(case.cluster.ids_of(case.target))
    for broker in brokers_of(case, dirs, request):
        weighed, reached = judged_broker(case, held, plan, request, broker)
        if reached is None:
            continue
        for k, goal in enumerate(GOALS[weighed]):
            value, bound = totals.setdefault(goal, [0, 0])
            totals[goal] = [value + reached[k], bound + reached[k + 2]]
    claimed = {level.goal: level for level in plan.certificate}
    for goal in dict.fromkeys((*claimed, *totals)):
        value, bound = totals.get(goal, [0, 0])
        level, problem = claimed.get(goal), ""
        if level is None:
            problem = "the plan says nothing of it"
        elif level.value != value:
            problem = f"its value is {value}, not {level.value}"
        elif level.lower_bound is None or level.lower_bound > bound:
            problem = f"only {bound} is proved, not {level.lower_bound}"
        yield Finding(goal, value, bound, problem)


def brokers_of(case: Case, dirs: LogDirs, request: Mapping[str, Any]) -> list[int]:
    """The brokers whose dirs are put in order: all that are up, or those with a dir to be emptied."""
    drained = set(drained_of(dirs, request))
    up = set(case.cluster.brokers.ids[case.rules.alive].tolist())
    chosen = [at for at in range(len(dirs)) if dirs.usable[at] and (request.get("log_dirs") or at in drained)]
    return sorted({int(dirs.broker[at]) for at in chosen} & up)


def judged_broker(
    case: Case, held: IntArray, plan: DirPlan, request: Mapping[str, Any], broker: int
) -> tuple[bool, Reached | None]:
    """One broker, with the dirs that its replicas lie in now; whether its replicas are weighed, and what it
    reaches, None where nothing is open."""
    dirs = case.cluster.dirs
    if dirs is None:
        return True, None
    drained = set(drained_of(dirs, request))
    usable = np.flatnonzero((dirs.broker == broker) & dirs.usable).tolist()
    mine = [at for at in usable if at not in drained]
    there = replicas_on(case, held, plan, broker, {*mine, *drained})
    found = [each for each in there if each.movable or each.old not in drained]
    if len(mine) < 2 and all(each.old in mine for each in found):
        return True, None
    weighed = all(each.size >= 0 for each in found)
    if not weighed:
        found = [each._replace(size=1) for each in found]
    levelled = bool(request.get("log_dirs"))
    staying = [each for each in found if each.old in mine and not (each.movable and levelled)]
    free = [each for each in found if each.old not in mine or (each.movable and levelled)]
    bands = band_of(dirs, mine, sum(each.size for each in found), tolerance_of(request, weighed=weighed))
    ends = dict.fromkeys(mine, 0)
    for each in found:
        ends[each.new if each.new in ends else mine[0]] += each.size
    outside = bands.outside(list(ends.values()))
    moved = sum(each.size for each in found if each.old >= 0 and each.new != each.old)
    leaving = sum(each.size for each in found if each.old in drained)
    least = least_of(staying, free, bands, outside)
    return weighed, Reached(outside, moved, min(outside, least[0]), least[1] + leaving)


def replicas_on(
    case: Case, held: IntArray, plan: DirPlan, broker: int, open_dirs: set[int]
) -> Iterator[Replica]:
    """What a broker holds afterwards, without what lies where nothing is levelled or nobody knows."""
    cluster = case.cluster
    position = int(cluster.brokers.index_of(broker))
    rows, columns = np.nonzero(case.target == position)
    before = (cluster.replicas[rows] == position).any(axis=1)
    places = held[rows, columns].tolist(), plan.target[rows, columns].tolist()
    for row, was_here, old, new in zip(rows.tolist(), before.tolist(), *places, strict=True):
        if old in open_dirs or not was_here:
            yield Replica(size_of(cluster, row), old, new, bool(case.rules.movable[row]))


def size_of(cluster: Cluster, row: int) -> int:
    """Bytes of a replica, -1 where not known; a partition that is to be created has none."""
    if cluster.rf[row] == 0:
        return 0
    size = float(cluster.size_bytes[row])
    return -1 if np.isnan(size) else int(np.ceil(size))


def tolerance_of(request: Mapping[str, Any], *, weighed: bool) -> Fraction:
    """In percent: as asked for, or 5 for bytes and none for counts."""
    _, _, given = str(request.get("log_dirs") or "").partition(":")
    return Fraction(given) if given else Fraction(5 if weighed else 0)


def band_of(dirs: LogDirs, mine: Sequence[int], total: int, tolerance: Fraction) -> Bands:
    """Least and most of each dir: its share by its volume, or an equal one, widened and rounded outwards."""
    volumes = [dirs.total_bytes[at] for at in mine]
    known = not np.isnan(volumes).any()
    weights = [int(volume) if known else 1 for volume in volumes]
    shares = [Fraction(total * weight, sum(weights)) for weight in weights]
    low = (max(0, int(share * (100 - tolerance) / 100)) for share in shares)
    high = (-int(-share * (100 + tolerance) // 100) for share in shares)
    return Bands(tuple(mine), tuple(low), tuple(high))


def off(load: int, low: int, high: int) -> int:
    return max(0, load - high, low - load)


def least_of(
    staying: Sequence[Replica], free: Sequence[Replica], bands: Bands, outside: int
) -> tuple[int, int]:
    """What no way of placing the replicas is below: outside the bands, and of those moved."""
    start = [sum(each.size for each in staying if each.old == at) for at in bands.dirs]
    if all(each.size == 1 for each in (*staying, *free)):
        return least_counts(free, start, bands)
    loads = all_loads(free, start, bands.dirs)
    if loads is not None:
        return min((bands.outside(load), moved) for load, moved in loads.items())
    return closed_outside(staying, free, start, bands), closed_moved(staying, free, bands, outside)


def all_loads(
    free: Sequence[Replica], start: Sequence[int], dirs: Sequence[int]
) -> dict[tuple[int, ...], int] | None:
    """Every load that the dirs can come to with the least moved for it; None where there are too many."""
    if len(free) > MOST_FREE or len(dirs) ** len(free) > 2 * MOST_LOADS:
        return None
    loads = {tuple(start): 0}
    for each in free:
        more: dict[tuple[int, ...], int] = {}
        for load, moved in loads.items():
            for k, at in enumerate(dirs):
                to = (*load[:k], load[k] + each.size, *load[k + 1 :])
                cost = moved + (each.size if each.old in dirs and each.old != at else 0)
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
    for at, least, most in zip(*bands, strict=True):
        held = sum(each.size for each in found if each.old == at)
        over = max(0, held - most)
        may_go = [each.size for each in free if each.old == at]
        gives += max(over, min(may_go, default=0)) if over and not outside else over
        lacks += max(0, least - held)
    brought = sum(each.size for each in found if each.old not in bands.dirs)
    return max(0, gives - outside, lacks - outside - brought)
