"""Weighed levels (disk, network), which are bin packing: bounds, a search, a program for small clusters."""

from equipoise.planning.loads.explain import reasons
from equipoise.planning.loads.levels import level, weighed_goals
from equipoise.planning.loads.weights import value_of

__all__ = ["level", "reasons", "value_of", "weighed_goals"]
