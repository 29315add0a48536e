"""Weighed levels (disk, network), which are bin packing: bounds, a search, a program for small clusters."""

from equipoise.planning.loads.explain import reasons
from equipoise.planning.loads.levels import level, value_of, weighed_goals

__all__ = ["level", "reasons", "value_of", "weighed_goals"]
