"""Where replicas stand is taken as it is in the plan: is no order of their lists better?

That says nothing of other placements. The levels of leaders come with those before them, on whose faces
they are best; first followers are chosen for the leaders that the plan has (the network `heirs`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from equipoise.judge.duality import dual_bound, narrowed
from equipoise.judge.order_network import order_relaxation
from equipoise.judge.stored import ORDERS, network_of, whole_numbers
from equipoise.judge.values import recount
from equipoise.judge.violations import Case


def given_bound(case: Case, goal: str, level: str, proofs: Mapping[str, np.ndarray]) -> int:
    """The bound of a goal that the arrays of a ``level`` prove of this placement.

    Raises ``ValueError`` or ``KeyError`` for arrays that cannot be used.
    """
    standing = replace(case, rules=replace(case.rules, base=case.target))
    relaxation = order_relaxation(standing)
    face = relaxation.start
    chain = [f"{level}/given{j}" for j in range(len(proofs)) if f"{level}/given{j}/goal" in proofs]
    for name in (*chain, level):
        network, potential = network_of(proofs, name), whole_numbers(proofs[f"{name}/potential"])
        if network not in ORDERS:
            raise ValueError(f"no order of lists is in the network {network}")
        asked = goal if name == level else str(proofs[f"{name}/goal"])
        problem = relaxation.problem(asked, face)
        lifted = relaxation.lifted(network, potential, face)
        bound = dual_bound(problem, lifted)
        if bound == recount(asked, case):  # only then is every best order within the face
            face = relaxation.tightened(narrowed(problem, lifted))
    return bound
