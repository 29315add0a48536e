"""What Cruise Control's REST API and its capacity file tell; units there are MB (2**20) and KB a second."""

from equipoise.formats.cruise_control import capacity, load, partition_load, proposals, state

__all__ = ["capacity", "load", "partition_load", "proposals", "state"]
