"""Small drawings inside a table row, as SVG made here: no script has to run for them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

WIDTH, HEIGHT = 132, 30
MAX_BARS = 44


def before_after(before: Sequence[float], after: Sequence[float]) -> dict[str, str] | None:
    """Paths of two profiles (one value a broker, same order) on one scale; None without brokers.

    The wide bars are before, the narrow ones after; many brokers are averaged into ``MAX_BARS``.
    """
    if not len(before):
        return None
    old, new = shortened(before), shortened(after)
    most = max(float(old.max()), float(new.max()), 1e-300)
    step = WIDTH / len(old)
    return {"before": bars(old / most, step, 0.86), "after": bars(new / most, step, 0.46)}


def shortened(values: Sequence[float]) -> np.ndarray:
    """At most ``MAX_BARS`` values, each the mean of its neighbours."""
    column = np.asarray(values, dtype=np.float64)
    parts = np.array_split(column, min(len(column), MAX_BARS))
    return np.array([part.mean() for part in parts])


def bars(heights: np.ndarray, step: float, share: float) -> str:
    """One SVG path of upright bars; heights run from 0 to 1."""
    inset, width = step * (1 - share) / 2, step * share
    return "".join(
        f"M{at * step + inset:.1f} {HEIGHT}v{-height * HEIGHT:.1f}h{width:.1f}V{HEIGHT}z"
        for at, height in enumerate(heights)
        if height > 0
    )
