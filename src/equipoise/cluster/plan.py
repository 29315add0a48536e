"""What should change, why, and how it is known to be best."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.cluster import measures
from equipoise.cluster.brokers import IntArray, frozen
from equipoise.cluster.cluster import Cluster, check_lists
from equipoise.cluster.log_dirs import DirPlan
from equipoise.cluster.proofs import ProofKind
from equipoise.wording import plural


@dataclass(frozen=True)
class Level:
    """One goal of a plan: what was reached and what could at best be reached."""

    goal: str
    value: float | None
    """None where the sources do not tell what it is counted from; then there is no bound either."""
    lower_bound: float | None
    proof: str
    """How the bound is known: "flow-dual", "linear-program", "branch-and-bound", "closed-form",
    "integer-program" (log dirs alone), "none", "unknown" (there is no value), or "given-placement": a bound
    of orders on the placement that the goals before chose; of others it claims nothing."""
    note: str = ""
    global_bound: float | None = None
    """Beside "given-placement": what no plan is below, wherever replicas stand; None where not known."""

    @classmethod
    def unknown(cls, goal: str) -> Level:
        """A goal of which the sources do not tell what it is counted from."""
        return cls(goal, None, None, ProofKind.UNKNOWN)

    @property
    def distance(self) -> float | None:
        """How far the value is above ``global_bound``, as ``gap``; None where that is not known."""
        return self.above(self.global_bound)

    @property
    def gap(self) -> float | None:
        """``(value - bound) / max(1, value)``, from 0 to 1; 0 where the plan is proved best at this goal.

        None where the value is not known.
        """
        return self.above(self.lower_bound)

    def above(self, bound: float | None) -> float | None:
        """How far the value is above a bound, in parts of the value; None where one is not known."""
        if self.value is None or bound is None:
            return None
        return max(0.0, (self.value - bound) / max(1.0, abs(self.value)))


@dataclass(frozen=True, eq=False, repr=False)
class Plan:
    """A target assignment for one cluster.

    ``cluster`` is the state the plan was made from, extended by brokers that are added and by
    partitions to be created (those have an empty list before).
    """

    cluster: Cluster
    target: IntArray
    """``(n_partitions, max_rf)`` int32: broker positions in the new preference order, -1 padded."""
    eligible: npt.NDArray[np.bool_]
    """``(n_brokers,)``: brokers that may hold replicas afterwards."""
    strategy: str = "flow"
    certificate: tuple[Level, ...] = ()
    why: Mapping[int, str] = field(default_factory=dict)
    """One sentence for each changed row (a position in the cluster's partitions)."""
    proofs: Mapping[str, np.ndarray] = field(default_factory=dict)
    """Arrays of ``certificate.npz``."""
    request: Mapping[str, Any] = field(default_factory=dict)
    """The options the plan was made with, as plain JSON data."""
    warnings: tuple[str, ...] = ()
    offers: tuple[str, ...] = ()
    """What a little more would buy, and what is free, a sentence each."""
    batch: IntArray | None = None
    """``(n_partitions,)`` int32: the batch of each changed row where the strategy has batches, from 0, to be
    moved one after the other; -1 for the other rows."""
    dirs: DirPlan | None = None
    """Where replicas lie on their brokers afterwards; None where nobody asked."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "target", frozen(self.target, np.int32))
        object.__setattr__(self, "eligible", frozen(self.eligible, np.bool_))
        if self.batch is not None:
            object.__setattr__(self, "batch", frozen(self.batch, np.int32))
        check_lists(self.cluster, self.target)
        if self.dirs is not None:
            self.dirs.check(self.cluster, self.target)

    def __repr__(self) -> str:
        moves = measures.data_moves(self.cluster.replicas, self.target)
        changed = plural(len(self.changed), "partition")
        return f"<Plan of {self.cluster.name}: {plural(moves, 'data move')}, {changed} changed>"

    @cached_property
    def changed(self) -> npt.NDArray[np.int64]:
        """Rows whose replica list differs, ascending; reorders count."""
        return measures.changed_rows(self.cluster.replicas, self.target)

    @cached_property
    def touched(self) -> npt.NDArray[np.int64]:
        """Rows that differ in their list or in the log dir of a replica, ascending."""
        if self.dirs is None:
            return self.changed
        moved = self.dirs.moved(self.cluster, self.target).any(axis=1)
        return np.union1d(self.changed, np.flatnonzero(moved))

    @property
    def strict_racks(self) -> bool:
        """True where the plan was made with at most one replica of a partition in a rack."""
        return self.request.get("rack_rule") == "strict"

    @property
    def is_empty(self) -> bool:
        return len(self.touched) == 0
