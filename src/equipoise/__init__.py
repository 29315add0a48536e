"""Equipoise: plans, proves and carries out Kafka partition reassignments."""

__version__ = "0.1.0"
