"""The service: routes over the jobs, and what they look like to those who read the OpenAPI description."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from equipoise import __version__
from equipoise.server.answers import answering
from equipoise.server.bodies import Bodies
from equipoise.server.describing import JOB, KINDS, PART, described, of_a_job, with_shapes
from equipoise.server.failures import Failure
from equipoise.server.guard import Guard, told
from equipoise.server.jobs import Job, Jobs
from equipoise.server.limits import Limits
from equipoise.server.metrics import MEDIA_TYPE, Metrics
from equipoise.server.page import page, policy

LOOK_S = 0.25
"""Seconds between two looks at whether who asked is still there."""
REPORT_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
    "sandbox allow-scripts"
)
"""Of a report, opened by itself: its scripts run, and reach nothing."""


def make_app(limits: Limits | None = None, *, host: str = "127.0.0.1", token: str | None = None) -> Guard:
    """The service, guarded; its processes start and end with it."""
    limits = limits or Limits()
    jobs = Jobs(limits)
    metrics = Metrics(jobs)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        jobs.start()
        await asyncio.to_thread(jobs.ready.wait)
        yield
        await asyncio.to_thread(jobs.stop)

    app = FastAPI(
        title="Equipoise", version=__version__, docs_url=None, redoc_url=None, lifespan=lifespan,
        description="Plans and judges Kafka partition reassignments; carries nothing out.",
    )  # fmt: skip
    add_jobs(app, jobs, Bodies(limits))
    add_service(app, metrics)
    with_shapes(app)
    return Guard(app, host, token, metrics.counted)


def add_jobs(app: FastAPI, jobs: Jobs, bodies: Bodies) -> None:
    """Routes that ask for something, and those of what was asked for."""

    async def asked(verb: str, request: Request) -> Response:
        body = await bodies.read(request)
        names = [name for name, _ in request.query_params.multi_items()]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise Failure("unusable", "is given twice", {"source": twice[:80]})
        job = jobs.add(verb, body, dict(request.query_params))
        place = {"Location": f"/api/jobs/{job.id}"}
        if "respond-async" in request.headers.get("prefer", ""):
            return JSONResponse(job.to_json(), 202, place)
        await ended(job, request)
        return part_of(job, "result", place)

    async def ended(job: Job, request: Request) -> None:
        """Wait for the end of a job; where nobody waits for its answer any more it is cancelled."""
        future = asyncio.wrap_future(job.finished)
        while not (await asyncio.wait({future}, timeout=LOOK_S))[0]:
            if await request.is_disconnected():
                jobs.remove(job)

    def route(verb: str, path: str) -> None:
        async def answer(request: Request) -> Response:
            return await asked(verb, request)

        app.post(path, name=verb, **described(verb))(answer)

    for verb in ("plan", "check", "compare", "frontier", "show"):
        route(verb, f"/api/{verb}")
    route("submit", "/submit")

    @app.get("/api/jobs/{job}", summary="What a job is at, or how it ended", **of_a_job(good=JOB))
    async def status(job: str) -> Response:
        return JSONResponse(jobs.find(job).to_json())

    @app.get("/api/jobs/{job}/{part}", summary="A part of what a job made", **of_a_job(*KINDS, good=PART))
    async def fetch(job: str, part: str) -> Response:
        return part_of(jobs.find(job), part, {})

    @app.delete("/api/jobs/{job}", summary="End a job", status_code=204, **of_a_job())
    async def cancel(job: str) -> Response:
        jobs.remove(jobs.find(job))
        return Response(status_code=204)


def add_service(app: FastAPI, metrics: Metrics) -> None:
    """The page, health, metrics, and failures as answers."""

    @app.get("/", include_in_schema=False)
    async def index() -> Response:
        return HTMLResponse(page(), headers={"Content-Security-Policy": policy()})

    up: dict[int | str, dict[str, Any]] = {200: answering("health", "It is up.")}

    @app.get("/health", summary="Whether it is up, and how much it has to do", tags=["service"], responses=up)
    async def health() -> dict[str, Any]:
        counts = {state: metrics.jobs.count(state) for state in ("running", "waiting")}
        return {"status": "ok", "version": __version__, "jobs": counts}

    @app.get("/metrics", summary="Figures for Prometheus", response_class=PlainTextResponse, tags=["service"])
    async def figures() -> Response:
        return Response(metrics.text(), media_type=MEDIA_TYPE)

    @app.exception_handler(Failure)
    async def failed(_: Request, failure: Exception) -> Response:
        assert isinstance(failure, Failure)
        return told(failure)

    @app.exception_handler(HTTPException)
    async def refused(_: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        body = {"error": {"kind": "unknown", "problem": str(error.detail)}}
        return JSONResponse(body, error.status_code, error.headers)

    @app.exception_handler(Exception)
    async def broken(_: Request, error: Exception) -> Response:
        return told(Failure("fault", f"this is a fault of equipoise ({type(error).__name__})"))


def part_of(job: Job, name: str, headers: dict[str, str]) -> Response:
    """A part of what a job made; raises `Failure` where there is none."""
    if job.failure is not None:
        raise job.failure
    if name not in job.parts:
        at = "not made yet" if job.state in ("waiting", "running") else "no part of it"
        raise Failure("unknown", f"{name[:80]!r} is {at}")
    part = job.parts[name]
    if name == "report.html":
        headers = headers | {"Content-Security-Policy": REPORT_POLICY}
    if name == "plan.zip":
        headers = headers | {"Content-Disposition": 'attachment; filename="plan.zip"'}
    return Response(part.data, media_type=part.media_type, headers=headers)
