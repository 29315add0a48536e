"""The pages: of one plan, of a cluster as it is, of a fleet, of a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from equipoise.cluster import Plan
from equipoise.planning.goals import ALL_GOALS, DEFAULT_GOALS
from equipoise.planning.problem.params import Effort
from equipoise.planning.problem.request import EVERYTHING
from equipoise.planning.request.loads_named import BALANCES
from equipoise.report.cluster_page import cluster_page_data
from equipoise.report.compare_data import compare_data
from equipoise.report.fleet_data import fleet_data
from equipoise.report.frontier_data import frontier_data
from equipoise.report.plan_data import plan_data
from equipoise.report.render import chart_program, page

if TYPE_CHECKING:
    from equipoise.scheduling import Schedule


def plan_page(
    plan: Plan, schedule: Schedule | None = None, budgets: Mapping[str, Any] | None = None
) -> str:
    """The report of one plan: what changes, what it brings, how that is proved, how to carry it out.

    ``budgets``: what smaller ones would buy, ``points``, ``goal``, ``unit`` and ``knee`` of `frontier_page`.
    """
    data = plan_data(plan, schedule, budgets)
    return page("plan.html.j2", f"{plan.cluster.name}: plan", data, ("axis", "charts", "moves"))


def cluster_page(data: Mapping[str, Any]) -> str:
    """A cluster as it is, without a plan; ``data`` is what ``equipoise show --json`` prints."""
    page_data = cluster_page_data(data)
    return page("cluster.html.j2", f"{data['cluster']}: as it is", page_data, ("charts",))


def fleet_page(
    clusters: Sequence[Mapping[str, Any]],
    quarantine: Sequence[Mapping[str, Any]],
    run: Mapping[str, Any],
    findings: Sequence[Mapping[str, Any]] = (),
    news: Sequence[str] | None = None,
    history: Sequence[Mapping[str, Any]] = (),
) -> str:
    """The index of a fleet, the worst cluster first.

    ``clusters``: for each planned cluster its ``plan.json`` (moves are not needed) or its row of
    ``plan_summary``, with ``report`` where its page is not at ``clusters/NAME/report.html``; for each
    without a plan ``{"cluster", "reason"}``. ``quarantine``: ``{"cluster", "file", "line", "place",
    "text", "reason"}``. ``run``: facts by name, shown in their order. ``findings``: rows of ``checks`` with a
    subject. ``news``: sentences on what has changed since the run before; None where there was none.
    ``history``: rows of ``plan_history`` with those of ``load_history``, for trends.

    Clusters may have a ``group`` of the fleet's policy, and ``quality``, what their figures rest on.
    """
    data = fleet_data(clusters, quarantine, run, findings, news, history)
    return page("fleet.html.j2", "Equipoise: fleet", data, ("charts",))


def compare_page(
    rows: Sequence[Mapping[str, Any]],
    criteria: Sequence[Mapping[str, str]],
    cluster: str = "",
    warnings: Sequence[str] = (),
) -> str:
    """Strategies side by side, under the ``warnings``.

    ``rows``: ``{"strategy", ...}`` with a value under the key of each criterion and of
    ``compare_data.COSTS``, or a ``reason`` where no plan was found. ``criteria``: ``{"key", "title"}``
    and optionally ``unit`` ("count", "bytes", "share", "seconds"), ``better`` ("low", "high"), ``meaning``.
    """
    data = compare_data(rows, criteria, cluster, warnings)
    return page("compare.html.j2", f"{cluster or 'Equipoise'}: comparison", data, ("charts",))


def frontier_page(
    points: Sequence[Mapping[str, Any]],
    goal: str,
    unit: str,
    cluster: str,
    warnings: Sequence[str] = (),
    knee: float | None = None,
) -> str:
    """What each budget of data moved buys, under the ``warnings``.

    ``points``: `comparing.frontier.Point` as JSON data, smallest budget first; ``goal``: the level that they
    show; ``unit``: what is budgeted, "moves" or "bytes"; ``knee``: the percent of its knee, if it has one.
    """
    data = frontier_data(points, goal, unit, cluster, warnings, knee)
    return page("frontier.html.j2", f"{cluster}: frontier", data, ("charts",))


def serve_page() -> str:
    """The page of ``equipoise serve``: it asks the service for everything that it shows."""
    efforts = [effort.value for effort in Effort]
    mixes = [*BALANCES, EVERYTHING, "count,disk", "count,leaders,disk"]
    options = {"goals": ALL_GOALS, "default_goals": DEFAULT_GOALS, "efforts": efforts, "mixes": mixes}
    return page("serve.html.j2", "Equipoise", options, (), own="serve")


def serve_scripts() -> tuple[str, ...]:
    """What that page unpacks and runs beside its inline script."""
    return (chart_program(),)
