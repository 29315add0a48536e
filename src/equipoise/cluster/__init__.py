"""The nouns: brokers, partitions, assignments, plans, as frozen NumPy columns checked when built."""

from equipoise.cluster.brokers import Brokers
from equipoise.cluster.cluster import Cluster, build_cluster
from equipoise.cluster.plan import Level, Plan

__all__ = ["Brokers", "Cluster", "Level", "Plan", "build_cluster"]
