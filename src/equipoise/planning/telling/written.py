"""Values of goals as people write them: counts, bytes, how far brokers are apart."""

from __future__ import annotations

from equipoise.planning.goals import GOALS
from equipoise.planning.loads import WEIGHED
from equipoise.planning.loads.weights import FILL, IN_RACK
from equipoise.planning.problem.problem import RATES
from equipoise.wording import size

SQUARED = frozenset(name for name, goal in GOALS.items() if "squared" in goal.meaning)
"""Goals whose value counts nothing: 2 beyond a band is 4."""
CPU = 1e6
"""Units of the goal `cpu` in a percent."""


def written(goal: str, value: float, apart: int | None = None) -> str:
    """``1,234``, ``743 GiB``, ``50 apart``; of squares that nobody counted, ``squared 5,240``.

    ``apart``: the greatest less the least of what the goal levels, where that is known.
    """
    load = "disk" if goal == IN_RACK else goal.removeprefix(FILL)
    if load == "cpu":
        return f"{value / CPU:,.3g} %"
    if load in WEIGHED or goal in ("log-dirs", "log-dir-bytes"):
        return size(value) + ("/s" if load in RATES else "")
    if goal in SQUARED:
        return f"squared {value:,.10g}" if apart is None else apart_words(apart)
    return f"{value:,.10g}"


def apart_words(count: int) -> str:
    """``50 apart``."""
    return f"{count:,} apart"
