"""A bound on the elections of clusters of any size: leaders that leave, or brokers with too many of them.

Leaders that leave their broker with the replica are elections, and so are those that a broker with too
many gives away. The first are counted on the placement's face, the second on that of the leaders, and a
broker needs the larger of its two numbers: for every choice of one of them, broker by broker, the least
sum of what is chosen is a bound (Lagrangian relaxation of "who gives leaders away gives at least those
that leave", with multipliers 0 or 1).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from equipoise.cluster.proofs import NetworkName
from equipoise.planning.basis.certificate import ProvedLevel
from equipoise.planning.bounds.leaders import free_leaders, leader_bounds
from equipoise.planning.flow.convex import Optimum, solve, solve_from
from equipoise.planning.flow.network import Int64, Objective
from equipoise.planning.goals.elections import Elections
from equipoise.planning.networks.faces import OptimalFace


def fewest_given_up(face: OptimalFace, reached: Mapping[str, int]) -> ProvedLevel:
    """The best bound found; ``reached``: the goals in front of the elections, each at its best value."""
    problem, net = face.net.data.problem, face.net
    network = leader_bounds(problem, reached)[1]
    n, brokers = problem.cluster.n_brokers, net.data.brokers
    leaving = net.forced_leader_changes()
    # A leader that leaves with its replica is one that its broker gives up as well, so of each broker one of
    # the two numbers counts, never their sum.
    giving = free_leaders(problem).objective(Elections.name)
    given = np.flatnonzero(giving.linear)

    def of_forced(chosen: Int64) -> Optimum:
        if chosen.all() and face.forced_leader_changes is not None:
            return face.forced_leader_changes
        linear = leaving.linear.copy()
        linear[net.leave.index] *= chosen[brokers[net.leave.broker]]
        return solve_from(face.network, linear, face.flow)

    def of_givers(chosen: Int64) -> Optimum:
        linear = giving.linear.copy()
        # Leaders of today that may not lead on are in this
        # half's offset alone: the other counts those that could.
        linear[given] *= 1 - chosen
        return solve(network, Objective.of_linear(linear, giving.offset))

    chosen, best = np.ones(n, dtype=np.int64), None
    for _ in range(problem.params.leaving_tries):  # each better informed than the one before
        left, gave = of_forced(chosen), of_givers(chosen)
        level = ProvedLevel(
            Elections.name,
            left.value + gave.value,
            NetworkName.LEAVING,
            np.concatenate([chosen, gave.potential, left.potential]),
        )
        best = level if best is None or level.value > best.value else best
        leaves = left.flow[net.leave.index] * leaving.linear[net.leave.index]
        lost = np.bincount(brokers[net.leave.broker], leaves, n)
        # Of each broker the number that was larger counts next. Where both are the same nothing is won by a
        # change, and to stay lets the tries end.
        better = np.where(lost == gave.flow[given], chosen, lost > gave.flow[given]).astype(np.int64)
        if np.array_equal(better, chosen):
            break
        chosen = better
    assert best is not None
    return best
