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
from equipoise.judge.duality import FlowProblem, dual_bound, narrowed
from equipoise.judge.goals import goal_value
from equipoise.judge.relaxation import BUILDERS
from equipoise.judge.violations import Case, Violation

__all__ = ["Finding", "dual_bound", "narrowed", "verify"]


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
    """Levels in order, the face of each network kept from level to level."""
    faces: dict[str, FlowProblem] = {}
    for k, level in enumerate(certificate):
        value = goal_value(level.goal, case)
        if value is not None and value != level.value:
            yield Finding(level.goal, value, None, f"the value is {value}, not {level.value:g}")
            continue
        try:
            bound = rechecked(case, level, proofs, k, faces)
        except (ValueError, IndexError, TypeError) as error:
            yield Finding(level.goal, value, None, f"its proof cannot be used ({error})")
            continue
        yield Finding(level.goal, value, bound, complaint(level, bound))


def rechecked(
    case: Case, level: Level, proofs: Mapping[str, np.ndarray], k: int, faces: dict[str, FlowProblem]
) -> int | None:
    """The bound of level ``k`` by weak duality, None where there are no potentials to try."""
    if level.proof != "flow-dual" or not proofs:
        return None
    if f"level{k}/network" not in proofs or f"level{k}/potential" not in proofs:
        raise ValueError("there are no potentials for it")
    name = str(proofs[f"level{k}/network"])
    if name not in BUILDERS:
        raise ValueError(f"no network is called {name}")
    problem = BUILDERS[name](case, level.goal)
    if name in faces:
        problem = replace(problem, lower=faces[name].lower, upper=faces[name].upper)
    potential = proofs[f"level{k}/potential"]
    if potential.dtype != np.int64 or potential.shape != problem.supply.shape:
        raise ValueError(f"potentials of shape {potential.shape}, not {problem.supply.shape}")
    faces[name] = narrowed(problem, potential)
    return dual_bound(problem, potential)


def complaint(level: Level, bound: int | None) -> str:
    """What is wrong with the bound that a level claims."""
    if level.lower_bound > level.value:
        return f"the bound {level.lower_bound:g} is above the value {level.value:g}"
    if bound is not None and bound < level.lower_bound:
        return f"the potentials prove {bound}, not {level.lower_bound:g}"
    if level.proof == "none" and level.lower_bound > 0:
        return f"a bound of {level.lower_bound:g} is claimed without a proof"
    return ""
