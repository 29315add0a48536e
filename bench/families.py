"""Large clusters of five kinds, in multiples of what `json.load` of the same input takes in the same run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from bench.instances import UNEQUAL, Shape, folder_of
from bench.processes import TIMES, Cost, json_load_s, one_partition_s, plan_process
from bench.row import MOST_MB, Aim, Measure, Row, Rows, against, memory, passed

PARTITIONS, BROKERS = 933_334, 216
"""2.8 million replicas."""
LOAD = "json.load"
SIZES = tuple(round(10 ** (3 + k / 2)) for k in range(7))
"""Replicas, 10³ to 10⁶."""
SLOPE_BROKERS = 60
MAX_SLOPE, MAX_STEP = 1.1, 2.0
LEAST = 0.1
"""Of a start: what is less beyond it cannot be told from noise."""


@dataclass(frozen=True)
class Family:
    """Clusters of one kind in any size, and what is asked of them."""

    words: str
    shape: Callable[[int, int], Shape]
    """From partitions and brokers."""
    drained: float = 0.0
    """Part of the brokers that is emptied."""

    def options(self, brokers: int) -> tuple[str, ...]:
        """Those that are drained are the first."""
        n = round(brokers * self.drained)
        return ("--drain", f"0-{n - 1}") if n else ()


def even(n: int, brokers: int) -> Shape:
    return Shape(n, brokers, topics=max(4, n * 4_000 // PARTITIONS), new=brokers // 10)


def skewed(n: int, brokers: int) -> Shape:
    return replace(even(n, brokers), sizes="pareto", spread=0.4)


def tiny_topics(n: int, brokers: int) -> Shape:
    return replace(even(n, brokers), topics=max(20, n * 20_000 // PARTITIONS))


def huge_topic(n: int, brokers: int) -> Shape:
    return replace(even(n, brokers), sizes="huge")


def drained(n: int, brokers: int) -> Shape:
    return replace(even(n, brokers), new=0, in_ten=UNEQUAL)


FAMILIES = {
    "even": Family("brokers within 10 %, topics alike", even),
    "skewed": Family("brokers within 40 %, Pareto topics", skewed),
    "tiny-topics": Family("20,000 tiny topics", tiny_topics),
    "huge-topic": Family("one topic of 300,000 partitions among small ones", huge_topic),
    "drained": Family("10 brokers drained, racks of 50, 30 and 20 %", drained, drained=10 / BROKERS),
}


def measured(shape: Shape, out: Path, *options: str) -> tuple[Cost, float]:
    """The least that a plan of a cluster costs, and the least seconds of `json.load` of its lists.

    The least of `TIMES` runs each: where memory was idle before, virtual machines take seconds to hand it out
    again, which the first run pays. Plans stay, beside ``out``: see `large`.
    """
    folder = folder_of(shape)
    unit_s = json_load_s(folder / "current.json")
    outs = [out, *(out.with_name(f"{out.name}-{k}") for k in range(1, TIMES))]
    costs = [plan_process([str(folder)], one, *options) for one in outs]
    return min(costs, key=lambda cost: cost.cpu_s), unit_s


def large(family: Family, scratch: Path) -> Rows:
    shape = family.shape(PARTITIONS, BROKERS)
    # Folders stay until the end, each with a name of its own: to judge that of another row costs seconds, and
    # so does making files where thousands were deleted in the minutes before.
    figures = measured(shape, scratch / folder_of(shape).name, *family.options(BROKERS))
    work = f"2.8 million replicas × {BROKERS} brokers: {family.words}"
    return [against(work, Aim(12, 6, MOST_MB), *figures, LOAD)]


def hundred_thousand(scratch: Path) -> Rows:
    figures = measured(skewed(100_000, 60), scratch / "hundred")
    return [against("100,000 × 60: brokers within 40 %, Pareto topics", Aim(25), *figures, LOAD)]


def leaders(scratch: Path) -> Rows:
    figures = measured(even(100_000, 200), scratch / "leaders", "--leaders-only")
    return [against("100,000 × 200, leaders only", Aim(15, 6), *figures, LOAD)]


def slope(family: Family, scratch: Path) -> Rows:
    """Whole processes from small to large; what a plan of one partition takes is not counted in the slope.

    Else the start of Python would hide how the rest grows.
    """
    start_s = one_partition_s(scratch)
    folders = [folder_of(family.shape(n // 3, SLOPE_BROKERS)) for n in SIZES]
    options = family.options(SLOPE_BROKERS)
    costs = [plan_process([str(folder)], scratch / folder.name, *options) for folder in folders]
    each = [cost.cpu_s for cost in costs]
    net = [max(seconds - start_s, LEAST * start_s) for seconds in each]
    found = float(np.polyfit(np.log(SIZES), np.log(net), 1)[0])
    step, at = max((a / b, n) for a, b, n in zip(each, each[1:], SIZES, strict=False))
    points = ", ".join(f"{seconds:.1f}" for seconds in each)
    work = f"10³ to 10⁶ replicas × {SLOPE_BROKERS}: {family.words}"
    return [
        Row(
            work, f"slope {MAX_SLOPE:g}; {MAX_STEP:g} × the next larger", f"{points} CPU s",
            f"slope {found:.2f}; {step:.1f} × at {at:,} replicas", memory(costs[-1]),
            passed(found <= MAX_SLOPE and step <= MAX_STEP),
        )
    ]  # fmt: skip


ROWS: dict[str, Measure] = {
    **{f"families/{name}": partial(large, family) for name, family in FAMILIES.items()},
    "families/100000x60": hundred_thousand,
    "families/leaders": leaders,
    **{f"slope/{name}": partial(slope, family) for name, family in FAMILIES.items()},
}
