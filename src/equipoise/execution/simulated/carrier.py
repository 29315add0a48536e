"""Carries instructions out on the model, whose time passes while the run waits."""

from __future__ import annotations

import math

from equipoise.execution.carrier import Carrier, health_of
from equipoise.execution.instructions import Health
from equipoise.execution.simulated.cluster import SimulatedCluster


class SimulatedCarrier(Carrier):
    """Carries instructions out on the model, whose time passes while the run waits."""

    slice_s = math.inf

    def __init__(self, model: SimulatedCluster) -> None:
        super().__init__(model, clock=lambda: model.now, sleep=model.advance)
        self.model = model

    def health(self) -> Health:
        """As for any cluster; where every broker lives and nothing is sick nobody needs to look."""
        if not self.model.down and not self.model.sick:
            return Health({})
        return health_of(self.model.partitions(), self.model.reassignments(), self.model.min_isr)
