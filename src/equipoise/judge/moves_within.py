"""Plans within ``--max-moves``: a price on each move, and what the budget allows is paid back.

So racks or replicas no worse than those of the plan leave few moves unmade, which bounds the moves, too.
"""

from __future__ import annotations

from dataclasses import replace

from equipoise.cluster.proofs import NetworkName
from equipoise.judge.arc_costs import Cost, each
from equipoise.judge.duality import dual_bound
from equipoise.judge.relaxation import Int64
from equipoise.judge.views import Networks, PlacementView

HIGHEST_PRICE = 2**40


def data_moves(view: PlacementView) -> Cost:
    """What moves on the placement network: each arrival, and what replacements take over without an arc;
    what is created arrives and moves nothing."""
    case, rows = view.layout.case, view.layout.rows
    taken_over = int((case.rules.base != case.before)[rows].sum())
    created = case.cluster.rf[rows] == 0
    offset = taken_over - int(case.rules.rf[rows][created].sum())
    return each(view.arcs.n, view.arcs.kinds["arrive"], offset=offset)


def priced_bound(networks: Networks, goal: str, stored: Int64) -> int:
    """The bound on a goal of placement: ``stored`` are the price and potentials of the merged network.

    Raises ``ValueError`` for a price of moves that have no limit, or one out of range.
    """
    allowed, price = networks.case.rules.max_moves, int(stored[0])
    relaxation, face = networks.on_face(NetworkName.MERGED)
    if allowed is None or relaxation.moved is None or not 0 <= price <= HIGHEST_PRICE:
        raise ValueError("a price of moves that are not limited, or one out of range")
    problem = relaxation.problem(goal, face)
    offset = problem.offset + price * (relaxation.moved.offset - allowed)
    problem = replace(problem, cost=problem.cost + price * relaxation.moved.linear, offset=offset)
    return dual_bound(problem, relaxation.lifted(NetworkName.MERGED, stored[1:], face))


def moves_bound(networks: Networks, goal: str, value: int, stored: Int64) -> int:
    """The bound on moves of plans in which ``goal`` is no more than ``value``; ``stored`` as above."""
    bound, price = priced_bound(networks, goal, stored), int(stored[0])
    allowed = networks.case.rules.max_moves or 0
    return allowed - (value - bound) // price if price else 0
