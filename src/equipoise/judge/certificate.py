"""Does the certificate of a plan hold? Values counted anew, bounds recomputed from the potentials.

``certificate.npz`` has for level k of the certificate ``level{k}/potential`` and ``level{k}/network``,
the name of the network that the potentials belong to. Levels on one network build on each other: each
one keeps to the flows that are best for those before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Level
from equipoise.judge.duality import FlowProblem, dual_bound, narrowed
from equipoise.judge.failover import failover_bound
from equipoise.judge.given import given_bound
from equipoise.judge.goals import goal_value
from equipoise.judge.joint_network import joint_bound
from equipoise.judge.leaving import leaving_bound
from equipoise.judge.program import Program
from equipoise.judge.relaxation import Relaxation, build, family
from equipoise.judge.topic_leaders import topic_leaders_bound
from equipoise.judge.violations import Case, Violation

__all__ = ["Finding", "dual_bound", "narrowed", "verify"]
RECOMPUTED = ("flow-dual", "linear-program", "branch-and-bound", "given-placement")
HIGHEST_PRICE = 2**40


@dataclass(frozen=True)
class Finding:
    """One level re-checked."""

    goal: str
    value: int | None
    """As counted here; None for a goal that is not measured on lists alone."""
    bound: int | None
    """As recomputed here; None where the certificate has no potentials for it."""
    problem: str = ""
    """What is wrong with the claim, "" where nothing is."""


def verify(case: Case, certificate: Sequence[Level], proofs: Mapping[str, np.ndarray]) -> tuple[Finding, ...]:
    """Re-check every level; never raises for what a certificate may hold."""
    return tuple(findings(case, certificate, proofs))


def as_violations(found: Sequence[Finding]) -> tuple[Violation, ...]:
    """The problems as violations of the whole assignment."""
    return tuple(
        Violation("certificate", None, None, None, f"goal {level.goal}: {level.problem}")
        for level in found
        if level.problem
    )


def findings(case: Case, certificate: Sequence[Level], proofs: Mapping[str, np.ndarray]) -> Iterator[Finding]:
    """Levels in order; each keeps to the face that the levels before left of its network."""
    faces = Faces(case, proofs)
    for k, level in enumerate(certificate):
        value = goal_value(level.goal, case)
        if value is not None and value != level.value:
            yield Finding(level.goal, value, None, f"the value is {value}, not {level.value:g}")
            continue
        try:
            bound = faces.bound(k, certificate) if level.proof in RECOMPUTED else None
        except (ValueError, IndexError, KeyError, TypeError, OverflowError) as error:
            yield Finding(level.goal, value, None, f"its proof cannot be used ({error})")
            continue
        faces.stays |= level.goal == "moves" and value == 0 and sizes_stay(case)
        yield Finding(level.goal, value, bound, complaint(level, bound, weighs=case.rules.weighs))


class Faces:
    """The networks of a certificate, built when they are first needed, and what is left of each."""

    def __init__(self, case: Case, proofs: Mapping[str, np.ndarray]) -> None:
        self.case, self.proofs = case, proofs
        self.names = {str(array) for key, array in proofs.items() if key.endswith("/network")}
        self.relaxations: dict[str, Relaxation] = {}
        self.faces: dict[str, FlowProblem] = {}
        self.program: Program | None = None
        self.n_held = 0
        """Goals that the program holds to their values."""
        self.stays = case.rules.leaders_only
        """True once every plan that is best so far leaves all replicas where they are."""

    def bound(self, k: int, certificate: Sequence[Level]) -> int:
        """The bound of level ``k`` by weak duality."""
        level = certificate[k]
        if level.proof == "given-placement":
            self.check_anywhere(k, certificate)
            return given_bound(self.case, level.goal, f"level{k}", self.proofs)
        if f"level{k}/network" not in self.proofs or f"level{k}/potential" not in self.proofs:
            raise ValueError("there are no potentials for it")
        name = str(self.proofs[f"level{k}/network"])
        group = family(name)
        if group == "order" and not self.stays:
            raise ValueError("it takes replicas to stay where they are, and they need not")
        stored = whole_numbers(self.proofs[f"level{k}/potential"])
        if name == "program":
            return self.of_program(k, certificate, stored)
        if name == "failover":
            return failover_bound(self.case, certificate[: k + 1], stored)
        if name in ("joint", "joint-budget", "leaving", "leaving-partitions"):
            return self.of_both(name, certificate[: k + 1], stored)
        if name == "topic-leaders":
            return self.of_topic_leaders(k, certificate, stored)
        if name == "merged-budget":
            return self.within_moves([earlier.goal for earlier in certificate[: k + 1]], stored)
        relaxation = self.relaxation(name)
        potential = relaxation.lifted(name, stored, self.faces[group])
        problem = relaxation.problem(level.goal, self.faces[group])
        bound = dual_bound(problem, potential)
        if bound == level.value:  # only then is every best plan within the face
            self.faces[group] = relaxation.tightened(narrowed(problem, potential))
        return bound

    def within_moves(self, goals: Sequence[str], stored: npt.NDArray[np.int64]) -> int:
        """The bound on the last of ``goals``, replicas or moves, of plans within ``--max-moves``.

        Each move costs the first number of ``stored``, and what the budget allows is paid back; the others
        are potentials of the merged network. So replicas no worse than here leave few moves unmade.
        """
        allowed, price = self.case.rules.max_moves, int(stored[0])
        if allowed is None or not 0 <= price <= HIGHEST_PRICE:
            raise ValueError("a price of moves that are not limited, or one out of range")
        relaxation = self.relaxation("merged")
        face = self.faces["placement"]
        moving, *_, already = relaxation.cost("moves")
        problem = relaxation.problem("replicas", face)
        offset = problem.offset + price * (already - allowed)
        problem = replace(problem, cost=problem.cost + price * moving, offset=offset)
        bound = dual_bound(problem, relaxation.lifted("merged", stored[1:], face))
        if goals[-1] == "replicas":
            return bound
        reached = goal_value("replicas", self.case)
        if goals[-1] != "moves" or "replicas" not in goals or reached is None:
            raise ValueError(f"the price of a move tells nothing of {goals[-1]} there")
        return allowed - (reached - bound) // price if price else 0

    def of_topic_leaders(self, k: int, certificate: Sequence[Level], stored: npt.NDArray[np.int64]) -> int:
        """The bound of level ``k`` wherever replicas stand, by prices of what leaders add up to."""
        if certificate[k].goal != "topic-leaders":
            raise ValueError(f"it is not of {certificate[k].goal}")
        before, leaders = [level.goal for level in certificate[:k]], self.relaxation("leaders")
        return topic_leaders_bound(self.case, before, (leaders, self.faces["leaders"]), stored)

    def check_anywhere(self, k: int, certificate: Sequence[Level]) -> None:
        """Raises ``ValueError`` where less is proved of all placements than level ``k`` says."""
        said = certificate[k].anywhere
        if said is None:
            return
        proved = self.of_topic_leaders(k, certificate, whole_numbers(self.proofs[f"level{k}/anywhere"]))
        if not said <= proved:
            raise ValueError(f"of all placements {proved} is proved, not {said:g}")

    def relaxation(self, name: str) -> Relaxation:
        """The network of that name's family, with its face."""
        group = family(name)
        if group not in self.relaxations:
            self.relaxations[group] = build(name, self.case, self.names, self.proofs)
            self.faces[group] = self.relaxations[group].start
        return self.relaxations[group]

    def of_program(self, k: int, certificate: Sequence[Level], stored: npt.NDArray[np.int64]) -> int:
        """The bound of level ``k`` in plans that are as good as this one at all goals before."""
        if self.program is None:
            self.program = Program(self.case, [level.goal for level in certificate])
        for level in certificate[self.n_held : k + 1]:
            value = goal_value(level.goal, self.case)
            counted = self.program.hold(level.goal, -1 if value is None else value)
        self.n_held = k + 1
        return self.program.sheet.bound(counted, whole_numbers(self.proofs[f"level{k}/branches"]), stored)

    def of_both(self, name: str, goals: Sequence[Level], stored: npt.NDArray[np.int64]) -> int:
        """The bound on the last of ``goals`` of all plans on the faces of placement and of leaders."""
        jointly = not name.startswith("leaving")
        of = [self.relaxation("topics" if name == "leaving" else "partitions"), self.relaxation("leaders")]
        placement, leaders = zip(of, (self.faces["placement"], self.faces["leaders"]), strict=True)
        if jointly:
            budgets = name == "joint-budget"
            return joint_bound(self.case, goals, placement, leaders, stored, budgets=budgets)
        if goals[-1].goal != "elections":
            raise ValueError(f"it is not of {goals[-1].goal}")
        return leaving_bound(self.case, placement, leaders, stored)


def sizes_stay(case: Case) -> bool:
    """True where no partition is to gain or lose replicas, so that without moves nothing changes place."""
    return bool(np.array_equal(case.rules.rf, case.cluster.rf))


def whole_numbers(array: np.ndarray) -> npt.NDArray[np.int64]:
    """The array itself; raises ``ValueError`` unless it holds 64-bit whole numbers."""
    if array.dtype != np.int64:
        raise ValueError(f"potentials of type {array.dtype}")
    return array


def complaint(level: Level, bound: int | None, *, weighs: bool) -> str:
    """What is wrong with the bound that a level claims.

    Where loads are levelled (``weighs``) bounds come in closed form or from a 0-1 program; those are not
    computed here.
    """
    if level.lower_bound > level.value:
        return f"the bound {level.lower_bound:g} is above the value {level.value:g}"
    if bound is not None and bound < level.lower_bound:
        return f"the potentials prove {bound}, not {level.lower_bound:g}"
    if bound is None and level.lower_bound > 0 and (level.proof == "none" or not weighs):
        return f"a bound of {level.lower_bound:g} is claimed without a proof"
    return ""
