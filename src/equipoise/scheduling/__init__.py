"""From a plan to waves: the order, the concurrency and the throttles, with a bound on the time."""

from equipoise.scheduling.result import Schedule

__all__ = ["Schedule"]
