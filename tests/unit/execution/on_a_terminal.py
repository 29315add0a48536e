"""What ``test_terminal`` runs on a terminal of its own: four moves on a slow model."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from stories import Log, story, with_options

from equipoise.cli.faces import face_for
from equipoise.execution.driver import drive
from equipoise.execution.machine import Machine
from equipoise.execution.simulated import SimulatedCarrier, SimulatedCluster


class Slow(SimulatedCarrier):
    """A simulated second takes a twentieth of a real one."""

    slice_s = 0.2

    def __init__(self, model: SimulatedCluster) -> None:
        super().__init__(model)
        self.sleep: Any = self.pass_time

    def pass_time(self, seconds: float) -> None:
        self.model.advance(seconds)
        time.sleep(seconds / 20)


told = story({f"t-{i}": ([0, 1], [2 + i % 3, 1]) for i in range(4)})
with face_for("4 partitions will change.", yes=False) as face:
    end = drive(Machine(told.job, with_options()), Slow(told.model), Log(), face)
undone = told.lists() == {f"t-{i}": (0, 1) for i in range(4)}
said = f"ended {end.outcome}, {undone}, {len(told.throttles())} throttles"
if len(sys.argv) > 1:
    Path(sys.argv[1]).write_text(said)
else:
    print(said)
