"""Small clusters for the published algorithms, written as replica lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import pytest

from equipoise.cluster import Brokers, build_cluster
from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.request import Request
from equipoise.planning.published.interface import target_of
from equipoise.planning.published.settings import Settings
from equipoise.planning.request.laying import build_problem


def make_problem(
    lists: Sequence[Sequence[int]],
    *,
    brokers: Iterable[int] | None = None,
    racks: Mapping[int, str] | None = None,
    topics: Sequence[str] | None = None,
    sizes: Sequence[float] | None = None,
    retention_s: Sequence[float] | None = None,
    first: int = 0,
    **request: object,
) -> Problem:
    """Partitions ``first``, ``first + 1``, ... of topic "t" (or of ``topics``), with a request's options."""
    ids = sorted({broker for replicas in lists for broker in replicas} | set(brokers or ()))
    names = list(topics) if topics else ["t"] * len(lists)
    numbers = [first + names[:k].count(name) for k, name in enumerate(names)]
    cluster = build_cluster("c", Brokers.of(ids, racks), names, numbers, lists,
                            size_bytes=sizes, retention_s=retention_s)
    return build_problem(cluster, Request(**request))  # type: ignore[arg-type]


def make_lists(name: str, problem: Problem, settings: Settings | None = None) -> list[list[int]]:
    """The replica lists, as broker ids, that a strategy arrives at."""
    target = target_of(name, problem, settings)
    return [[int(i) for i in row if i >= 0] for row in problem.cluster.ids_of(target)]


def make_random(seed: int, n_brokers: int, n_partitions: int, factor: int, **options: object) -> Problem:
    """Partitions on brokers drawn without weight."""
    draw = np.random.default_rng(seed)
    lists = [draw.choice(n_brokers, factor, replace=False).tolist() for _ in range(n_partitions)]
    return make_problem(lists, brokers=range(n_brokers), **options)  # type: ignore[arg-type]


@pytest.fixture
def problem_of() -> Callable[..., Problem]:
    return make_problem


@pytest.fixture
def lists_after() -> Callable[..., list[list[int]]]:
    return make_lists


@pytest.fixture
def random_problem() -> Callable[..., Problem]:
    return make_random
