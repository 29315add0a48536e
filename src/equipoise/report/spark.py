"""Small drawings inside a table row, as SVG made here: no script has to run for them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

WIDTH, HEIGHT = 132, 30
MAX_BARS = 40


def before_after(before: Sequence[float], after: Sequence[float]) -> dict[str, str | float] | None:
    """Two profiles (one value a broker, same order) on one scale; None without brokers.

    ``before`` and ``after`` are paths of upright lines ``step`` apart, to be drawn wide and narrow;
    many brokers are averaged into ``MAX_BARS``.
    """
    if not len(before):
        return None
    old, new = shortened(before), shortened(after)
    most = max(float(old.max()), float(new.max()), 1e-300)
    step = WIDTH / len(old)
    return {"before": lines(old / most, step), "after": lines(new / most, step), "step": round(step, 1)}


def shortened(values: Sequence[float]) -> np.ndarray:
    """At most ``MAX_BARS`` values, each the mean of its neighbours."""
    column = np.asarray(values, dtype=np.float64)
    parts = np.array_split(column, min(len(column), MAX_BARS))
    return np.array([part.mean() for part in parts])


def lines(heights: np.ndarray, step: float) -> str:
    """One SVG path of upright lines from the foot; heights run from 0 to 1."""
    return "".join(
        f"M{(at + 0.5) * step:.1f} {HEIGHT}v{-height * HEIGHT:.1f}"
        for at, height in enumerate(heights)
        if height > 0
    )


def line(values: Sequence[float | None]) -> str | None:
    """A path from value to value, 0 at the foot and gaps where one is None; no path for fewer than two."""
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return None
    most, step = max(*known, 1e-300), WIDTH / (len(values) - 1)
    path, is_on = "", False
    for at, value in enumerate(values):
        if value is not None:
            path += f"{'L' if is_on else 'M'}{at * step:.1f} {HEIGHT - value / most * (HEIGHT - 2) - 1:.1f}"
        is_on = value is not None
    return path
