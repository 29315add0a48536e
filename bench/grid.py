"""Anything up to 10,000 partitions, in multiples of what a plan of one partition takes in the same run."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

from bench.instances import UNEQUAL, Shape, folder_of
from bench.processes import TIMES, Cost, one_partition, plan_process
from bench.row import Aim, Measure, Rows, against

AIM = Aim(8, 4)
SIZES = (
    (500, 60), (500, 200), (2_000, 30), (2_000, 200), (5_000, 30), (5_000, 60),
    (10_000, 6), (10_000, 12), (10_000, 30), (10_000, 200),
)  # fmt: skip
"""Partitions and brokers."""


def skewed(partitions: int, brokers: int) -> Shape:
    """Brokers within 40 %, Pareto topics of about 20 partitions."""
    return Shape(partitions, brokers, topics=partitions // 20, sizes="pareto", spread=0.4)


USUAL = skewed(2_000, 30)
OPERATIONS: dict[str, tuple[Shape, tuple[str, ...]]] = {
    "drain": (USUAL, ("--drain", "3,4")),
    "add": (USUAL, ("--add", "30:zone-0,31:zone-1,32:zone-2")),
    "replace": (USUAL, ("--replace", "3=33")),
    "factor-up": (USUAL, ("--replication-factor", "4")),
    "factor-down": (USUAL, ("--replication-factor", "2")),
    "max-moves": (USUAL, ("--max-moves", "200")),
    "max-moves-of-bytes": (replace(USUAL, known=True), ("--max-moves", "200")),
    "max-bytes": (replace(USUAL, known=True), ("--max-bytes", "50GB")),
    "max-changes": (USUAL, ("--max-changes-per-partition", "1")),
    "leaders-only": (USUAL, ("--leaders-only",)),
    "disk": (replace(USUAL, known=True), ("--balance", "disk")),
    "bad-racks": (replace(USUAL, keeps_racks=False), ()),
    "unequal-racks": (replace(USUAL, in_ten=UNEQUAL), ()),
}


def planned(work: str, shape: Shape, options: tuple[str, ...], scratch: Path) -> Rows:
    """The pair of processes whose ratio is the median of some.

    Each plan is measured beside one of one partition, as machines that are shared change their speed by a
    half within a minute.
    """
    source, pairs = str(folder_of(shape)), list[tuple[Cost, float]]()
    for _ in range(TIMES):
        unit_s = one_partition(scratch).cpu_s
        pairs.append((plan_process([source], scratch / "grid", *options), unit_s))
    cost, unit_s = sorted(pairs, key=lambda pair: pair[0].cpu_s / pair[1])[TIMES // 2]
    return [against(work, AIM, cost, unit_s, "one partition")]


ROWS: dict[str, Measure] = {
    **{f"grid/{n}x{b}": partial(planned, f"{n:,} × {b}", skewed(n, b), ()) for n, b in SIZES},
    **{
        f"grid/{name}": partial(
            planned, f"2,000 × 30 {name}: {' '.join(options)}".strip(": "), shape, options
        )
        for name, (shape, options) in OPERATIONS.items()
    },
}
