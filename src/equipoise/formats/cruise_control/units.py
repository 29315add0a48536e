"""Cruise Control's units in bytes."""

MB = float(1 << 20)
KB = float(1 << 10)
