"""Paths as Spark reads them."""

from __future__ import annotations

import re

from equipoise.files.places import Place


def literal(place: Place) -> str:
    """A path as Spark reads it: what would be a pattern in it is none."""
    return re.sub(r"([\[\]{}*?\\])", r"\\\1", str(place))
