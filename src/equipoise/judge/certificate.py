"""Does the certificate of a plan hold? Values counted anew, bounds recomputed from the potentials.

``certificate.npz`` has for level k of the certificate ``level{k}/potential`` and ``level{k}/network``,
the name of the network that the potentials belong to. Levels on one network build on each other: each
one keeps to the flows that are best for those before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from equipoise.cluster import Level
from equipoise.cluster.proofs import ProofKind
from equipoise.judge.faces import OptimalFaces
from equipoise.judge.goals.registry import GOALS
from equipoise.judge.heavy_partitions import outside_by_weight
from equipoise.judge.load_levels import least_outside
from equipoise.judge.loads import COUNTED, load_of
from equipoise.judge.values import recount
from equipoise.judge.violations import Case, Violation

RECOMPUTED = frozenset(
    {ProofKind.FLOW_DUAL, ProofKind.LINEAR_PROGRAM, ProofKind.BRANCH_AND_BOUND, ProofKind.GIVEN_PLACEMENT}
)
"""Kinds of proof whose bound is computed anew."""
LARGEST = 2**63
"""No figure of a certificate is farther from 0."""


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
    proved: bool = True
    """False where nothing is known to be wrong, and the bound is the planner's word: none is counted here."""


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
    asked = [goal for name, goal in GOALS.items() if name in [level.goal for level in certificate]]
    racks, sizes = any(goal.of_racks for goal in asked), any(goal.of_sizes for goal in asked)
    sizes |= case.rules.max_bytes is not None  # of which a level may have a price
    faces = OptimalFaces(replace(case, counts_racks=racks, counts_sizes=sizes), proofs)
    for k, level in enumerate(certificate):
        if problem := malformed(level) or misnamed(level, case):
            yield Finding(str(level.goal), None, None, problem)
            continue
        if level.proof == ProofKind.UNKNOWN:
            yield Finding(level.goal, None, None)
            continue
        value = recount(level.goal, case)
        if value is not None and value != level.value:
            yield Finding(level.goal, value, None, f"the value is {value}, not {level.value:g}")
            continue
        try:
            bound = faces.bound(k, certificate) if level.proof in RECOMPUTED else None
            if bound is None and case.rules.weighs and level.lower_bound:
                bound = level_bound(case, level.goal, [before.goal for before in certificate[:k]])
        except (ValueError, IndexError, KeyError, TypeError, OverflowError) as error:
            yield Finding(level.goal, value, None, f"its proof cannot be used ({error})")
            continue
        faces.stays |= value is not None and keeps_places(level.goal, case, value)
        yield finding(case, level, value, bound)


def finding(case: Case, level: Level, value: int | None, bound: int | None) -> Finding:
    """What was counted, beside what the level says."""
    problem, claimed = complaint(level, bound, weighs=case.rules.weighs), level.lower_bound or 0
    if level.proof in RECOMPUTED or not case.rules.weighs:
        return Finding(level.goal, value, bound, problem)
    proved = claimed <= (bound or 0)
    return Finding(level.goal, value, bound if proved else None, problem, proved or bool(problem))


def level_bound(case: Case, goal: str, before: Sequence[str]) -> int | None:
    """The least that lies outside the bands of a load that the request levels, or of a goal that those
    ``before`` it force; None where none is counted.
    """
    name = next((load for load, counted in COUNTED.items() if counted == goal), goal)
    if name in case.rules.loads:
        load = load_of(case, name)
        return max(least_outside(case, load), outside_by_weight(case, load))
    return GOALS[goal].beside_loads(case, before) if goal in GOALS else None


def untold(certificate: Sequence[Level], found: Sequence[Finding]) -> Iterator[str]:
    """A sentence with the levels whose bounds are nobody's but the planner's; none where there are none."""
    kinds = {level.goal: level.proof for level in certificate}
    words = [f"{level.goal} ({kinds.get(level.goal, '')})" for level in found if not level.proved]
    if words:
        yield f"not proved here: what no plan is below at {', '.join(words)} is the planner's word"


def keeps_places(goal: str, case: Case, value: int) -> bool:
    """True where plans with this value leave all replicas where they are; loads know of none."""
    return goal in GOALS and GOALS[goal].keeps_places(case, value)


def malformed(level: Level) -> str:
    """What is wrong with the form of a level, "" where it has words and figures in their places."""
    if not all(isinstance(text, str) for text in (level.goal, level.proof, level.note)):
        return "its goal, proof or note is no text"
    figures = {"value": level.value, "bound": level.lower_bound}
    if level.proof == ProofKind.UNKNOWN:
        told = [what for what, figure in figures.items() if figure is not None]
        return f"it is called unknown and has a {told[0]}" if told else ""
    if level.global_bound is not None:
        figures["bound of all placements"] = level.global_bound
    wrong = [what for what, figure in figures.items() if not is_number(figure)]
    return f"its {wrong[0]} is no number" if wrong else ""


def is_number(figure: object) -> bool:
    """True for what 64 bits hold and has an end."""
    return isinstance(figure, int | float) and not isinstance(figure, bool) and abs(figure) <= LARGEST


def misnamed(level: Level, case: Case) -> str:
    """What is wrong with the kind of proof that a level names, "" where nothing is."""
    if level.proof not in list(ProofKind):
        return f"there is no kind of proof called {level.proof}"
    if level.global_bound is not None and level.proof != ProofKind.GIVEN_PLACEMENT:
        return f"a bound of all placements stands beside a proof by {level.proof}"
    if level.goal not in GOALS:
        return ""
    goal = GOALS[level.goal]
    if level.proof == ProofKind.UNKNOWN and goal.is_known(case):
        return f"it is called unknown, and its value is {goal.value(case)}"
    if level.proof != ProofKind.UNKNOWN and not goal.is_known(case):
        return f"its value is not known, and it is said to be {level.value:g}"
    return ""


def complaint(level: Level, bound: int | None, *, weighs: bool) -> str:
    """What is wrong with the bound that a level claims.

    Where loads are levelled (``weighs``) bounds come in closed form or from a 0-1 program, too: what is not
    counted again of those is no problem, and not proved.
    """
    value, claimed = level.value, level.lower_bound
    if value is None or claimed is None:
        return ""
    if claimed > value:
        return f"the bound {claimed:g} is above the value {value:g}"
    if bound is not None and bound < claimed and level.proof in RECOMPUTED:
        return f"the potentials prove {bound}, not {claimed:g}"
    if (bound or 0) < claimed and (level.proof == ProofKind.NONE or not weighs):
        return f"a bound of {claimed:g} is claimed without a proof"
    return ""
