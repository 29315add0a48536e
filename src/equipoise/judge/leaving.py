"""Leaders that leave their broker, or brokers with too many: a bound on the elections of any cluster.

Whoever leads a partition and leaves its broker with the replica is an election, and so is whoever a broker
with too many gives away. A broker needs the larger of the two numbers, so for every choice of one of them,
broker by broker, what the placement network needs of the first and the leader network of the second is a
bound together.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from equipoise.judge.duality import FlowProblem, dual_bound
from equipoise.judge.relaxation import Int64, Relaxation, one_each
from equipoise.judge.violations import Case


def leaving_bound(
    case: Case,
    goal: str,
    placement: tuple[Relaxation, FlowProblem],
    leaders: tuple[Relaxation, FlowProblem],
    stored: Int64,
) -> int:
    """The bound on a ``goal`` that counts changed leaders, in plans within two faces.

    ``stored``: for each broker 1 if those that leave are counted, 0 if those it gives away; then the
    potentials of the leader network and of the placement. Raises ``ValueError`` for unusable numbers.
    """
    n, n_led = case.cluster.n_brokers, len(leaders[0].network.supply)
    chosen, led, stands = np.split(stored, [n, n + n_led])
    if len(chosen) != n or not np.isin(chosen, (0, 1)).all():
        raise ValueError("a choice that is neither 0 nor 1")
    brokers = np.flatnonzero(case.rules.eligible)
    # A leader that leaves is one that its broker gives up, too: both halves count elections of the same
    # broker, and to count it in one of them alone keeps their sum a bound.
    leaving, giving = (relaxation.problem(goal, face) for relaxation, face in (placement, leaders))
    # the tail of an arc that counts is a cell, topic by topic, or a broker after sink and racks
    cells = (leaving.tail - 1 - len(brokers)) % max(1, len(brokers))
    leaves = np.where(leaving.cost > 0, chosen[brokers[cells]], 0)
    givers = (giving.tail - 1 - len(case.cluster.brokers.rack_names)) % n
    gives = np.where(giving.cost > 0, 1 - chosen[givers], 0)
    return dual_bound(replace(leaving, cost=leaves), one_each(stands, len(leaving.supply))) + dual_bound(
        replace(giving, cost=gives), one_each(led, n_led)
    )
