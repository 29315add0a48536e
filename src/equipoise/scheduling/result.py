"""A schedule: which partitions move together, in which order, how fast, and how good that is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Plan

FloatArray = npt.NDArray[np.float64]
RowArray = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Schedule:
    """When each changed row of a plan moves; rows are positions in ``plan.cluster``'s partitions.

    ``equipoise apply`` admits rows one by one in ``order`` as links come free; the waves are for those
    who carry a plan out by hand, one file after the other, and keep partitions of like size together.
    """

    plan: Plan
    order: RowArray
    """``(n_scheduled,)`` int64: every changed row but the blocked, first to be admitted first."""
    waves: tuple[RowArray, ...]
    """The same rows in waves of at most ``max_inflight``, each finished before the next one starts."""
    max_inflight: int
    throttle_bytes_per_s: float | None
    """The throttle of every broker, each way; None where none was asked for."""
    unit: str
    """What links are counted in: "bytes", or "partitions" where no size is known."""
    wave_seconds: FloatArray
    """``(n_waves,)``: expected time of each wave done by itself, as in ``seconds``."""
    seconds: float
    """Expected time: of the copies, and of rounds of requests and elections (`rounds`); NaN without sizes or
    rates."""
    copy_seconds: float
    """Of it the copies, with continuous admission, or wave by wave for a plan in batches: by bytes alone."""
    bound_seconds: float
    """No order can take less: the busiest link ÷ its rate. NaN without sizes or rates."""
    gap: float
    """``(length - bound) / bound`` of the continuous order, in ``unit``; 0 where nothing is copied."""
    bottleneck: str
    """What the bound comes from: "broker 3, outbound", "broker 4, inbound", "partitions in flight" or ""."""
    blocked: Mapping[int, str] = field(default_factory=dict)
    """Rows for which no legal moment was found, each with the rule that holds it back."""
    notes: tuple[str, ...] = ()
    dir_waves: tuple[RowArray, ...] = ()
    """Rows whose lists stay and whose replicas change their log dirs, in waves after all others."""

    def to_json(self) -> dict[str, Any]:
        """The figures as plain JSON data (None for what is not known)."""

        def known(value: float) -> float | None:
            return None if np.isnan(value) else round(float(value), 3)

        return {
            "waves": len(self.waves) + len(self.dir_waves),
            "max_inflight": self.max_inflight,
            "unit": self.unit,
            "throttle_bytes_per_s": self.throttle_bytes_per_s,
            "seconds": known(self.seconds),
            "copy_seconds": known(self.copy_seconds),
            "wave_seconds": [known(s) for s in self.wave_seconds],
            "bound_seconds": known(self.bound_seconds),
            "gap": round(self.gap, 4),
            "bottleneck": self.bottleneck,
            "notes": list(self.notes),
            "blocked": {self.plan.cluster.label(row): rule for row, rule in sorted(self.blocked.items())},
        }
