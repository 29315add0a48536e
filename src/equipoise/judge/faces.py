"""The networks of a certificate, and the bound that its prices prove for each level.

Levels on one network build on each other: each one keeps to the flows that are best for those before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Level
from equipoise.cluster.proofs import NetworkName, ProofKind
from equipoise.judge.duality import FlowProblem, dual_bound, narrowed
from equipoise.judge.given import given_bound
from equipoise.judge.goals.interface import Reached
from equipoise.judge.goals.registry import GOALS, counted, goal_of
from equipoise.judge.joint_network import JointFace, joint_bound
from equipoise.judge.leader_network import leader_relaxation
from equipoise.judge.loads import prices_bound
from equipoise.judge.order_network import order_relaxation
from equipoise.judge.placement_network import placement_relaxation
from equipoise.judge.program import Program
from equipoise.judge.relaxation import Relaxation
from equipoise.judge.stored import ORDERS, PLACEMENTS, network_of, whole_numbers
from equipoise.judge.values import recount
from equipoise.judge.violations import Case

Int64 = npt.NDArray[np.int64]
JOINT = frozenset({NetworkName.JOINT, NetworkName.JOINT_BUDGET})
FLOWS = frozenset({*PLACEMENTS, *ORDERS, NetworkName.LEADERS})
"""Networks whose levels are flows, one on the face of the other."""


class OptimalFaces:
    """The networks of a certificate, built when they are first needed, and what is left of each."""

    def __init__(self, case: Case, proofs: Mapping[str, np.ndarray]) -> None:
        self.case, self.proofs = case, proofs
        self.names = {str(array) for key, array in proofs.items() if key.endswith("/network")}
        self.relaxations: dict[str, Relaxation] = {}
        self.faces: dict[str, FlowProblem] = {}
        self.joint: JointFace | None = None
        """What levels of placement and leaders at once have left."""
        self.program: Program | None = None
        self.n_held = 0
        """Goals that the program holds to their values."""
        self.stays = case.rules.leaders_only
        """True once every plan that is best so far leaves all replicas where they are."""

    def bound(self, k: int, certificate: Sequence[Level]) -> int:
        """The bound of level ``k`` by weak duality.

        Raises ``ValueError`` or ``KeyError`` for arrays that are missing or cannot be used.
        """
        level = certificate[k]
        if level.proof == ProofKind.GIVEN_PLACEMENT:
            return self.of_placement(k, certificate)
        if f"level{k}/network" not in self.proofs or f"level{k}/potential" not in self.proofs:
            raise ValueError("there are no potentials for it")
        name = network_of(self.proofs, f"level{k}")
        # On these networks every replica stays: what is proved there says nothing of plans that move some, so
        # first all plans that are still meant have to be known to move none.
        if name in ORDERS and not self.stays:
            raise ValueError("it takes replicas to stay where they are, and they need not")
        stored = whole_numbers(self.proofs[f"level{k}/potential"])
        if name in FLOWS:
            return self.of_flow(name, level, stored)
        if name is NetworkName.PROGRAM:
            return self.of_program(k, certificate, stored)
        if name is NetworkName.LOADS:
            cost = goal_of(level.goal).cost_of_copies(self.case)
            return prices_bound(self.case, cost, self.reached(certificate[:k]), stored)
        if name in JOINT:
            return self.of_both(name, certificate[: k + 1], stored)
        if name is NetworkName.FIRST_FOLLOWERS:
            raise ValueError("it is of the plan's own placement alone")
        return self.of_goal(name, k, certificate, stored)

    def reached(self, levels: Sequence[Level]) -> dict[str, int]:
        """The goals before with their values, as counted here."""
        values = {level.goal: recount(level.goal, self.case) for level in levels}
        return {goal: value for goal, value in values.items() if value is not None}

    def of_flow(self, name: NetworkName, level: Level, stored: Int64) -> int:
        """The bound of a flow; where the plan meets it, later levels keep to the flows that do."""
        relaxation, face = self.on_face(name)
        potential = relaxation.lifted(name, stored, face)
        problem = relaxation.problem(level.goal, face)
        bound = dual_bound(problem, potential)
        if bound == level.value:  # only then is every best plan within the face
            self.faces[family(name)] = relaxation.tightened(narrowed(problem, potential))
        return bound

    def on_face(self, name: NetworkName) -> tuple[Relaxation, FlowProblem]:
        """The network of that name's family, and its face."""
        group = family(name)
        if group not in self.relaxations:
            # Built from the cluster and the rules alone: a
            # network from the certificate could leave plans out.
            self.relaxations[group] = self.build(name)
            self.faces[group] = self.relaxations[group].start
        return self.relaxations[group], self.faces[group]

    def build(self, name: NetworkName) -> Relaxation:
        """The network of the family of one of `FLOWS`."""
        if name in PLACEMENTS:
            return placement_relaxation(self.case, self.names, self.proofs)
        return order_relaxation(self.case) if name in ORDERS else leader_relaxation(self.case)

    def of_goal(self, name: NetworkName, k: int, certificate: Sequence[Level], stored: Int64) -> int:
        """The bound of level ``k`` by prices that are made for its goal alone."""
        known = [level for level in certificate[:k] if level.goal in GOALS]
        before = [Reached(GOALS[level.goal], counted(level, self.case)) for level in known]
        return goal_of(certificate[k].goal).own_bound(name, stored, before, self)

    def of_placement(self, k: int, certificate: Sequence[Level]) -> int:
        """The bound of level ``k`` where replicas stand as in the plan.

        Raises ``ValueError`` where less is proved of all placements than the level says.
        """
        said, name = certificate[k].global_bound, network_of(self.proofs, f"level{k}")
        if said is not None:
            stored = whole_numbers(self.proofs[f"level{k}/anywhere"])
            proved = self.of_goal(NetworkName.TOPIC_LEADERS, k, certificate, stored)
            # Written this way round, NaN fails as well.
            if not said <= proved:
                raise ValueError(f"of all placements {proved} is proved, not {said:g}")
        if name is NetworkName.FIRST_FOLLOWERS:
            return self.of_goal(name, k, certificate, self.proofs[f"level{k}/potential"])
        return given_bound(self.case, certificate[k].goal, f"level{k}", self.proofs)

    def of_program(self, k: int, certificate: Sequence[Level], stored: Int64) -> int:
        """The bound of level ``k`` in plans that are as good as this one at all goals before."""
        if self.program is None:
            self.program = Program(self.case, [level.goal for level in certificate])
        # The goal itself is held to its value, too: plans beyond that are above any bound that may be
        # claimed, so to leave them out makes none untrue.
        for level in certificate[self.n_held : k + 1]:
            total = self.program.hold(level.goal, counted(level, self.case))
        self.n_held = k + 1
        branches = whole_numbers(self.proofs[f"level{k}/branches"])
        return self.program.sheet.bound(total, branches, stored)

    def of_both(self, name: NetworkName, goals: Sequence[Level], stored: Int64) -> int:
        """The bound on the last of ``goals`` of all plans on the faces of placement and of leaders."""
        # Each family keeps the face that levels of its own
        # have left, and a plan that is best so far is on both.
        placement, leaders = (self.on_face(of) for of in (NetworkName.PARTITIONS, NetworkName.LEADERS))
        budgets = name is NetworkName.JOINT_BUDGET
        bound, self.joint = joint_bound(
            self.case, goals, placement, leaders, stored, budgets=budgets, known=self.joint
        )
        return bound


def family(name: NetworkName) -> str:
    """Networks of one family share one face: what a level narrows, the next one finds narrowed."""
    return "placement" if name in PLACEMENTS else "orders" if name in ORDERS else name
