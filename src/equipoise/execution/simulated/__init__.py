"""A model of a Kafka cluster that copies at throttled rates: a port, and time that can be advanced.

It keeps to what real brokers do where a run can see it: the union lists while moving, target first;
a cancel that does not restore the order; reassignments onto dead brokers that are accepted and hang;
configs of a dead broker that cannot be altered; a kept replica out of the ISR that blocks a move up to
Kafka 4.2. Links are shared fairly among the copies on them (max-min).
"""

from equipoise.execution.simulated.carrier import SimulatedCarrier, pace
from equipoise.execution.simulated.cluster import SimulatedCluster

__all__ = ["SimulatedCarrier", "SimulatedCluster", "pace"]
