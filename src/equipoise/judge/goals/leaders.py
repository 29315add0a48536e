"""``leaders``: squared distance of each broker's preferred leaders from its band."""

from __future__ import annotations

from dataclasses import replace
from math import isqrt

import numpy as np

from equipoise.cluster import measures
from equipoise.cluster.apart import Spread
from equipoise.judge.arc_costs import Cost, banded
from equipoise.judge.bands import Int64, squares, weights, within
from equipoise.judge.counting import Counting
from equipoise.judge.goals.interface import LeaderLevel
from equipoise.judge.relaxation import Arcs
from equipoise.judge.sheet import Sum
from equipoise.judge.views import SumsView
from equipoise.judge.violations import Case


class Leaders(LeaderLevel):
    """Of the brokers that may lead; what the others lead since it may not change is in no band."""

    name = "leaders"

    def apart(self, spread: Spread) -> int:
        return spread.leaders()

    def value(self, case: Case) -> int:
        led = measures.leaders_per_broker(case.target, case.cluster.n_brokers)[case.rules.leads]
        return squares(led, *band(case, int(led.sum())))

    def on_sums(self, case: Case, arcs: Arcs) -> Cost:
        rules = case.rules
        base = measures.leaders_per_broker(case.before[~rules.movable], case.cluster.n_brokers)[rules.leads]
        low, high = band(case, int(base.sum()) + int(rules.movable.sum()))
        return banded(arcs.n, arcs.kinds["broker"][rules.leads], low - base, high - base)

    def counted(self, program: Counting) -> Sum:
        base, leads = program.fixed_at(0), program.rules.leads
        bands = band(program.case, int(base[leads].sum()) + len(program.rows))
        return Sum(program.level(program.placed, base, leads, bands))

    def tighten(self, sums: SumsView, value: int) -> SumsView:
        """No broker alone is farther from its band than the root of what all are together."""
        case, leads = sums.case, sums.case.rules.leads
        n_rows = int(case.rules.movable.sum())
        led = measures.leaders_per_broker(case.before[~case.rules.movable], case.cluster.n_brokers)[leads]
        low, high = band(case, int(led.sum()) + n_rows)
        off = isqrt(max(0, value))
        fewest, most = sums.fewest_leaders.copy(), sums.most_leaders.copy()
        fewest[leads] = np.maximum(fewest[leads], low - off - led)
        most[leads] = np.minimum(most[leads], high + off - led)
        return replace(sums, fewest_leaders=fewest, most_leaders=most)


def band(case: Case, total: int) -> tuple[Int64, Int64]:
    """The two ends of each band, ``(n_leading,)``, of the brokers that may lead when they lead ``total``."""
    return within(total, weights(case, case.rules.leads), case.rules.leader_tolerance)
