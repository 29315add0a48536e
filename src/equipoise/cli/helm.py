"""How a run is steered: from another terminal, by the hours of the day, and by how long it may take."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from datetime import time as moment
from pathlib import Path
from typing import TYPE_CHECKING

from equipoise.errors import UnusableInput
from equipoise.files.steering import Steering, read_steering

if TYPE_CHECKING:
    from equipoise.execution.orders import Orders


@dataclass(frozen=True)
class Window:
    """Hours of the day, by this machine's clock, in which moves may begin; over midnight too."""

    begin: moment
    end: moment
    text: str

    @classmethod
    def of(cls, text: str) -> Window:
        """``22:00-06:00``; raises :class:`UnusableInput` for anything else."""
        try:
            begin, end = (datetime.strptime(part, "%H:%M").time() for part in text.split("-"))
        except ValueError:
            begin = end = moment()
        if begin == end:
            raise UnusableInput(f"'{text}' is no such time", source="--between", advice="Give 22:00-06:00")
        return cls(begin, end, text)

    def holds(self, now: moment) -> bool:
        """Whether it is open."""
        if self.begin < self.end:
            return self.begin <= now < self.end
        return now >= self.begin or now < self.end


@dataclass
class Helm:
    """What a run of a plan directory is to do now, each time it is asked."""

    folder: Path
    window: Window | None = None
    seconds: float | None = None
    """How long the run may take; what flies then is finished."""
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = datetime.now
    last: Steering = field(default_factory=Steering)

    def __post_init__(self) -> None:
        self.began = self.clock()

    def __call__(self) -> Orders:
        from equipoise.execution.orders import Orders

        with suppress(UnusableInput):  # who wrote that hears of it with the next command; the run goes on
            self.last = read_steering(self.folder)
        hold = "paused" if self.last.paused else ""
        if not hold and self.window is not None and not self.window.holds(self.now().time()):
            hold = f"outside {self.window.text}"
        over = self.seconds is not None and self.clock() - self.began >= self.seconds
        return Orders(hold, self.last.throttle, over)
