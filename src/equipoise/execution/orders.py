"""What a run is told in mid-flight."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Orders:
    """How it is to go on from its next look."""

    hold: str = ""
    """Why no move may begin now ("paused", "outside 22:00-06:00"), "" where they may."""
    throttle: int | None = None
    """Bytes a second of every broker, each way; None: as it was begun."""
    burden: str = ""
    """What shows that brokers are burdened, beside the ISR: a figure of theirs that is beyond its limit."""
    blind: str = ""
    """Why such figures cannot be read, "" where they can or nobody asked for them."""
    over: bool = False
    """Its time is over: what flies is finished, nothing begins."""
