"""The site of the docs: built by `make docs`, and read from its folder without asking anyone."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import TimeoutError
from tests.browser.conftest import OWN

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
BROKEN = "[...document.images].filter((one) => one.complete && !one.naturalWidth).map((one) => one.src)"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages, by `make docs`."""
    out = tmp_path_factory.mktemp("site")
    subprocess.run(["make", "docs", f"SITE={out}"], cwd=ROOT, check=True, timeout=500)
    return out


def test_no_page_asks_anyone_for_anything(site: Path, browser: Browser) -> None:
    """Each is opened; every picture of it is there and no script fails."""
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    asked: list[str] = []
    page.on("request", lambda request: None if request.url.startswith(OWN) else asked.append(request.url))
    page.on("pageerror", lambda error: asked.append(f"script error: {error}"))
    opened = sorted(site.rglob("*.html"))
    assert len(opened) > 50
    for file in opened:
        page.goto(file.as_uri())
        assert page.evaluate(BROKEN) == [], file
        assert page.locator("h1").count() >= 1, file
    assert asked == []


def test_search_from_a_folder(site: Path, browser: Browser) -> None:
    """Words are found without a server, and a click on what was found leads there.

    The page makes its index itself: seconds, and many on a busy machine. What is typed before its script
    listens is lost, so it is typed again.
    """
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.goto((site / "start.html").as_uri())
    words = page.locator(".md-search__input")
    found = page.locator('.md-search-result__item a[href$="goals/failover.html"]')
    for _ in range(12):
        words.fill("")
        words.press_sequentially("failover")
        with suppress(TimeoutError):
            found.wait_for(timeout=20_000)
            break
    found.click()
    page.wait_for_url("**/goals/failover.html*")
