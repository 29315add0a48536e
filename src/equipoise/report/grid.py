"""A table without lines in which no word is ever cut, however narrow the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Literal

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.text import Text

from equipoise.wording import printable

INDENT = 2
"""Blanks before a line that belongs to the one above."""
Side = Literal["left", "right"]


class Grid:
    """Rows of cells under headings; strings are taken as they are, without markup or control characters.

    Where the terminal is too narrow, headings are folded at their blanks; where it still is, the least
    important columns are left out and named below or, where none is more important, the cells of a row stand
    one under another.
    """

    def __init__(
        self,
        *headings: str,
        left: int = 1,
        last: Side = "right",
        gap: int = 3,
        importance: Sequence[int] = (),
        elsewhere: str = "",
        least: Sequence[int] = (),
    ) -> None:
        """The first ``left`` columns stand left, the others right, the last on the side of ``last``.

        ``importance`` are positions of columns, the most important first; ``elsewhere`` says where those are
        found that are left out; ``least`` are widths that columns have at least, for rows yet to come.
        """
        self.headings, self.gap = headings, gap
        ends = {len(headings) - 1: last}
        self.sides: list[Side] = ["left" if i < left else ends.get(i, "right") for i in range(len(headings))]
        self.importance, self.elsewhere = importance, elsewhere
        self.least = least or [0] * len(headings)
        self.rows: list[tuple[Text, ...]] = []

    def add_row(self, *cells: str | Text) -> None:
        self.rows.append(tuple(Text(printable(c)) if isinstance(c, str) else c for c in cells))

    def widths(self, *, folded: bool) -> list[int]:
        """Columns of the terminal that each column of the table takes."""
        found = [
            max(least, *map(cell_len, heading.split(" ")) if folded else [cell_len(heading)])
            for heading, least in zip(self.headings, self.least, strict=True)
        ]
        for row in self.rows:
            found = [max(n, cell.cell_len) for n, cell in zip(found, row, strict=True)]
        return found

    def total(self, widths: Sequence[int]) -> int:
        return sum(widths) + self.gap * (len(widths) - 1)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        width = min(self.total(self.widths(folded=False)), options.max_width)
        return Measurement(width, width)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        room = options.max_width
        for folded in (False, True):
            widths = self.widths(folded=folded)
            if self.total(widths) <= room:
                yield Text("\n").join(self.side_by_side(range(len(widths)), widths))
                return
        if not self.importance:
            yield Text("\n").join(self.one_under_another())
            return
        shown = self.chosen(widths, room)
        yield Text("\n").join(self.side_by_side(shown, widths))
        if not self.elsewhere:
            return
        left_out = ", ".join(self.headings[at] for at in range(len(widths)) if at not in shown)
        yield Text(f"No room for: {left_out}. {self.elsewhere}", style="dim")

    def chosen(self, widths: Sequence[int], room: int) -> list[int]:
        """The most important columns that have room beside each other, in their order."""
        found: list[int] = []
        for at in self.importance:
            if self.total([widths[i] for i in (*found, at)]) <= room:
                found.append(at)
        return sorted(found)

    def side_by_side(self, shown: Sequence[int], widths: Sequence[int]) -> Iterator[Text]:
        """The headings, and each row on a line."""
        if any(self.headings):
            upwards = [reversed(folded(self.headings[at], widths[at])) for at in shown]
            for level in reversed(list(zip_longest(*upwards, fillvalue=""))):
                yield self.line([Text(part, style="dim") for part in level], shown, widths)
        for row in self.rows:
            yield self.line([row[at] for at in shown], shown, widths)

    def line(self, cells: Sequence[Text], shown: Sequence[int], widths: Sequence[int]) -> Text:
        """Cells in their columns, nothing behind the last."""
        parts: list[Text | str] = []
        for cell, at in zip(cells, shown, strict=True):
            blanks = " " * (widths[at] - cell.cell_len)
            parts += [cell, blanks] if self.sides[at] == "left" else [blanks, cell]
            parts.append(" " * self.gap)
        made = Text.assemble(*parts)
        made.rstrip()
        return made

    def one_under_another(self) -> Iterator[Text]:
        """The first cell of each row on a line, the others below it with their headings."""
        widest = max(map(cell_len, self.headings[1:]), default=0)
        for first, *others in self.rows:
            yield first
            for heading, cell in zip(self.headings[1:], others, strict=True):
                if cell.plain:
                    name = f"{heading}{' ' * (widest - cell_len(heading))} " * bool(widest)
                    yield Text.assemble(" " * INDENT, (name, "dim"), cell)


def folded(heading: str, width: int) -> list[str]:
    """A heading on as few lines as it takes."""
    lines: list[str] = []
    for word in heading.split(" "):
        if lines and cell_len(lines[-1]) + 1 + cell_len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines
