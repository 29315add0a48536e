"""Whatever a page is made of, without the control characters of names that it shows."""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment

from equipoise.wording import printable


@dataclass(frozen=True)
class Printed:
    """A page; only line ends and the terminal's own codes are left of what cannot be printed."""

    thing: RenderableType

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self.thing, options):
            if segment.control:
                yield segment
            else:
                yield Segment("\n".join(map(printable, segment.text.split("\n"))), segment.style)
