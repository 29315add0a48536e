"""Whole runs: read, plan, write, publish."""
