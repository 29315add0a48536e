"""Carries instructions out on the model, whose time passes while the run waits."""

from __future__ import annotations

import math

from equipoise.execution.carrier import Carrier, health_of
from equipoise.execution.instructions import Health
from equipoise.execution.simulated.cluster import SimulatedCluster
from equipoise.scheduling import Schedule

LOOKS_A_FLIGHT = 4
"""How often a simulated run looks while a copy is in flight, on the mean."""


def pace(waves: Schedule) -> float:
    """Seconds between two looks at a simulated run, so that its end does not depend on them.

    A place that comes free stays empty until the next look. With few looks links run dry, and a
    large plan seems to take longer than it does.
    """
    copies = sum(len(rows) for rows in waves.waves)
    if not copies or not waves.copy_seconds > 0:  # NaN: no times are known
        return 1.0
    flight = waves.copy_seconds * min(1.0, waves.max_inflight / copies)
    return flight / LOOKS_A_FLIGHT



class SimulatedCarrier(Carrier):
    """Carries instructions out on the model, whose time passes while the run waits."""

    slice_s = math.inf

    def __init__(self, model: SimulatedCluster) -> None:
        super().__init__(model, clock=lambda: model.now, sleep=model.advance)
        self.model = model

    def health(self) -> Health:
        """As for any cluster; where every broker lives and nothing is sick nobody needs to look."""
        if not self.model.down and not self.model.sick:
            return Health({}, topic_ids=self.model.topic_ids)
        return health_of(self.model.partitions(), self.model.reassignments(), self.model.min_isr)
