"""One line of the speed table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.processes import Cost


@dataclass(frozen=True)
class Row:
    """A figure beside its aim; what a row does not have is empty."""

    work: str
    aim: str = ""
    figure: str = ""
    ratio: str = ""
    memory: str = ""
    verdict: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        return self.work, self.aim, self.figure, self.ratio, self.memory, self.verdict


HEAD = ("work", "aim", "measured", "ratio", "memory", "")
Rows = list[Row]
Measure = Callable[[Path], Rows]
"""Takes a folder to write to."""
MOST_MB = 2 * 1024


@dataclass(frozen=True)
class Aim:
    """Multiples of what the work is measured against: for now, and what they are to come down to."""

    now: float
    then: float | None = None
    mb: float | None = None
    """Memory that may be held."""

    def __str__(self) -> str:
        then = "" if self.then is None else f", then {self.then:g} ×"
        return f"{self.now:g} ×{then}" + ("" if self.mb is None else f", {self.mb / 1024:g} GB")

    def verdict(self, ratio: float, mb: float) -> str:
        if ratio > self.now or (self.mb is not None and mb > self.mb):
            return "miss"
        return "pass" if self.then is None or ratio > self.then else "pass, both"


def against(work: str, aim: Aim, cost: Cost, unit_s: float, unit: str) -> Row:
    """A command measured against CPU seconds of another."""
    ratio = cost.cpu_s / unit_s
    return Row(
        work,
        str(aim),
        seconds(cost),
        f"{ratio:.1f} × {unit} ({unit_s:.2f} s)",
        memory(cost),
        aim.verdict(ratio, cost.peak_mb),
    )


def passed(met: bool) -> str:
    return "pass" if met else "miss"


def seconds(cost: Cost) -> str:
    return f"{cost.cpu_s:.2f} CPU s, {cost.wall_s:.2f} s"


def memory(cost: Cost) -> str:
    return f"{cost.peak_mb:,.0f} MB"
