"""One headless Chromium for all tests, and plans as large as the ones people have."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from equipoise.cluster import Brokers, Level, Plan, build_cluster
from equipoise.cluster.measures import data_moves

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = "/usr/bin/chromium"
OWN = ("file:", "data:", "blob:")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, headless; missing, the tests fail."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Callable[..., object]:
    """Opens a page from a file; on the way out it fails for any script error or outside request."""

    @contextmanager
    def open_page(html: str, **context: object) -> Iterator[Page]:
        file = tmp_path / "page.html"
        file.write_text(html, encoding="utf-8")
        faults: list[str] = []
        window = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **context})
        page = window.new_page()
        page.on("pageerror", lambda error: faults.append(f"script error: {error}"))
        page.on(
            "console", lambda line: faults.append(f"console: {line.text}") if line.type == "error" else None
        )
        page.on(
            "request", lambda request: None if request.url.startswith(OWN) else faults.append(request.url)
        )
        page.goto(file.as_uri())
        page.wait_for_selector("html[data-ready]", state="attached")
        yield page
        window.close()
        assert faults == []

    return open_page


def spread_plan(n_brokers: int, n_racks: int, n_partitions: int, factor: int = 3, n_topics: int = 40) -> Plan:
    """A cluster on the lower nine tenths of its brokers that moves a tenth of its replicas to the others."""
    rng = np.random.default_rng(7)
    old = n_brokers * 9 // 10
    brokers = Brokers.of(
        np.arange(n_brokers), {k: f"zone-{k % n_racks}" for k in range(n_brokers)} if n_racks else None
    )
    partition = np.arange(n_partitions)
    first = rng.integers(0, old, n_partitions)
    step = 1 + rng.integers(0, old // factor - 1, n_partitions)
    before = (first[:, None] + step[:, None] * np.arange(factor)) % old
    topics = np.array([f"topic-{k:03d}" for k in range(n_topics)], dtype=object)
    cluster = build_cluster(
        "spread",
        brokers,
        topics[partition % n_topics],
        partition // n_topics,
        before,
        size_bytes=rng.lognormal(20, 1, n_partitions) if n_racks else None,
    )
    target = cluster.replicas.copy()
    moving = np.flatnonzero(rng.random(n_partitions) < 0.1 * factor)
    target[moving, factor - 1] = old + moving % (n_brokers - old)
    led = moving[::2]
    target[led, 0], target[led, 1] = cluster.replicas[led, 1], cluster.replicas[led, 0]
    moves = data_moves(cluster.replicas, target)
    return Plan(
        cluster,
        target,
        np.ones(n_brokers, dtype=bool),
        certificate=(Level("moves", moves, moves, "flow-dual"),),
        why=dict.fromkeys(moving.tolist(), "broker is above its share"),
    )


@pytest.fixture(scope="session")
def two_racks() -> Plan:
    """20 brokers in 2 racks."""
    return spread_plan(20, 2, 1_400, factor=2)


@pytest.fixture(scope="session")
def growth() -> Plan:
    """40 brokers, no racks, no sizes, 263,577 replicas."""
    return spread_plan(40, 0, 87_859)


@pytest.fixture(scope="session")
def large() -> Plan:
    """216 brokers in 3 racks, 600,000 replicas, about 60,000 changes."""
    return spread_plan(216, 3, 200_000, n_topics=400)
