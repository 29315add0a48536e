"""The pages: of one plan, of a fleet, of a comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from equipoise.cluster import Plan
from equipoise.report.plan_data import plan_data
from equipoise.report.render import page

if TYPE_CHECKING:
    from equipoise.scheduling import Schedule


def plan_page(plan: Plan, schedule: Schedule | None = None) -> str:
    """The report of one plan: what changes, what it brings, how that is proved, how to carry it out."""
    data = plan_data(plan, schedule)
    return page("plan.html.j2", f"{plan.cluster.name}: plan", data, ("axis", "charts", "moves"))
