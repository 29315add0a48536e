"""``failover``: squared distance of what each survivor leads after the loss of each broker from its band."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from equipoise.cluster import measures
from equipoise.cluster.proofs import NetworkName
from equipoise.judge.bands import failover_shares, shares_after_each_loss, squares
from equipoise.judge.counting import Counting
from equipoise.judge.failover import failover_bound
from equipoise.judge.first_followers import first_followers_bound
from equipoise.judge.goals.interface import FollowerGoal, Reached
from equipoise.judge.rows import ones
from equipoise.judge.sheet import Sum, Terms
from equipoise.judge.views import Networks
from equipoise.judge.violations import Case

Int64 = npt.NDArray[np.int64]
ANYTHING = 2**40
Pair = tuple[int, int]
"""A leader and its first follower."""


class Failover(FollowerGoal):
    """Each loss has shares of its own, over the brokers that may lead and are left; the others should
    inherit nothing."""

    name = "failover"

    def value(self, case: Case) -> int:
        n_brokers = case.cluster.n_brokers
        led = measures.leaders_per_broker(case.target, n_brokers)
        first, second = (measures.position(case.target, k) for k in (0, 1))
        by_leader = np.argsort(first, kind="stable")
        ends = np.searchsorted(first[by_leader], np.arange(n_brokers + 1))
        total = 0
        for lost, others, low, high in shares_after_each_loss(case, int(led[case.rules.leads].sum())):
            takes_over = second[by_leader[ends[lost] : ends[lost + 1]]]
            after = led + np.bincount(takes_over[takes_over >= 0], minlength=n_brokers)
            total += squares(after[others], low[others], high[others])
        return total

    def positions(self, most_rf: int) -> int:
        return min(2, most_rf)

    def counted(self, program: Counting) -> Sum:
        n, leads = program.case.cluster.n_brokers, program.rules.leads
        after = measures.failover_leaders(program.fixed(), n)
        total = int(program.fixed_at(0)[leads].sum()) + len(program.rows)
        led = [program.number(program.placed(b)) for b in range(n)]
        inherited = inherited_by(program)
        terms: Terms = []
        counted, low, high = failover_shares(program.case, total)
        high = np.where(counted, high, ANYTHING)
        for lost in np.flatnonzero(leads).tolist():
            for b in (b for b in range(n) if b != lost):
                columns = [led[b], *([inherited[lost, b]] if (lost, b) in inherited else [])]
                count = Sum(ones(columns), int(after[lost, b]))
                band = int(low[lost, b]), int(high[lost, b])
                terms += program.outside(count, count.constant + len(program.rows), *band)
        return Sum(terms)

    def own_bound(
        self, network: NetworkName, stored: Int64, before: Sequence[Reached], networks: Networks
    ) -> int:
        if network is NetworkName.FAILOVER:
            return failover_bound(networks.case, before, stored)
        if network is NetworkName.FIRST_FOLLOWERS:
            return first_followers_bound(networks.case, stored)
        return super().own_bound(network, stored, before, networks)


def inherited_by(program: Counting) -> dict[Pair, int]:
    """For each pair of brokers a column: how many partitions have this leader and this first follower."""
    first_followers, brokers = first_followers_of(program), range(program.case.cluster.n_brokers)
    number = {pair: program.number(some) for pair, some in first_followers.items()}
    followed = [row for row in program.rows if program.rules.rf[row] > 1]
    for b in brokers:
        led = [program.at[row, b, 0] for row in followed if (row, b, 0) in program.at]
        gives = [number[b, other] for other in brokers if (b, other) in number]
        takes = [number[other, b] for other in brokers if (other, b) in number]
        program.sheet.row([*ones(gives), *ones(led, -1)], 0, 0)
        program.sheet.row([*ones(takes), *ones(program.placed(b, k=1), -1)], 0, 0)
    return number


def first_followers_of(program: Counting) -> dict[Pair, list[int]]:
    """For each pair of brokers, columns for the partitions with this leader and this first follower."""
    first_followers: dict[Pair, list[int]] = {}
    for row in program.rows:
        first, second = (
            {b: program.at[row, b, k] for b in program.allowed[row] if (row, b, k) in program.at}
            for k in (0, 1)
        )
        pair = {(a, b): program.sheet.column() for a in first for b in second if a != b}
        for side, ends in enumerate((first, second) if second else ()):
            for b, column in ends.items():
                some = [pair[key] for key in pair if key[side] == b]
                program.sheet.row([*ones(some), (column, -1)], 0, 0)
        for key, column in pair.items():
            first_followers.setdefault(key, []).append(column)
    return first_followers
