"""What happens to a broken piece of input: an error that names it, or a note that it was set aside."""

from __future__ import annotations

import re

from equipoise.errors import UnusableInput
from equipoise.formats.fragment import SetAside
from equipoise.wording import cut


class FormatError(UnusableInput):
    """Text that is not what its format promises; the base error of every format."""


class Faults:
    """Collects what is broken in one source.

    Strict (the command line): the first fault raises :class:`FormatError`. Lenient (the fleet
    pipeline): every fault becomes a :class:`SetAside` and reading goes on.
    """

    def __init__(
        self, source: str, *, lenient: bool = False, set_aside: list[SetAside] | None = None
    ) -> None:
        self.source, self.lenient = source, lenient
        self.set_aside: list[SetAside] = set_aside if set_aside is not None else []

    def report(
        self, reason: str, *, place: str = "", line: int | None = None, text: str = "", advice: str = ""
    ) -> None:
        """Raise, or set ``text`` aside because of ``reason``; a line number is a place too."""
        place = place or (f"line {line}" if line is not None else "")
        if not self.lenient:
            raise FormatError(reason, source=self.source, place=place, advice=advice)
        self.set_aside.append(SetAside(self.source, line, place, text[:1000], reason))

    def pass_over(self, reason: str, *, line: int, text: str) -> None:
        """Leave out what may be other output around the wanted one; only lenient reading mentions it."""
        if self.lenient:
            self.report(reason, line=line, text=text)

    def set_aside_whole(self, error: FormatError) -> None:
        """Note that nothing of the source could be used."""
        line = re.match(r"line (\d+)", error.place)
        number = int(line[1]) if line else None
        self.set_aside.append(SetAside(self.source, number, error.place, "", error.problem))

    def fatal(self, reason: str, *, place: str = "", advice: str = "") -> FormatError:
        """The error for a source of which nothing can be used."""
        return FormatError(reason, source=self.source, place=place, advice=advice)


def shown(text: str) -> str:
    """Text as a message quotes it."""
    return f'"{cut(text)}"'

