"""How a run is steered: from another terminal, by the hours of the day, and by how long it may take."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from equipoise.errors import UnusableInput
from equipoise.files.steering import Steering, read_steering

if TYPE_CHECKING:
    from equipoise.execution.hours import Hours
    from equipoise.execution.orders import Orders


def local_now() -> datetime:
    """By the clock and in the zone of this machine."""
    return datetime.now().astimezone()


@dataclass
class Helm:
    """What a run of a plan directory is to do now, each time it is asked."""

    folder: Path
    hours: Hours
    now: Callable[[], datetime] = local_now
    gauge: Callable[[], tuple[str, str]] = lambda: ("", "")
    """What tells how burdened brokers are."""
    last: Steering = field(default_factory=Steering)

    def __call__(self) -> Orders:
        from equipoise.execution.orders import Orders

        with suppress(UnusableInput):  # who wrote that hears of it with the next command; the run goes on
            self.last = read_steering(self.folder)
        now, hold = self.now(), "paused" if self.last.paused else ""
        if not hold and self.hours.window is not None and not self.hours.window.holds(now.time()):
            hold = f"outside {self.hours.window.text}"
        over = self.hours.until is not None and now >= self.hours.until
        return Orders(hold, self.last.throttle, *self.gauge(), over)
