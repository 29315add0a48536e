"""The best placement of a face for one goal, and the proof that there is none better."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from equipoise.planning.joint.bound import proved, whole
from equipoise.planning.joint.question import question
from equipoise.planning.networks.flow import least_flow
from equipoise.planning.networks.handout import hand_out, lists_after
from equipoise.planning.networks.network import Objective
from equipoise.planning.networks.place import Face, ProvedLevel

if TYPE_CHECKING:
    from equipoise.planning.joint.linear_program import Program, Relaxed

LOG = logging.getLogger(__name__)
MAX_EFFORT = 15 * 10**9
"""Candidates times pairs of them for the same partition, up to which it is tried: some ten seconds."""


@dataclass(frozen=True, eq=False)
class Joint:
    """Replica lists ``(n_partitions, max_rf)``, None where none were found; and the bound that is proved."""

    lists: npt.NDArray[np.int32] | None
    level: ProvedLevel


def best_of_face(face: Face, goal: str, reached: Mapping[str, int], kept: frozenset[str]) -> Joint | None:
    """The placement of the face with the least of ``goal``; every row is a unit of the face's network.

    ``reached``: the goals before with the values to keep, in order; ``kept``: those of which every placement
    of the face is that good. None where the program is too large, or HiGHS gives it up.
    """
    asked = question(face, goal, reached, kept)
    if len(asked.who.row) * (np.bincount(asked.who.row) ** 2).sum() > MAX_EFFORT:
        return None
    from equipoise.planning.joint.columns import multipliers, program_of  # SciPy, where it is needed

    LOG.info("placements and leaders at once: %s", goal)
    layout = program_of(asked)
    found = layout.program.relaxed()
    if found is None:
        return None
    level = proved(asked, goal, tuple(reached), multipliers(asked, layout, found))
    return Joint(lists_near(face, found, layout.program), level)


def lists_near(face: Face, found: Relaxed, program: Program) -> npt.NDArray[np.int32] | None:
    """The lists of a whole placement: the optimum if it is one, else the best found nearby."""
    free = np.flatnonzero(face.network.upper > face.network.lower)
    best = program.settled(found)
    if best is None:
        wish = np.zeros(len(face.network.tail), dtype=np.int64)
        wish[free] = whole(0.5 - found.x[: len(free)])
        flow = least_flow(face.network, Objective.of_linear(wish), face.flow)
    else:
        flow = face.network.lower.copy()
        flow[free] = best[: len(free)]
    moves, failed = hand_out(face.net, flow)
    return None if len(failed) else lists_after(face.net.material, moves)
