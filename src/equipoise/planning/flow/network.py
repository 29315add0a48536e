"""A flow network and what is to be minimised on it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from equipoise.planning.problem.params import Params

Int64 = npt.NDArray[np.int64]
Int32 = npt.NDArray[np.int32]


class Infeasible(Exception):
    """No flow meets the supplies within the arc bounds."""


class TooDear(Exception):
    """Costs are more than the solver can reckon with on a network of that size."""


@dataclass(frozen=True, eq=False)
class Network:
    """Nodes with a supply (outflow minus inflow) and arcs with integer bounds."""

    supply: Int64
    """``(n_nodes,)``, sums to 0."""
    tail: Int32
    head: Int32
    lower: Int64
    """``(n_arcs,)`` as ``tail``, ``head`` and ``upper``."""
    upper: Int64
    params: Params = field(default_factory=Params)
    """Within which it is solved, on all its faces."""


@dataclass(frozen=True, eq=False)
class Objective:
    """``sum(linear * flow) + sum(distance(flow[convex], band) ** 2) + offset``."""

    linear: Int64
    """``(n_arcs,)``."""
    convex: Int32
    """Arcs whose flow is pulled into a band, ``(n_convex,)``."""
    band_low: Int64
    band_high: Int64
    offset: int = 0

    @classmethod
    def of_linear(cls, linear: Int64, offset: int = 0) -> Objective:
        none = np.zeros(0, dtype=np.int64)
        return cls(linear.astype(np.int64), none.astype(np.int32), none, none, offset)

    @classmethod
    def of_bands(cls, n_arcs: int, arcs: Int32, low: Int64, high: Int64, offset: int = 0) -> Objective:
        nothing = np.broadcast_to(np.int64(0), n_arcs)  # one number in memory, whatever the arcs
        return cls(nothing, arcs.astype(np.int32), low, high, offset)

    def value(self, flow: Int64) -> int:
        return int((self.linear * flow).sum() + (self.distance(flow[self.convex]) ** 2).sum()) + self.offset

    def distance(self, x: Int64) -> Int64:
        """How far each convex arc's flow is outside its band, ``(n_convex,)``."""
        return np.maximum(np.maximum(self.band_low - x, x - self.band_high), 0)
