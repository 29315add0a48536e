"""Every page for everyone: axe-core finds nothing serious, no table is cut, Tab reaches every control."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.browser.access import WINDOWS, assert_by_keyboard, assert_for_everyone
from tests.browser.test_reports import strategy_row

from equipoise.comparing.frontier import frontier
from equipoise.files.plan_summary import overview
from equipoise.planning.problem.request import Request
from equipoise.report import cluster_page, compare_page, fleet_page, frontier_page, plan_page
from equipoise.report.cluster_data import cluster_data
from equipoise.scheduling import schedule

if TYPE_CHECKING:
    from equipoise.cluster import Plan

pytestmark = pytest.mark.browser
LONGEST = "a-name-of-249-letters-" + "x" * 227
"""No topic of Kafka has a longer name."""


def of_plan(plan: Plan) -> str:
    waves = schedule(plan, max_inflight=40, throttle=5e7)
    return plan_page(replace(plan, warnings=("racks are not known of broker 3",)), waves)


def of_cluster(plan: Plan) -> str:
    racks = tuple(LONGEST if rack == "zone-0" else rack for rack in plan.cluster.brokers.racks)
    brokers = replace(plan.cluster.brokers, racks=racks)
    return cluster_page(cluster_data(replace(plan.cluster, brokers=brokers, missing=("rates", "configs"))))


def of_long_names(plan: Plan) -> str:
    """A topic, a rack and a cluster with names as long as can be."""
    cluster = plan.cluster
    racks = tuple(LONGEST if rack == "zone-0" else rack for rack in cluster.brokers.racks)
    brokers = replace(cluster.brokers, racks=racks)
    topics = (LONGEST, *cluster.topics[1:])
    return of_plan(replace(plan, cluster=replace(cluster, topics=topics, brokers=brokers, name=LONGEST)))


def of_fleet(plan: Plan) -> str:
    rows = [overview(plan) | {"cluster": name} for name in ("orders", "payments", LONGEST)]
    aside = [{"cluster": "messy", "file": "topics.txt", "line": 3, "text": "x" * 150, "reason": "no number"}]
    lost = {"cluster": "messy", "reason": "no partitions are left"}
    return fleet_page([*rows, lost], aside, {"seconds": 12.0, "master": "local[2]"})


def of_comparison(plan: Plan) -> str:
    rows = [strategy_row(name, k) for k, name in enumerate(("flow", "greedy", "wix"))]
    rows.append({"strategy": "permutations", "reason": "120 brokers are too many"})
    return compare_page(rows, [{"key": "spread", "title": "Replica spread", "meaning": "apart"}], "orders")


def of_frontier(plan: Plan) -> str:
    small = replace(plan.cluster, name="orders")
    found = frontier(small, Request(), (0, 50, 100))
    points = [point.to_json() for point in found.points]
    return frontier_page(points, found.goal, found.unit, small.name, found.warnings, None)


PAGES = {
    "plan": of_plan, "long-names": of_long_names, "fleet": of_fleet, "compare": of_comparison,
    "frontier": of_frontier, "cluster": of_cluster,
}  # fmt: skip


@pytest.fixture(scope="module")
def pages(two_racks) -> dict[str, str]:
    return {name: make(two_racks) for name, make in PAGES.items()}


@pytest.mark.parametrize("name", PAGES)
def test_page(name: str, pages: dict[str, str], opened: Any) -> None:
    """Wide and narrow, light and dark."""
    for window in WINDOWS:
        with opened(pages[name], **window) as page:
            assert_for_everyone(page)


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("name", ["plan", "fleet", "compare", "frontier", "cluster"])
def test_by_keyboard(name: str, width: int, pages: dict[str, str], opened: Any) -> None:
    """Headings of tables too where their cells are stacked."""
    with opened(pages[name], viewport={"width": width, "height": 900}) as page:
        assert_by_keyboard(page)


def test_a_stacked_table_keeps_its_names_its_order_and_its_search(pages: dict[str, str], opened: Any) -> None:
    """On a phone: each cell below the one before it, with the name of its column; sorted and filtered."""
    with opened(pages["plan"], viewport={"width": 400, "height": 800}) as page:
        page.click("summary")
        row = page.locator("#broker-table tbody tr").first
        told = row.locator("td").evaluate_all(
            "cells => cells.map((td) => getComputedStyle(td, '::before').content)"
        )
        assert '"replicas after: "' in told
        page.click("#broker-table thead button:text('leaders after')")
        column = page.locator("#broker-table tbody tr td:nth-child(7)")
        assert np.all(np.diff([int(text.split()[-1]) for text in column.all_inner_texts()]) >= 0)
        page.get_by_label("Find a broker").fill("added")
        assert page.locator("#broker-table tbody tr:visible").count() == 2


def test_a_wide_window_shows_tables_as_tables(pages: dict[str, str], opened: Any) -> None:
    """Stacked on a phone alone: a window that grows gets its columns back."""
    with opened(pages["plan"], viewport={"width": 400, "height": 800}) as page:
        page.wait_for_selector("#moves.stack")
        page.set_viewport_size({"width": 1280, "height": 900})
        page.wait_for_selector("#moves:not(.stack)")
        assert page.locator("table.stack:visible").count() == 0
