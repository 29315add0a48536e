"""A request being laid over a cluster: everything is open, then each rule closes or pins its part."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Cluster
from equipoise.cluster.brokers import IntArray, frozen
from equipoise.errors import UnusableInput
from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.request import Request
from equipoise.planning.rules.ways import listed

BoolArray = npt.NDArray[np.bool_]


@dataclass(eq=False)
class Draft:
    """A `Problem` in the making; columns mean what they mean there."""

    cluster: Cluster
    request: Request
    current: IntArray
    pinned: BoolArray
    rf: IntArray
    movable: BoolArray
    eligible: BoolArray
    receives: BoolArray
    """Where False nothing new comes, eligible or not; as ``leads``."""
    leads: BoolArray
    stuck: BoolArray
    """``(n_partitions,)``: Kafka cannot move it now."""
    limit: IntArray
    stays: bool = False
    """Every replica stays on its broker."""
    alarms: list[str] = field(default_factory=list)
    """What is down, which is told before all else."""
    warnings: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, cluster: Cluster, request: Request) -> Draft:
        """Nothing is closed yet: every broker may hold, receive and lead, every partition may change."""
        everyone = np.ones(cluster.n_brokers, dtype=bool)
        return cls(
            cluster=cluster,
            request=request,
            current=cluster.replicas.copy(),
            pinned=np.zeros(cluster.replicas.shape, dtype=bool),
            rf=cluster.rf.copy(),
            movable=np.ones(cluster.n_partitions, dtype=bool),
            eligible=everyone.copy(),
            receives=everyone.copy(),
            leads=everyone.copy(),
            stuck=np.zeros(cluster.n_partitions, dtype=bool),
            limit=np.maximum(cluster.rf, 1),
        )

    def positions(self, ids: tuple[int, ...], option: str) -> IntArray:
        return known(self.cluster, ids, option)

    def freeze(self, goals: tuple[str, ...]) -> Problem:
        """The problem with these goals."""
        return Problem(
            cluster=self.cluster,
            request=self.request,
            goals=goals,
            current=frozen(self.current, np.int32),
            pinned=frozen(self.pinned, np.bool_),
            rf=frozen(self.rf, np.int32),
            movable=frozen(self.movable, np.bool_),
            stuck=frozen(self.stuck, np.bool_),
            eligible=frozen(self.eligible, np.bool_),
            receives=frozen(self.receives & self.eligible, np.bool_),
            leads=frozen(self.leads & self.eligible, np.bool_),
            limit=frozen(self.limit, np.int32),
            stays=self.stays,
            warnings=(*self.alarms, *self.warnings),
        )


def known(cluster: Cluster, ids: tuple[int, ...], option: str) -> IntArray:
    """Positions of brokers that an option names; raises `UnusableInput` where one does not exist."""
    positions = cluster.brokers.index_of(np.array(ids, dtype=np.int32))
    for broker, at in zip(ids, positions, strict=True):
        if at < 0:
            have = listed(cluster.brokers.ids.tolist())
            raise UnusableInput(
                f"there is no broker {broker}", source=option, advice=f"The cluster has brokers {have}"
            )
    return positions
