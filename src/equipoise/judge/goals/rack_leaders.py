"""``rack-leaders``: squared distance of each rack's preferred leaders from its band."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.cluster import measures
from equipoise.judge.arc_costs import Cost, banded
from equipoise.judge.bands import shares, squares, weights_of_all
from equipoise.judge.counting import Counting
from equipoise.judge.goals.interface import LeaderLevel
from equipoise.judge.relaxation import Arcs
from equipoise.judge.rows import ones
from equipoise.judge.sheet import Sum, Terms
from equipoise.judge.violations import Case

Int64 = npt.NDArray[np.int64]
ANYTHING = 2**40


class RackLeaders(LeaderLevel):
    """Of the racks with a broker that may lead, in proportion to the weights of those."""

    name = "rack-leaders"

    def is_known(self, case: Case) -> bool:
        return case.cluster.brokers.has_racks

    def value(self, case: Case) -> int:
        led = measures.leaders_per_broker(case.target, case.cluster.n_brokers)
        weight = of_racks(case, weights_of_all(case, case.rules.leads))
        low, high = shares(int(led[case.rules.leads].sum()), weight)
        some = weight > 0
        return squares(of_racks(case, led)[some], low[some], high[some])

    def on_sums(self, case: Case, arcs: Arcs) -> Cost:
        rules = case.rules
        base = measures.leaders_per_broker(case.before[~rules.movable], case.cluster.n_brokers)
        weight = of_racks(case, weights_of_all(case, rules.leads))
        low, high = shares(int(base[rules.leads].sum()) + int(rules.movable.sum()), weight)
        some, base = weight > 0, of_racks(case, base)
        return banded(arcs.n, arcs.kinds["rack"][some], (low - base)[some], (high - base)[some])

    def counted(self, program: Counting) -> Sum:
        case, base, leads = program.case, program.fixed_at(0), program.rules.leads
        weight = of_racks(case, weights_of_all(case, leads))
        lows, highs = shares(int(base[leads].sum()) + len(program.rows), weight)
        terms: Terms = []
        for rack in range(program.n_racks):
            members = np.flatnonzero(case.cluster.brokers.rack_idx == rack).tolist()
            columns = [column for b in members for column in program.placed(b)]
            least = int(base[members].sum())
            high = int(highs[rack]) if weight[rack] else ANYTHING
            terms += program.outside(Sum(ones(columns), least), least + len(columns), int(lows[rack]), high)
        return Sum(terms)


def of_racks(case: Case, of_brokers: Int64) -> Int64:
    """What the brokers of each rack have together, ``(n_racks,)``."""
    brokers = case.cluster.brokers
    total = np.zeros(len(brokers.rack_names), dtype=np.int64)
    np.add.at(total, brokers.rack_idx, of_brokers)
    return total
