"""Strategies side by side: each run apart under a time limit, all measured the same way."""

from equipoise.comparing.measured import CRITERIA, Row
from equipoise.comparing.run import compare, entries

__all__ = ["CRITERIA", "Row", "compare", "entries"]
