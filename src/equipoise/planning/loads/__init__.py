"""Weighed levels (disk, network), which are bin packing: bounds, a search, a program for small clusters."""

from equipoise.planning.loads.levels import level_loads, weighed_goals
from equipoise.planning.loads.proofs import WEIGHED
from equipoise.planning.loads.weights import weighed_value

__all__ = ["WEIGHED", "level_loads", "weighed_goals", "weighed_value"]
