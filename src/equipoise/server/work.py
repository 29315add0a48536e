"""What the service does for each request, in a process of its own: body in, parts of the answer out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from equipoise.cluster import Cluster
from equipoise.planning.problem.request import Request
from equipoise.planning.request.options import request_of
from equipoise.planning.request.values import positive, rate
from equipoise.server.calls import (
    AnyCall,
    Call,
    CheckCall,
    CompareCall,
    FrontierCall,
    PlanCall,
    ShowCall,
    as_json,
    read_call,
    shown_options,
)
from equipoise.server.command_line import command
from equipoise.server.submission import read_submission

Query = Mapping[str, str]
Told = Callable[[str], None]
"""Hears what a job is at."""


class Part(NamedTuple):
    """A piece of an answer."""

    media_type: str
    data: bytes


Parts = dict[str, Part]
"""Pieces by name; "result" is the answer itself."""
JSON, ZIP = "application/json", "application/zip"
HTML, TEXT = "text/html; charset=utf-8", "text/plain; charset=utf-8"


def read(kind: type[AnyCall], body: bytes, query: Query) -> tuple[AnyCall, Cluster, Request]:
    """The call, its cluster and its request."""
    from equipoise.files.contents import read_contents

    call = read_call(kind, body, query)
    request = request_of(shown_options(call))
    contents = [(source.name, source.content()) for source in call.sources]
    return call, read_contents(contents, name=call.name), request


def typed(verb: str, call: Call, *more: str, first: str = "") -> Part:
    """The command line of a call; ``first`` is a file that stands before its sources."""
    names = [first] * bool(first) + [source.name for source in call.sources]
    return Part(TEXT, command(verb, names, shown_options(call), *more).encode("utf-8", "replace"))


def show(body: bytes, query: Query, told: Told) -> Parts:
    from equipoise.report import cluster_page
    from equipoise.report.cluster_data import cluster_data

    call, cluster, _ = read(ShowCall, body, query)
    data = cluster_data(cluster)
    return {
        "result": Part(JSON, as_json(data)),
        "report.html": Part(HTML, cluster_page(data).encode()),
        "command": typed("show", call),
    }


def plan(body: bytes, query: Query, told: Told) -> Parts:
    from equipoise.files.plan_archive import plan_archive
    from equipoise.files.plan_directory import plan_json
    from equipoise.files.wave_files import rows_json
    from equipoise.planning.driver.solve import make_plan
    from equipoise.report import plan_page
    from equipoise.scheduling import schedule

    call, cluster, request = read(PlanCall, body, query)
    throttle = None if call.throttle is None else float(rate("throttle", call.throttle))
    inflight = None if call.max_inflight is None else positive("max-inflight", call.max_inflight)
    best = make_plan(cluster, request)
    told("waves")
    waves = schedule(best, max_inflight=inflight, throttle=throttle)
    told("files")
    page = plan_page(best, waves).encode()
    more = ["--out", f"{best.cluster.name}-plan"]
    more += ["--throttle", str(call.throttle)] if call.throttle is not None else []
    more += ["--max-inflight", str(call.max_inflight)] if call.max_inflight is not None else []
    return {
        "result": Part(JSON, plan_json(best)),
        "report.html": Part(HTML, page),
        "plan.zip": Part(ZIP, plan_archive(best, waves, {"report.html": page})),
        "reassignment.json": Part(JSON, rows_json(best, best.touched)),
        "command": typed("plan", call, *more),
    }


def submit(body: bytes, query: Query, told: Told) -> Parts:
    from equipoise.files.contents import read_contents
    from equipoise.files.wave_files import rows_json
    from equipoise.planning.driver.solve import make_plan

    assignment, options = read_submission(body, query)
    request = request_of({name.replace("_", "-"): value for name, value in options.items()})
    best = make_plan(read_contents([("body", assignment)]), request)
    return {"result": Part(JSON, rows_json(best, best.touched))}


def check(body: bytes, query: Query, told: Told) -> Parts:
    from equipoise.comparing.beside import beside_optimum
    from equipoise.files.following import judged
    from equipoise.files.proposals import proposal_of
    from equipoise.planning.request.laying import build_problem
    from equipoise.report.distances import distance_rows

    call, cluster, request = read(CheckCall, body, query)
    proposal = proposal_of(call.proposal(), "reassignment")
    _, verdict = judged(build_problem(cluster, request), proposal)
    if call.optimum:
        verdict = beside_optimum(verdict, cluster, request)
    return {
        "result": Part(JSON, as_json(verdict.to_json())),
        "page": Part(JSON, as_json(distance_rows(verdict.from_optimum or ()))),
        "command": typed("check", call, first="reassignment.json"),
    }


def compare(body: bytes, query: Query, told: Told) -> Parts:
    from equipoise.comparing import CRITERIA, entries
    from equipoise.comparing import compare as run
    from equipoise.planning.request.laying import build_problem
    from equipoise.report import compare_page

    call, cluster, request = read(CompareCall, body, query)
    limit_s = call.time_limit
    rows = run(cluster, request, entries(cluster, request, limit_s), time_limit_s=limit_s, told=told)
    data, warnings = [row.to_json() for row in rows], build_problem(cluster, request).warnings
    answer = {"version": 1, "cluster": cluster.name, "warnings": warnings, "rows": data}
    return {
        "result": Part(JSON, as_json(answer)),
        "report.html": Part(HTML, compare_page(data, CRITERIA, cluster.name, warnings).encode()),
        "command": typed("compare", call),
    }


def frontier(body: bytes, query: Query, told: Told) -> Parts:
    from equipoise.comparing.frontier import BUDGETS
    from equipoise.comparing.frontier import frontier as run
    from equipoise.report.frontier_data import frontier_data

    call, cluster, request = read(FrontierCall, body, query)
    percents = call.budgets or BUDGETS
    found = run(cluster, request, percents, found=lambda one: told(f"budget {one.points[0].percent:g} %"))
    points = [point.to_json() for point in found.points]
    knee = None if found.knee is None else found.knee.percent
    data: dict[str, Any] = {
        "cluster": cluster.name, "goal": found.goal, "unit": found.unit, "warnings": found.warnings,
        "points": points, "knee": knee,
    }  # fmt: skip
    page = frontier_data(points, found.goal, found.unit, cluster.name, found.warnings, knee)
    return {
        "result": Part(JSON, as_json({"version": 1, **data})),
        "page": Part(JSON, as_json(page)),
        "command": typed("frontier", call),
    }


VERBS: dict[str, Callable[[bytes, Query, Told], Parts]] = {
    "show": show, "plan": plan, "submit": submit, "check": check, "compare": compare, "frontier": frontier,
}  # fmt: skip
