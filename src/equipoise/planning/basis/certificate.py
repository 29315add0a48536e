"""The proof of each goal, and the arrays that let anyone re-check it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.cluster.proofs import NetworkName, ProofKind

Int64 = npt.NDArray[np.int64]

KINDS = {
    NetworkName.JOINT: ProofKind.LINEAR_PROGRAM,
    NetworkName.JOINT_BUDGET: ProofKind.LINEAR_PROGRAM,
    NetworkName.LOADS: ProofKind.LINEAR_PROGRAM,
    NetworkName.PROGRAM: ProofKind.BRANCH_AND_BOUND,
}
"""The kind of proof that prices of a network are, where they are not potentials of a flow."""


@dataclass(frozen=True, eq=False)
class ProvedLevel:
    """A goal solved on a network, and the potentials that prove it."""

    goal: str
    value: int
    network: NetworkName
    """Which network the potentials are of; the judge builds the same."""
    potential: Int64
    branches: Int64 | None = None
    """Of a proof by cases, see `branching.Tree`."""
    spare: int = 0
    """What the bound was rounded up by, in parts of its unit, where prices are whole numbers of those."""
    beside: tuple[ProvedLevel, ...] = ()
    """Levels before it that leave a face, without which it proves less."""

    @property
    def kind(self) -> ProofKind:
        """The kind of proof that it is."""
        return KINDS.get(self.network, ProofKind.FLOW_DUAL)


@dataclass(frozen=True)
class Proof:
    """What a goal reached, a bound below it, and how that bound is known."""

    goal: str
    value: int
    bound: int
    kind: ProofKind
    note: str = ""
    level: ProvedLevel | None = None
    given: tuple[ProvedLevel, ...] = ()
    """Of a placement's best order: the levels on whose faces it is best."""
    global_bound: ProvedLevel | None = None
    """Beside that: a bound of all placements."""

    @property
    def claims(self) -> bool:
        """True where the bound is one of all plans that are as good at the goals before."""
        return self.kind.of_all_plans

    @classmethod
    def certain(cls, goal: str, value: int, note: str = "") -> Proof:
        """What is known without any proof: that nothing counts below 0."""
        return cls(goal, value, 0, ProofKind.NONE if value else ProofKind.CLOSED_FORM, note if value else "")

    @property
    def closes(self) -> bool:
        """True where value and bound meet."""
        return self.value <= self.bound and self.claims


def proof_arrays(proofs: list[Proof], groups: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Arrays of ``certificate.npz``: for each flow level its network's name and the potentials.

    ``groups`` say which partitions were one unit (`place.Placement.groups`).
    """
    arrays: dict[str, np.ndarray] = {name: group.astype(np.int32) for name, group in groups.items()}
    for k, proof in enumerate(proofs):
        if proof.level is not None:
            arrays[f"level{k}/goal"] = np.array(proof.goal)
            arrays[f"level{k}/network"] = np.array(proof.level.network)
            arrays[f"level{k}/potential"] = proof.level.potential
            if proof.level.branches is not None:
                arrays[f"level{k}/branches"] = proof.level.branches
        if proof.global_bound is not None:
            arrays[f"level{k}/anywhere"] = proof.global_bound.potential
        for j, level in enumerate(proof.given):
            arrays[f"level{k}/given{j}/goal"] = np.array(level.goal)
            arrays[f"level{k}/given{j}/network"] = np.array(level.network)
            arrays[f"level{k}/given{j}/potential"] = level.potential
    return arrays
