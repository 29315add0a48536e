"""How much the service takes and gives at most."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """For everyone who asks, and for one request."""

    body_bytes: int = 64 << 20
    """Of the body of a request; what is gzipped or a zip archive in it unpacks to more."""
    body_s: float = 30.0
    """Seconds that a body may take to arrive."""
    job_s: float = 120.0
    """Seconds that a job may take before its process is ended."""
    memory_bytes: int = 4 << 30
    """Of address space for the process of a job, and for each that it starts."""
    jobs: int = 2
    """Jobs that run at a time, each in a process of its own."""
    waiting: int = 64
    """Jobs that wait for their turn."""
    waiting_bytes: int = 256 << 20
    """Of the bodies of all jobs that wait or run."""
    kept_s: float = 600.0
    """Seconds that a result can be fetched after its job ended."""
    kept_bytes: int = 256 << 20
    """Of all results that can be fetched; the oldest goes first."""
