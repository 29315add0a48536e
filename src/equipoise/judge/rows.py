"""The rules of a request as rows of a 0-1 program: who holds what, and who stands where.

A column for each partition and broker that may hold it, and for each of the positions that goals ask
about. Numbers of rows and columns are those of the planner's program, to whose rows the prices of a
certificate belong.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from equipoise.judge.rules import rack_limits
from equipoise.judge.sheet import Sheet, Terms
from equipoise.judge.violations import Case


def ones(columns: Sequence[int], factor: int = 1) -> Terms:
    """Each of the columns, with the same factor."""
    return [(column, factor) for column in columns]


class Rows:
    """The columns of each partition, and the rules as rows of them."""

    def __init__(self, case: Case, depth: int) -> None:
        """``depth``: how many first positions of the lists have columns."""
        self.case, self.rules, self.depth, self.sheet = case, case.rules, depth, Sheet()
        self.rows: list[int] = np.flatnonzero(case.rules.movable).tolist()
        self.before = {row: [b for b in case.before[row].tolist() if b >= 0] for row in self.rows}
        self.current = {row: [b for b in case.rules.base[row].tolist() if b >= 0] for row in self.rows}
        self.allowed = {row: self.brokers_for(row) for row in self.rows}
        self.n_racks = len(case.cluster.brokers.rack_names)
        self.limit = rack_limits(
            case.cluster.brokers, case.rules.eligible, case.rules.rf, strict=case.rules.strict_racks
        )
        self.held: dict[tuple[int, int], int] = {}
        """Column of a row and a broker: the broker holds it."""
        self.at: dict[tuple[int, int, int], int] = {}
        """Column of a row, a broker and a position: it stands there."""
        self.excess: dict[int, list[int]] = {}
        """Columns that count what stands above the limit of its rack, of rows that may have that."""
        for row in self.rows:
            self.partition(row)
        self.budgets()

    def brokers_for(self, row: int) -> list[int]:
        """Brokers that may hold a partition."""
        current, rules = self.current[row], self.rules
        if rules.leaders_only:
            return current
        may = rules.eligible & (rules.leads | (rules.rf[row] > 1))
        return [b for b in np.flatnonzero(may).tolist() if b in current or rules.receives[b]]

    def partition(self, row: int) -> None:
        """Who holds it and who stands where, as often as it has replicas."""
        sheet, rf, allowed = self.sheet, int(self.rules.rf[row]), self.allowed[row]
        for b in allowed:
            self.held[row, b] = sheet.column()
        sheet.row(ones([self.held[row, b] for b in allowed]), rf, rf)
        for k in range(min(self.depth, rf)):
            for b in allowed:
                if k > 0 or self.rules.leads[b]:
                    self.at[row, b, k] = sheet.column()
            sheet.row(ones(self.standing(row, allowed, [k])), 1, 1)
        for b in allowed:
            stands = self.standing(row, [b], range(min(self.depth, rf)))
            sheet.row([*ones(stands), (self.held[row, b], -1)], most=0)
        for b in self.rules.base[row][self.rules.pinned[row]].tolist():
            sheet.row(ones([self.held[row, b]] if (row, b) in self.held else []), 1, 1)
        self.racks_of(row)
        if self.rules.max_changes_per_partition is not None:
            sheet.row(ones(self.arrivals(row)), most=self.rules.max_changes_per_partition)

    def standing(self, row: int, brokers: Sequence[int], positions: Sequence[int]) -> list[int]:
        return [self.at[row, b, k] for b in brokers for k in positions if (row, b, k) in self.at]

    def racks_of(self, row: int) -> None:
        """The rack rule, which a partition may break by as much as today, and ``--stay-in-rack``."""
        if self.n_racks == 1:
            return
        rack_idx = self.case.cluster.brokers.rack_idx
        now = np.bincount(rack_idx[self.current[row]], minlength=self.n_racks).tolist()
        growth, limit = int(self.rules.rf[row]) - sum(now), int(self.limit[row])
        above = 0 if self.rules.strict_racks else self.above_today(now)
        # Each rack alone may have all that is allowed above
        # the limit; the last row holds racks together to it.
        for rack, count in enumerate(now):
            inside = ones(self.inside(row, rack))
            self.sheet.row(inside, most=limit + above)
            if self.rules.stay_in_rack and growth >= 0:
                self.sheet.row(inside, least=count)
            if self.rules.stay_in_rack and growth <= 0:
                self.sheet.row(inside, most=count)
        if above:
            over = [self.over(self.inside(row, rack), limit) for rack in range(self.n_racks)]
            self.excess[row] = [column for some in over for column in some]
            self.sheet.row(ones(self.excess[row]), most=above)

    def above_today(self, now: list[int]) -> int:
        """Replicas above the limit of as many replicas as there are today."""
        rf = np.array([sum(now)], dtype=np.int32)
        limit = rack_limits(self.case.cluster.brokers, self.rules.eligible, rf, strict=False)[0]
        return sum(max(0, count - int(limit)) for count in now)

    def over(self, inside: list[int], limit: int) -> list[int]:
        """New columns for what is above a limit."""
        # Rows ask that these are enough, not that they are as few: too many are worse by themselves.
        over = [self.sheet.column() for _ in inside[limit:]]
        if over:
            self.sheet.row([*ones(inside), *ones(over, -1)], most=limit)
        return over

    def inside(self, row: int, rack: int) -> list[int]:
        rack_idx = self.case.cluster.brokers.rack_idx
        return [self.held[row, b] for b in self.allowed[row] if rack_idx[b] == rack]

    def arrivals(self, row: int) -> list[int]:
        """Columns that are data moves: those of a partition that is created are none."""
        before = self.before[row]
        return [self.held[row, b] for b in self.allowed[row] if b not in before] if before else []

    def budgets(self) -> None:
        rules = self.rules
        if rules.max_moves is not None:
            moves = [new for row in self.rows for new in ones(self.arrivals(row))]
            self.sheet.row(moves, most=rules.max_moves)
        if rules.max_bytes is not None:
            size = np.rint(np.nan_to_num(self.case.cluster.size_bytes))
            carried = [(new, int(size[row])) for row in self.rows for new in self.arrivals(row)]
            self.sheet.row(carried, most=rules.max_bytes)
