"""Log dirs in the terminal and on the page: what is moved, what is left alone, and how level it gets."""

from __future__ import annotations

import numpy as np
import pytest
from rich.console import Console

from equipoise.cluster import Brokers, Plan, build_cluster
from equipoise.cluster.log_dirs import LogDirs
from equipoise.planning import make_plan
from equipoise.planning.request.options import request_of
from equipoise.report import plan_page
from equipoise.report.log_dirs import log_dir_data
from equipoise.report.tables import plan_table

GB = 2**30


def planned(sizes: list[float], **options: str | bool) -> Plan:
    """Broker 1 has all of "pay" in the first of two dirs, but for the last, of which nobody tells."""
    n = len(sizes)
    dirs = LogDirs(
        np.array([1, 1]), ("/a", "/b"), np.full(2, np.nan), np.ones(2, dtype=bool), np.arange(n - 1),
        np.zeros(n - 1),
    )  # fmt: skip
    brokers = Brokers.of([1])
    state = build_cluster("c", brokers, ["pay"] * n, range(n), [[1]] * n, size_bytes=sizes, dirs=dirs)
    asked = {name.replace("_", "-"): value for name, value in options.items()}
    return make_plan(state, request_of({"required-only": True, **asked}))


def printed(plan: Plan) -> str:
    console = Console(width=200)
    with console.capture() as captured:
        console.print(plan_table(plan))
    return captured.get()


def test_the_terminal_tells_what_is_moved_and_how_level_it_gets() -> None:
    """In the headline, in a line of its own, dir by dir, and in the proof."""
    text = printed(planned([2.0 * GB, GB, GB, GB], log_dirs="level:0"))
    assert "0 of 4 partitions, 1 replica between log dirs (2.0 GiB); proved best" in text
    assert "Log dirs: 1 replica changes its log dir (2.0 GiB); in which log dir 1 replica lies no" in text
    assert "Fullest log dir: 100 % above its share, 0 % after" in text
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "1:/a 3 → 2 4.0 GiB → 2.0 GiB" in lines and "1:/b 0 → 1 0 B → 2.0 GiB" in lines
    assert any(line.startswith("log-dir-bytes 2,147,483,648 2,147,483,648 proved") for line in lines)


def test_a_drained_dir_is_marked() -> None:
    """And its reason stands on the page."""
    plan = planned([GB, GB, GB], drain_dir="1:/a")
    assert "1:/a −" in printed(plan)
    page = plan_page(plan)
    assert "1:/a (to be empty)" in page and "/a is drained" in page and "Log dirs before and after" in page


def test_without_sizes_the_fullest_dir_is_counted() -> None:
    """Bytes that nobody knows are not 0 bytes of anything."""
    data = log_dir_data(planned([np.nan] * 5, log_dirs="level"))
    assert data is not None and data["bytes_moved"] is None
    assert data["fullest"] == [pytest.approx(1.0), pytest.approx(0.0)]


def test_a_plan_without_log_dirs_says_nothing_of_them() -> None:
    """Neither in the terminal nor on the page."""
    plan = planned([GB, GB])
    assert log_dir_data(plan) is None
    assert "log dir" not in printed(plan).lower() and 'id="log-dirs"' not in plan_page(plan)
