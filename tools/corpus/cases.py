"""Every case of the corpus by name: a cluster and what is asked of it, the same on every machine.

Goals are written out: a later version with other defaults is asked the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import cycle, islice, product
from typing import Any
from zlib import crc32

import numpy as np
from tests.scenarios import strategies
from tools.corpus.clusters import Shape, cluster_of
from tools.corpus.operations import OPERATIONS, WITH_LOADS, WITH_RACKS, Asked

from equipoise.cluster import Cluster
from equipoise.planning import Request

Drawn = tuple[Cluster, dict[str, Any]]
DEFAULT_GOALS = ("racks", "replicas", "moves", "topics", "leaders", "elections", "topic-leaders")
REQUIRED_GOALS = ("racks", "moves", "elections", "reorders")
LEADERS_GOALS = ("leaders", "elections", "topic-leaders")
ALL_GOALS = (*DEFAULT_GOALS, "failover", "reorders", "positions", "rack-leaders")
THEMES = ("one", "several", "replaced", "rules", "budget", "leaders", "orders", "failover")
SEEDS_OF_A_THEME = 35
LOOKS = tuple(product((40, 10), ("pareto", "equal", "tiny", "huge"), ("equal", "none", "unequal", "bad")))
"""Spread, topics and racks; neighbours among the operations get others."""
GRID = ((100, 500, 2_000, 5_000, 10_000), (6, 12, 30, 60, 200))


@dataclass(frozen=True)
class Case:
    """One cluster and the fields of a request; nothing is made before ``draw`` is called."""

    name: str
    family: str
    draw: Callable[[], Drawn]


def cases() -> list[Case]:
    """All of them, small before large."""
    return [
        *themes(),
        *tiny(),
        *small(),
        *medium(),
        *grid(),
        *listed("steep", STEEP),
        *listed("large", LARGE),
    ]


def themes() -> Iterator[Case]:
    """The clusters of the property tests: 2 to 7 brokers, every option."""
    for theme, seed in product(THEMES, range(SEEDS_OF_A_THEME)):
        yield Case(f"theme/{theme}/{seed}", "theme", partial(of_theme, theme, seed))


def of_theme(theme: str, seed: int) -> Drawn:
    vars(strategies)["ALL_GOALS"] = ALL_GOALS  # a later goal would change what the themes draw
    drawn = strategies.case(theme, seed)
    return drawn.cluster(), drawn.request.to_json()


def tiny() -> Iterator[Case]:
    yield from swept("tiny", 0, [(30, 6), (50, 8), (20, 5), (10, 3), (12, 4)])


def small() -> Iterator[Case]:
    yield from swept("small", 3, [(100, 6), (200, 12), (100, 9), (300, 10), (150, 30)])
    yield from swept("500", 7, [(500, 12), (500, 30), (400, 20)])


def medium() -> Iterator[Case]:
    yield from swept("1000", 12, [(1_000, 12), (1_000, 60), (800, 20), (1_200, 30)])
    yield from swept("2000", 18, [(2_000, 30)], only=MEDIUM)
    yield from swept("5000", 23, [(5_000, 60), (5_000, 100), (4_000, 40)], only=FEW)


def grid() -> Iterator[Case]:
    """Sizes against brokers, where speed and proofs were once seen to change from one to the next."""
    for n, brokers in product(*GRID):
        if brokers < n:
            yield asked("grid", Shape(n, brokers), "default")


MEDIUM = (
    "default", "drain-2", "add-3", "replace-1", "factor-up", "factor-down", "max-moves", "add-max-moves",
    "max-bytes", "max-changes", "leaders-only", "required-only", "stay-in-rack", "strict", "no-leaders-on",
    "cordon", "tolerance", "create", "topics", "failover-last", "positions", "rack-leaders-last",
    "rack-leaders-early", "topics-first", "moves-first", "disk", "disk-network-in", "network-out",
)  # fmt: skip
FEW = (
    "default", "drain-2", "add-3", "factor-up", "factor-down", "max-moves", "max-changes", "leaders-only",
    "required-only", "stay-in-rack", "no-leaders-on", "failover-last", "topics-first", "disk",
)  # fmt: skip
STEEP = (
    (Shape(30, 6, spread=10), "failover-last"),
    (Shape(2_000, 30), "max-moves"),
    (Shape(2_000, 30), "factor-down"),
    (Shape(2_000, 30, "bad"), "default"),
    (Shape(5_000, 30, "unequal"), "default"),
    (Shape(5_000, 60, spread=10), "max-moves"),
)
"""Where a plan was once seen to take many times as long as one of about that size."""
LARGE = (
    (Shape(30_000, 12), "default"),
    (Shape(30_000, 60, "none", "tiny", 10), "drain-2"),
    (Shape(30_000, 30, "unequal", "huge"), "add-3"),
    (Shape(30_000, 60), "leaders-only"),
    (Shape(30_000, 60, factor=2), "factor-up"),
    (Shape(30_000, 60, spread=10), "factor-down"),
    (Shape(30_000, 60, "bad"), "required-only"),
    (Shape(30_000, 200), "default"),
    (Shape(100_000, 60, "equal", "equal", 10), "default"),
    (Shape(100_000, 60, "unequal", "pareto"), "drain-2"),
    (Shape(100_000, 100, "none", "huge"), "leaders-only"),
    (Shape(100_000, 60, "equal", "tiny"), "no-leaders-on"),
    (Shape(100_000, 60, "none", "pareto", factor=4), "default"),
    (Shape(110_000, 100), "add-3"),
)


def listed(family: str, each: tuple[tuple[Shape, str], ...]) -> Iterator[Case]:
    return (asked(family, shape, operation) for shape, operation in each)


def swept(
    family: str, first: int, sizes: list[tuple[int, int]], only: tuple[str, ...] = tuple(OPERATIONS)
) -> Iterator[Case]:
    """Every operation on a cluster of its own: sizes and looks take turns, from look ``first`` on."""
    looks = islice(cycle(LOOKS), first, None)
    for operation, size, (spread, topics, racks) in zip(only, cycle(sizes), looks, strict=False):
        known = operation in WITH_LOADS
        if operation in WITH_RACKS and racks == "none":
            racks = "unequal"
        yield asked(family, Shape(*size, racks, topics, spread, known=known), operation)


def asked(family: str, shape: Shape, operation: str) -> Case:
    name = f"{family}/{shape.label}/{operation}"
    return Case(name, family, partial(of_operation, name, shape, operation))


def of_operation(name: str, shape: Shape, operation: str) -> Drawn:
    rng = np.random.default_rng(crc32(name.encode()))
    cluster = cluster_of(shape, rng)
    return cluster, OPERATIONS[operation](Asked(shape, cluster, rng))


def request_of(fields: dict[str, Any]) -> Request:
    """The request of a case, its goals written out (but for loads: their goals depend on what is known)."""
    if fields.get("balance", ("count",)) != ("count",) or fields.get("goals") is not None:
        return Request(**fields)
    return Request(**fields, goals=goals_of(fields))


def goals_of(fields: dict[str, Any]) -> tuple[str, ...]:
    """What is optimised where nothing is said; a replacement alone moves nothing else."""
    if fields.get("leaders_only"):
        return LEADERS_GOALS
    others = ("brokers", "add", "drain", "replication_factor", "create")
    replaces = "replace" in fields and not any(fields.get(name) for name in others)
    return REQUIRED_GOALS if fields.get("required_only") or replaces else DEFAULT_GOALS
