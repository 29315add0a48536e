"""``/metrics``: what the service did, as Prometheus reads it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from equipoise import __version__
from equipoise.server.jobs import Jobs

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Counts of answers; those of jobs are asked of the jobs."""

    def __init__(self, jobs: Jobs) -> None:
        self.jobs = jobs
        self.answers: Counter[tuple[str, int]] = Counter()

    def counted(self, method: str, status: int) -> None:
        self.answers[method if method in ("GET", "POST", "DELETE") else "other", status] += 1

    def text(self) -> str:
        return "\n".join(self.lines()) + "\n"

    def lines(self) -> Iterator[str]:
        yield from head("equipoise_info", "gauge", "The version that runs.")
        yield f'equipoise_info{{version="{__version__}"}} 1'
        yield from head("equipoise_requests_total", "counter", "Answers by method and status.")
        for (method, status), count in sorted(self.answers.items()):
            yield f'equipoise_requests_total{{method="{method}",status="{status}"}} {count}'
        yield from head("equipoise_jobs", "gauge", "Jobs that wait or run.")
        for state in ("waiting", "running"):
            yield f'equipoise_jobs{{state="{state}"}} {self.jobs.count(state)}'
        yield from head("equipoise_jobs_total", "counter", "Jobs that ended, by verb and outcome.")
        for (verb, outcome), count in sorted(self.jobs.outcomes.items()):
            yield f'equipoise_jobs_total{{verb="{verb}",outcome="{outcome}"}} {count}'
        yield from head("equipoise_job_seconds_total", "counter", "Seconds that jobs ran.")
        for verb, seconds in sorted(self.jobs.spent.items()):
            yield f'equipoise_job_seconds_total{{verb="{verb}"}} {seconds:.3f}'


def head(name: str, kind: str, about: str) -> Iterator[str]:
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} {kind}"
