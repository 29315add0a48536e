"""A plan with log dirs: each broker's replicas put in order among its dirs, after all else is decided."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from equipoise.cluster import Level, Plan
from equipoise.cluster.log_dirs import DirPlan, LogDirs
from equipoise.cluster.proofs import ProofKind
from equipoise.errors import ImpossibleRequest, UnusableInput
from equipoise.planning.dirs import small
from equipoise.planning.dirs.counts import level_counts
from equipoise.planning.dirs.shelves import ANYTHING, HOMELESS, BoolArray, Int64, Placed, Shelves, bands
from equipoise.planning.dirs.weighed import level_bytes
from equipoise.planning.problem.problem import Problem
from equipoise.planning.rules.assume_alive import up_in
from equipoise.planning.rules.max_fill import percents
from equipoise.wording import plural

GOALS = {True: ("log-dirs", "log-dir-bytes"), False: ("log-dir-replicas", "log-dir-moves")}
"""What is outside the bands and what is moved, on brokers that are weighed and on those that are counted."""
MOST_FULL = 95.0
"""Percent of a volume that ``apply`` fills."""
TOLERANCE = 5.0
"""Of bytes where none is given, in percent; counts come as near as whole numbers can."""


def with_log_dirs(problem: Problem, plan: Plan) -> Plan:
    """The plan with a log dir for every replica that comes to a broker or changes its dir there.

    Raises `UnusableInput` where a dir to be emptied does not exist, or where no other could take what it has,
    and `ImpossibleRequest` where those that could have no room for it.
    """
    request, dirs = problem.request, problem.cluster.dirs
    if request.log_dirs is None and not request.drain_dir:
        return plan
    if dirs is None:
        if request.drain_dir:
            broker, path = request.drain_dir[0]
            raise no_such_dir(broker, path, "no source tells of a broker with more than one")
        told = "--log-dirs: no source tells of a broker with more than one log dir, so nothing is levelled"
        return replace(plan, warnings=(*plan.warnings, told))
    drained = drained_dirs(dirs, request.drain_dir)
    return DirPlacing(problem, plan, dirs, drained).done()


def drained_dirs(dirs: LogDirs, named: tuple[tuple[int, str], ...]) -> BoolArray:
    """``(n_dirs,)``: dirs that are to be empty."""
    drained = np.zeros(len(dirs), dtype=bool)
    for broker, path in named:
        at = dirs.position(broker, path)
        if at < 0:
            mine = [dirs.paths[k] for k in np.flatnonzero(dirs.broker == broker).tolist()]
            raise no_such_dir(broker, path, f"it has {', '.join(mine)}" if mine else "none of it is known")
        drained[at] = True
    for broker, path in named:
        if not (dirs.usable & ~drained)[dirs.broker == broker].any():
            raise UnusableInput(
                f"broker {broker} has no other log dir that takes what {path} has", source="--drain-dir",
                advice=f"--drain {broker} empties the broker",
            )  # fmt: skip
    return drained


def no_such_dir(broker: int, path: str, there: str) -> UnusableInput:
    return UnusableInput(
        f"broker {broker} has no log dir {path}: {there}", source="--drain-dir",
        advice="Log dirs come from kafka-log-dirs --describe or a snapshot",
    )  # fmt: skip


class Told(NamedTuple):
    """What came of one broker."""

    weighed: bool
    outside: int
    moved: int
    placed: Placed


@dataclass
class DirPlacing:
    """All brokers of a plan, one after the other."""

    problem: Problem
    plan: Plan
    dirs: LogDirs
    drained: BoolArray

    def done(self) -> Plan:
        """The plan with its log dirs."""
        cluster, target = self.problem.cluster, self.plan.target
        ids = cluster.ids_of(target)
        self.at = self.dirs.held(ids)
        self.sizes = np.where(cluster.rf > 0, cluster.size_bytes, 0)  # what is created is empty
        was_there = cluster.ids_of(cluster.replicas)
        self.comes = (ids >= 0) & ~(ids[:, :, None] == was_there[:, None, :]).any(axis=2)
        self.result = self.at.copy()
        self.why: dict[int, str] = {}
        by_broker = np.argsort(ids, axis=None, kind="stable")
        ends = np.searchsorted(ids.ravel()[by_broker], [(b, b + 1) for b in self.brokers()])
        cells = (np.divmod(by_broker[first:last], ids.shape[1]) for first, last in ends.tolist())
        told = [self.broker(broker, *its) for broker, its in zip(self.brokers(), cells, strict=True)]
        reached = [each for each in told if each is not None]
        among = np.isin(ids, self.brokers())
        plan = DirPlan(
            self.result,
            tuple(levels(reached)),
            self.why,
            int((among & (self.at < 0) & ~self.comes).sum()),
        )
        return replace(self.plan, dirs=plan)

    def brokers(self) -> list[int]:
        """Ids of the brokers whose dirs are put in order."""
        levelled = self.problem.request.log_dirs is not None
        chosen = self.dirs.usable if levelled else self.drained
        up = np.isin(self.dirs.broker, self.problem.cluster.brokers.ids[up_in(self.problem)])
        return np.unique(self.dirs.broker[chosen & up]).tolist()

    def broker(self, broker: int, rows: Int64, columns: Int64) -> Told | None:
        """One broker, with its replicas; None where it has nothing that could be anywhere else."""
        mine = np.flatnonzero((self.dirs.broker == broker) & self.dirs.usable & ~self.drained)
        # One place more than dirs: a replica whose dir nobody
        # knows has -1, and reads there that it has no home.
        local = np.full(len(self.dirs) + 1, HOMELESS, dtype=np.int64)
        local[mine] = np.arange(len(mine))
        at = self.at[rows, columns]
        leaves = (at >= 0) & self.drained[at] & self.problem.movable[rows]
        # What is in a dir that Kafka does not use, or in none that is known, is left alone.
        taken = self.comes[rows, columns] | leaves | (local[at] >= 0)
        rows, columns, gone, home = rows[taken], columns[taken], leaves[taken], local[at[taken]]
        levelled = self.problem.request.log_dirs is not None
        fixed = (home >= 0) & (~self.problem.movable[rows] | (not levelled))
        if len(mine) < 2 and not (home < 0).any():
            return None
        weighed = not np.isnan(self.sizes[rows]).any()
        sizes = np.ceil(self.sizes[rows]).astype(np.int64) if weighed else np.ones(len(rows), dtype=np.int64)
        shelves = shelved(self.weights(mine), sizes, home, fixed, self.tolerance(weighed=weighed))
        if weighed:
            shelves = replace(shelves, room=self.room(mine, shelves))
        placed = self.placed(shelves, rows, weighed=weighed)
        if shelves.overfull(shelves.held(placed.places)):
            raise self.no_room(broker, mine, shelves)
        self.result[rows, columns] = mine[placed.places]
        moved = shelves.moved(placed.places)
        # What is in a drained dir has to leave it in every plan: value and bound both count it.
        moved += int(sizes[gone].sum())
        placed = placed._replace(least_moved=placed.least_moved + int(sizes[gone].sum()))
        if moved or gone.any() or (home != placed.places)[home >= 0].any():
            self.why[broker] = reason(self.dirs, broker, self.drained, levelled=levelled)
        return Told(weighed, shelves.outside(shelves.held(placed.places)), moved, placed)

    def tolerance(self, *, weighed: bool) -> float:
        usual, named = (TOLERANCE if weighed else 0.0), self.problem.request.dirs_tolerance
        return usual if named is None else named

    def weights(self, mine: Int64) -> tuple[int, ...]:
        """Bytes of each volume, where all are known; otherwise every dir should hold the same."""
        total = self.dirs.total_bytes[mine]
        return (1,) * len(mine) if np.isnan(total).any() else tuple(total.astype(np.int64).tolist())

    def room(self, mine: Int64, shelves: Shelves) -> tuple[int, ...]:
        """Bytes that each dir may end with: what ``apply`` fills of its volume, or what is there."""
        asked = percents(self.problem).get("disk", MOST_FULL)
        most = np.floor(np.nan_to_num(self.dirs.total_bytes[mine], nan=np.inf) * min(MOST_FULL, asked) / 100)
        held = shelves.held(shelves.home).tolist()
        # A dir that is fuller today may stay so: it is only to get no fuller.
        return tuple(max(int(min(full, ANYTHING)), now) for full, now in zip(most, held, strict=True))

    def no_room(self, broker: int, mine: Int64, shelves: Shelves) -> ImpossibleRequest:
        """What comes to the dirs of a broker, and the room that they have."""
        comes = int(shelves.size[shelves.home < 0].sum())
        free = shelves.room - shelves.held(np.where(shelves.home >= 0, shelves.home, HOMELESS))
        rooms = (f"{self.dirs.paths[at]} for {each:,}" for at, each in zip(mine, free.tolist(), strict=True))
        reason = (
            f"{comes:,} bytes that come to log dirs of broker {broker} find no room there, the largest "
            f"replica has {int(shelves.size.max()):,}: room is in {' and '.join(rooms)}"
        )
        if (self.drained & (self.dirs.broker == broker)).any():
            return ImpossibleRequest([reason], [f"drain the broker (--drain {broker})", "make room on it"])
        return ImpossibleRequest([reason], ["keep brokers emptier (--max-fill)", "let Kafka choose log dirs"])

    def placed(self, shelves: Shelves, rows: Int64, *, weighed: bool) -> Placed:
        if not weighed:
            order = np.argsort(np.nan_to_num(self.sizes[rows], nan=np.inf), kind="stable")
            return level_counts(shelves, order)
        params = self.problem.params
        few = small.fits(shelves, params.dir_ways)
        return small.best_of_all(shelves) if few else level_bytes(shelves, params.dir_exchanges)


def shelved(
    weight: tuple[int, ...], size: Int64, home: Int64, fixed: BoolArray, tolerance: float
) -> Shelves:
    """The dirs and replicas of a broker, with the band of each dir."""
    low, high = bands(int(size.sum()), weight, tolerance)
    return Shelves(weight, size, home, fixed, low, high, (ANYTHING,) * len(weight))


def reason(dirs: LogDirs, broker: int, drained: BoolArray, *, levelled: bool) -> str:
    """Why replicas of a broker change their dir."""
    empty = [dirs.paths[at] for at in np.flatnonzero(drained & (dirs.broker == broker)).tolist()]
    parts = [f"{' and '.join(empty)} is drained" if len(empty) == 1 else f"{' and '.join(empty)} are drained"]
    level = f"the log dirs of broker {broker} are levelled"
    return "; ".join([*(parts if empty else []), *([level] if levelled else [])])


def levels(told: list[Told]) -> Iterator[Level]:
    """What was reached on all brokers together, and what could at best be: bytes, then counts."""
    for weighed, goals in GOALS.items():
        mine = [each for each in told if each.weighed is weighed]
        if not mine:
            continue
        tried = sum(each.placed.tried_all for each in mine)
        note = f"on {plural(tried, 'broker')} every way of placing the replicas was tried" if tried else ""
        outside = sum(each.outside for each in mine), sum(each.placed.least_outside for each in mine)
        moved = sum(each.moved for each in mine), sum(each.placed.least_moved for each in mine)
        kind = ProofKind.INTEGER_PROGRAM if tried else ProofKind.CLOSED_FORM
        for goal, (value, bound) in zip(goals, (outside, moved), strict=True):
            yield Level(goal, value, bound, kind, note)
