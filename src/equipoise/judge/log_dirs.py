"""Log dirs of a plan, judged by themselves: what is broken, and whether the bounds claimed hold.

Values are counted and bounds computed broker by broker, with nothing of the planner's (`dir_bounds`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import floor, inf
from typing import Any, NamedTuple

import numpy as np

from equipoise.cluster import Cluster
from equipoise.cluster.brokers import IntArray
from equipoise.cluster.log_dirs import DirPlan, LogDirs
from equipoise.judge.certificate import Finding
from equipoise.judge.dir_bounds import Bands, Replica, least_of
from equipoise.judge.violations import Case, Violation

GOALS = {True: ("log-dirs", "log-dir-bytes"), False: ("log-dir-replicas", "log-dir-moves")}
"""Outside the bands and moved: weighed, and counted where a size is not known."""
MOST_FULL = 95.0
"""Percent of a volume that a plan may fill."""


class Opened(NamedTuple):
    """A broker whose dirs are put in order."""

    broker: int
    bands: Bands
    replicas: list[Replica]
    """What it is to hold; of size 1 each where they are not weighed."""
    weighed: bool


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
    opened = tuple(opened_brokers(case, dirs, plan, request))
    broken = (*violations(case, dirs, plan, drained_of(dirs, request)), *overfilled(dirs, opened))
    return tuple(findings(dirs, opened, plan, request)), broken


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


def findings(
    dirs: LogDirs, opened: Sequence[Opened], plan: DirPlan, request: Mapping[str, Any]
) -> Iterator[Finding]:
    """What the levels come to here, beside what the plan claims."""
    totals: dict[str, list[int]] = {}
    for each in opened:
        reached = judged_broker(each, dirs, request)
        for k, goal in enumerate(GOALS[each.weighed]):
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


def opened_brokers(
    case: Case, dirs: LogDirs, plan: DirPlan, request: Mapping[str, Any]
) -> Iterator[Opened]:
    """Every broker whose dirs are put in order, but those where nothing is open."""
    held, drained = dirs.held(case.cluster.ids_of(case.target)), set(drained_of(dirs, request))
    for broker in brokers_of(case, dirs, request):
        usable = np.flatnonzero((dirs.broker == broker) & dirs.usable).tolist()
        mine = [at for at in usable if at not in drained]
        there = replicas_on(case, held, plan, broker, {*mine, *drained})
        found = [each for each in there if each.movable or each.old not in drained]
        if len(mine) < 2 and all(each.old in mine for each in found):
            continue
        weighed = all(each.size >= 0 for each in found)
        if not weighed:
            found = [each._replace(size=1) for each in found]
        bands = band_of(dirs, mine, sum(each.size for each in found), tolerance_of(request, weighed=weighed))
        room = room_of(case, dirs, mine, found) if weighed else ()
        yield Opened(broker, bands._replace(room=room), found, weighed)


def room_of(case: Case, dirs: LogDirs, mine: Sequence[int], found: Sequence[Replica]) -> tuple[float, ...]:
    """What each dir may end with: a part of its volume, and what of its own lies there anyway."""
    percent = min(MOST_FULL, case.rules.fills.get("disk", MOST_FULL))
    volumes = (float(dirs.total_bytes[at]) for at in mine)
    fill = (inf if np.isnan(volume) else floor(volume * percent / 100) for volume in volumes)
    lies = (sum(each.size for each in found if each.old == at) for at in mine)
    return tuple(map(max, fill, lies))


def ends_of(bands: Bands, found: Sequence[Replica]) -> list[int]:
    """What each dir holds once the plan is carried out."""
    ends = dict.fromkeys(bands.dirs, 0)
    for each in found:
        ends[each.new if each.new in ends else bands.dirs[0]] += each.size
    return list(ends.values())


def overfilled(dirs: LogDirs, opened: Sequence[Opened]) -> Iterator[Violation]:
    """Dirs that a plan fills above what of their volumes may be used."""
    for broker, bands, found, _ in (each for each in opened if each.weighed):
        for at, load, most in zip(bands.dirs, ends_of(bands, found), bands.room, strict=True):
            if load > most:
                told = f"{dirs.paths[at]} of broker {broker} is to hold {load} bytes, at most {int(most)} may"
                yield Violation("log-dirs", None, None, broker, told)


def judged_broker(opened: Opened, dirs: LogDirs, request: Mapping[str, Any]) -> Reached:
    """What one broker reaches, and what it cannot be below."""
    _, bands, found, _ = opened
    drained, levelled = set(drained_of(dirs, request)), bool(request.get("log_dirs"))
    staying = [each for each in found if each.old in bands.dirs and not (each.movable and levelled)]
    free = [each for each in found if each.old not in bands.dirs or (each.movable and levelled)]
    outside = bands.outside(ends_of(bands, found))
    moved = sum(each.size for each in found if each.old >= 0 and each.new != each.old)
    leaving = sum(each.size for each in found if each.old in drained)
    least = least_of(staying, free, bands, outside)
    return Reached(outside, moved, min(outside, least[0]), least[1] + leaving)


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
