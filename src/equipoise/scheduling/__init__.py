"""From a plan to waves: the order, the concurrency and the throttles, with a bound on the time."""

from equipoise.scheduling.result import Schedule
from equipoise.scheduling.schedule import default_inflight, schedule
from equipoise.scheduling.throttles import throttles

__all__ = ["Schedule", "default_inflight", "schedule", "throttles"]
