"""``reorders``: partitions with the same brokers in a new order."""

from __future__ import annotations

from equipoise.cluster import measures
from equipoise.judge.arc_costs import Cost, each
from equipoise.judge.checks import changes_per_partition
from equipoise.judge.counting import Counting
from equipoise.judge.goals.interface import OrderGoal
from equipoise.judge.rows import ones
from equipoise.judge.sheet import Sum, Terms
from equipoise.judge.views import OrderView
from equipoise.judge.violations import Case


class Reorders(OrderGoal):
    """Where a broker comes or goes the list is new anyway."""

    name = "reorders"

    def value(self, case: Case) -> int:
        changed = measures.changed_rows(case.before, case.target)
        changed = changed[case.cluster.rf[changed] > 0]
        return int((changes_per_partition(case.before[changed], case.target[changed]) == 0).sum())

    def on_orders(self, view: OrderView) -> Cost:
        """A new leader is a new order, where the brokers are those there were."""
        case, choices = view.case, view.choices
        stays = changes_per_partition(case.before, case.rules.base)[choices.rows] == 0
        stays &= case.cluster.rf[choices.rows] > 0
        offset = int(stays[choices.home < 0].sum())
        return each(view.arcs.n, view.arcs.kinds["change"], stays[choices.changes], offset)

    def counted(self, program: Counting) -> Sum:
        """1 where every broker of a partition stays and one of the positions decided differs."""
        terms: Terms = []
        for row in program.rows:
            before = program.before[row]
            if len(before) != program.rules.rf[row]:
                continue
            reorder = program.sheet.column()
            stay = [program.held[row, b] for b in before if (row, b) in program.held]
            for k in range(min(program.depth, len(before))):
                stands = program.standing(row, [before[k]], [k])
                program.sheet.row([(reorder, 1), *ones(stay, -1), *ones(stands)], least=1 - len(before))
            terms.append((reorder, 1))
        return Sum(terms)
