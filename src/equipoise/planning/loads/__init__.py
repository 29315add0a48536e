"""Weighed levels: disk and network, which are bin packing; bounds, search, and a program where it can prove."""

from equipoise.planning.loads.explain import reasons
from equipoise.planning.loads.levels import level, value_of, weighed_goals, weighs

__all__ = ["level", "reasons", "value_of", "weighed_goals", "weighs"]
