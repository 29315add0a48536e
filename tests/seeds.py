"""How many random cases a test draws: what it is worth in every run, and many times that where asked for.

``EQUIPOISE_TIMES=20 python -m pytest tests/scenarios/test_optimal.py`` draws twenty times as many, from seed
``EQUIPOISE_FIRST_CASE`` on; ``make test-long`` draws five times as many everywhere.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

import pytest


def seeds(usual: int) -> range:
    """So many in ``make test``."""
    first = int(os.environ.get("EQUIPOISE_FIRST_CASE", "0"))
    return range(first, first + usual * int(os.environ.get("EQUIPOISE_TIMES", "1")))


def of_seeds(seeds: Sequence[int], fast: int) -> pytest.MarkDecorator:
    """Every seed, the first ``fast`` of them in the fast tests, too."""
    cases = [pytest.param(seed, marks=of_rank(at, fast)) for at, seed in enumerate(seeds)]
    return pytest.mark.parametrize("seed", cases)


def of_themes(themes: Iterable[str], seeds: Sequence[int], fast: int) -> pytest.MarkDecorator:
    """The same of each theme."""
    cases = [
        pytest.param(theme, seed, marks=of_rank(at, fast))
        for theme in themes
        for at, seed in enumerate(seeds)
    ]
    return pytest.mark.parametrize(("theme", "seed"), cases)


def of_rank(at: int, fast: int) -> tuple[pytest.MarkDecorator, ...]:
    return () if at < fast else (pytest.mark.slow,)
