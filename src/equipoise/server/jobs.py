"""Jobs: a queue, a few processes that work on it, and results that can be fetched for a while.

A process serves one job at a time. It is ended where a job takes too long, is cancelled or fails in any way
that is not a sentence, and after `RECYCLED_AFTER` jobs; nothing of one job is there for the next.
"""

from __future__ import annotations

import logging
import queue
import secrets
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from equipoise.server.failures import Failure
from equipoise.server.limits import Limits
from equipoise.server.work import Parts
from equipoise.server.worker import work
from equipoise.solver_process import NoAnswer, SolverProcess

LOG = logging.getLogger(__name__)
RECYCLED_AFTER = 100
START_S = 120.0
"""A process that says nothing for so long will not start."""
ENDED = ("done", "failed", "cancelled")


@dataclass(eq=False)
class Job:
    """One request and what becomes of it. Its id is not to be guessed: who knows it may fetch the result."""

    verb: str
    body: bytes
    query: Mapping[str, str]
    id: str = field(default_factory=lambda: secrets.token_urlsafe(16))
    state: str = "waiting"
    """Then "running", then one of `ENDED`."""
    doing: str = ""
    came: float = field(default_factory=time.monotonic)
    began: float | None = None
    ended: float | None = None
    parts: Parts = field(default_factory=dict)
    failure: Failure | None = None
    process: SolverProcess | None = None
    """While it runs."""
    finished: Future[None] = field(default_factory=Future)

    @property
    def seconds(self) -> float:
        """How long it has run, or ran."""
        return 0.0 if self.began is None else (self.ended or time.monotonic()) - self.began

    @property
    def size(self) -> int:
        """Bytes of its result."""
        return sum(len(part.data) for part in self.parts.values())

    def to_json(self) -> dict[str, Any]:
        """What can be asked of a job while it runs and afterwards."""
        told = {"job": self.id, "verb": self.verb, "state": self.state, "doing": self.doing}
        told |= {"seconds": round(self.seconds, 1), "parts": sorted(self.parts)}  # type: ignore[dict-item]
        return told | (self.failure.to_json() if self.failure else {})


class Jobs:
    """All jobs of the service."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.lock = threading.Lock()
        self.queue: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        self.jobs: dict[str, Job] = {}
        """Those that wait or run, and those that ended of late, by id and in the order in which they came."""
        self.outcomes: Counter[tuple[str, str]] = Counter()
        """Jobs that ended, by verb and outcome."""
        self.spent: defaultdict[str, float] = defaultdict(float)
        """Seconds that jobs ran, by verb."""
        self.slots = [threading.Thread(target=self.serve, daemon=True) for _ in range(limits.jobs)]
        self.closed = False
        self.ready = threading.Event()
        """Set once a process is up, or does not start: from then on a small job takes a part of a second."""

    def start(self) -> None:
        for slot in self.slots:
            slot.start()

    def stop(self) -> None:
        """End every process; jobs that wait or run are cancelled."""
        self.closed = True
        for job in list(self.jobs.values()):
            self.cancel(job)
        for _ in self.slots:
            self.queue.put(None)
        for slot in self.slots:
            slot.join(10)

    def add(self, verb: str, body: bytes, query: Mapping[str, str]) -> Job:
        """A new job; raises `Failure` where there are too many."""
        job = Job(verb, body, query)
        with self.lock:
            self.forget()
            open_jobs = [other for other in self.jobs.values() if other.state not in ENDED]
            held = sum(len(other.body) for other in open_jobs)
            if len(open_jobs) >= self.limits.jobs + self.limits.waiting or (
                open_jobs and held + len(body) > self.limits.waiting_bytes
            ):
                raise Failure("busy", "too many jobs wait; ask again in a while")
            self.jobs[job.id] = job
        self.queue.put(job)
        return job

    def find(self, name: str) -> Job:
        """The job of an id; raises `Failure` for one that is not there, or no more."""
        with self.lock:
            self.forget()
            if name not in self.jobs:
                raise Failure("unknown", "there is no such job, or no more")
            return self.jobs[name]

    def forget(self) -> None:
        """Drop results that are too old, and the oldest of too many. Under the lock."""
        now, limits = time.monotonic(), self.limits
        old = [job for job in self.jobs.values() if job.ended is not None]
        left = sum(job.size for job in old)
        for job in sorted(old, key=lambda job: job.ended or 0.0):
            if now - (job.ended or now) > limits.kept_s or left > limits.kept_bytes:
                left -= job.size
                del self.jobs[job.id]

    def cancel(self, job: Job) -> None:
        """End a job; one that has ended stays as it is."""
        with self.lock:
            if job.state in ENDED:
                return
            self.close(job, Failure("cancelled", "the job was cancelled"))
            if job.process is not None:
                job.process.process.kill()

    def remove(self, job: Job) -> None:
        """Cancel a job and drop what there is of it."""
        self.cancel(job)
        with self.lock:
            self.jobs.pop(job.id, None)

    def close(self, job: Job, end: Parts | Failure) -> None:
        """Note how a job ended, once. Under the lock."""
        if job.state in ENDED:
            return
        job.ended, job.body = time.monotonic(), b""
        if isinstance(end, Failure):
            job.state, job.failure = ("cancelled" if end.kind == "cancelled" else "failed"), end
        else:
            job.state, job.parts = "done", end
        self.outcomes[job.verb, job.failure.kind if job.failure else "done"] += 1
        self.spent[job.verb] += job.seconds
        job.finished.set_result(None)

    def count(self, state: str) -> int:
        with self.lock:
            return sum(job.state == state for job in self.jobs.values())

    # What follows runs in the thread of a slot.

    def serve(self) -> None:
        """Take one job after the other."""
        process, served = self.begun(), 0
        self.ready.set()
        while (job := self.queue.get()) is not None:
            if process is None or served >= RECYCLED_AFTER:
                if process is not None:
                    process.end()
                process, served = self.begun(), 0
            served += 1
            if not self.run(job, process) and process is not None:
                process.end()
                process = None if self.closed else self.begun()
                served = 0
        if process is not None:
            process.end()

    def begun(self) -> SolverProcess | None:
        """A process that is ready; None where it does not start."""
        process = SolverProcess(work, self.limits.memory_bytes)
        try:
            process.received(START_S)
        except NoAnswer as silence:
            LOG.warning("a process did not start: %s", silence)
            process.end()
            return None
        return process

    def run(self, job: Job, process: SolverProcess | None) -> bool:
        """Have a process do a job; False where the process is not to be used again."""
        with self.lock:
            if job.state in ENDED:
                return True
            job.state, job.began, job.process = "running", time.monotonic(), process
        try:
            end = NOT_STARTED if process is None else self.answer(job, process)
        finally:
            with self.lock:
                job.process = None
        with self.lock:
            cancelled = job.state in ENDED
            self.close(job, end)
        return process is not None and not cancelled and reusable(end)

    def answer(self, job: Job, process: SolverProcess) -> Parts | Failure:
        """What the process says in the end, within its time."""
        try:
            process.send((job.verb, job.body, job.query))
            while (left := self.limits.job_s - job.seconds) > 0:
                kind, what = process.received(left)
                if kind != "at":
                    return what
                job.doing = what
        except NoAnswer as silence:
            if job.seconds < self.limits.job_s:
                LOG.warning("%s: %s", job.verb, silence)
                return Failure("memory", "its process ended: it may have needed more memory than a job has")
        return Failure("time", f"not finished in {self.limits.job_s:g} seconds")


NOT_STARTED = Failure("fault", "this is a fault of equipoise (no process could be started)")


def reusable(end: Parts | Failure) -> bool:
    """True where a process is as it was: it answered, or refused in a sentence."""
    return not isinstance(end, Failure) or end.kind in ("unusable", "impossible")


