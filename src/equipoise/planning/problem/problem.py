"""The request laid over a cluster: what may change, where to, and the rules, frozen."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Cluster
from equipoise.cluster.brokers import IntArray
from equipoise.planning.problem.params import Params
from equipoise.planning.problem.request import Request

BoolArray = npt.NDArray[np.bool_]
OF_LEADERS = frozenset({"leaders", "leaders-in", "replication-out", "network-out", "cpu"})
"""Loads that a partition's leader alone bears."""
RATES = ("network-in", "leaders-in", "replication-out", "network-out")
"""Loads in bytes a second."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Everything a planner needs; arrays are positions in ``cluster``, not broker ids."""

    cluster: Cluster
    """The state to plan from, with added brokers and with partitions to create (empty lists)."""
    request: Request
    goals: tuple[str, ...]
    current: IntArray
    """``(n_partitions, max_rf)`` int32: the lists with replaced brokers already exchanged."""
    pinned: BoolArray
    """Same shape: replicas that must stay (all on a broker that replaces another)."""
    rf: IntArray
    """``(n_partitions,)`` int32: replication factor wanted."""
    movable: BoolArray
    """``(n_partitions,)``: False keeps the list as it is; the partition still counts as load."""
    stuck: BoolArray
    """``(n_partitions,)``: not movable for Kafka cannot copy it now."""
    eligible: BoolArray
    """``(n_brokers,)``: may hold replicas afterwards."""
    receives: BoolArray
    """``(n_brokers,)``: may receive new replicas (eligible and not cordoned)."""
    leads: BoolArray
    """``(n_brokers,)``: may be the preferred leader of a partition."""
    limit: IntArray
    """``(n_partitions,)`` int32: at most so many replicas in one rack, once mended."""
    stays: bool = False
    """Every replica stays on its broker; lists change their order alone."""
    warnings: tuple[str, ...] = ()
    params: Params = field(default_factory=Params)
    within_racks: bool = False
    """Brokers bear no more than their part of ``rack_capacity``: else the plan would break it."""

    @property
    def rack_idx(self) -> IntArray:
        return self.cluster.brokers.rack_idx

    @property
    def n_racks(self) -> int:
        return len(self.cluster.brokers.rack_names)
