"""When the moves of a run may begin: in which hours of the day, and until when."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from datetime import time as moment


@dataclass(frozen=True)
class Window:
    """Hours of the day, by the clock of the machine that runs it; over midnight too."""

    begin: moment
    end: moment
    text: str

    @classmethod
    def of(cls, text: str) -> Window:
        """``22:00-06:00``; raises ``ValueError`` for anything else."""
        begin, end = (datetime.strptime(part, "%H:%M").time() for part in text.split("-"))
        if begin == end:
            raise ValueError(f"'{text}' begins as it ends")
        return cls(begin, end, text)

    def holds(self, now: moment) -> bool:
        """Whether it is open."""
        if self.begin < self.end:
            return self.begin <= now < self.end
        return now >= self.begin or now < self.end


@dataclass(frozen=True)
class Hours:
    """What a run was given; the journal knows it, so that it outlives the process."""

    window: Window | None = None
    """None: at any time of the day."""
    until: datetime | None = None
    """With its zone; what flies then is finished, and nothing begins. None: no end."""

    def to_json(self) -> dict[str, str | None]:
        """As entries of a journal have it."""
        return {
            "between": None if self.window is None else self.window.text,
            "until": None if self.until is None else self.until.isoformat(timespec="seconds"),
        }
