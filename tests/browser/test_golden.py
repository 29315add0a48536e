"""The report and the page look as they did when somebody last looked at them: pictures, compared by pixels.

``UPDATE_GOLDEN=1`` writes them anew. Letters may be smoothed a little differently elsewhere: a pixel differs
by much alone, and some may.
"""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.browser.access import WINDOWS
from tests.browser.test_serve import served

from equipoise.report import plan_page
from equipoise.scheduling import schedule

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from equipoise.cluster import Plan

pytestmark = pytest.mark.browser

GOLDEN = Path(__file__).parents[1] / "golden" / "pictures"
HEIGHT = 1_300
"""Pixels from the top: the verdict, the figures, the first charts."""
MOST = 0.002
"""Part of all pixels that may differ."""
DIFFERENT = """async (pictures) => {
  const pixels = await Promise.all(pictures.map(async (data) => {
    const picture = new Image();
    picture.src = `data:image/png;base64,${data}`;
    await picture.decode();
    const pen = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
    pen.drawImage(picture, 0, 0);
    return pen.getImageData(0, 0, picture.width, picture.height);
  }));
  const [ours, golden] = pixels;
  if (ours.width !== golden.width || ours.height !== golden.height) return 1;
  let different = 0;
  for (let k = 0; k < ours.data.length; k += 4) {
    different += [0, 1, 2].some((c) => Math.abs(ours.data[k + c] - golden.data[k + c]) > 64);
  }
  return different / (ours.width * ours.height);
}"""
"""The part of pixels that differ by a quarter of a colour's range; 1 for another size."""


def name_of(window: dict[str, Any]) -> str:
    return f"{window['viewport']['width']}-{window['color_scheme']}"


def assert_looks_as_before(page: Page, name: str, scratch: Path) -> None:
    """The top of the page beside the golden picture."""
    size = page.viewport_size
    assert size is not None
    page.set_viewport_size({"width": size["width"], "height": HEIGHT})
    page.evaluate("scrollTo(0, 0); document.activeElement.blur()")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    taken, golden = page.screenshot(), GOLDEN / f"{name}.png"
    if os.environ.get("UPDATE_GOLDEN"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_bytes(taken)
    (scratch / f"{name}.png").write_bytes(taken)
    part = different(page, taken, golden.read_bytes())
    assert part <= MOST, f"{part:.2%} of {scratch / name}.png differ from {golden}; UPDATE_GOLDEN=1 writes it"


def different(page: Page, *pictures: bytes) -> float:
    """The part of pixels that differ, found in a page of its own."""
    beside = page.context.new_page()
    part = beside.evaluate(DIFFERENT, [base64.b64encode(picture).decode() for picture in pictures])
    beside.close()
    return float(part)


@pytest.mark.parametrize("window", WINDOWS, ids=name_of)
def test_report(window: dict[str, Any], two_racks: Plan, opened: Any, tmp_path: Path) -> None:
    """Of a cluster that no planner touches: only the look can change."""
    waves = schedule(two_racks, max_inflight=40, throttle=5e7)
    with opened(plan_page(two_racks, waves), **window) as page:
        assert_looks_as_before(page, f"report-{name_of(window)}", tmp_path)


@pytest.mark.parametrize("window", WINDOWS, ids=name_of)
def test_page(window: dict[str, Any], browser: Browser, service: str, tmp_path: Path) -> None:
    """Of `serve`, with its example."""
    context = browser.new_context(**window)
    page = context.new_page()
    page.goto(service)
    page.wait_for_selector("html[data-ready]", state="attached")
    page.click("#s-example")
    page.wait_for_selector("#s-cluster:visible")
    page.wait_for_selector("#s-busy", state="hidden")
    assert_looks_as_before(page, f"serve-{name_of(window)}", tmp_path)
    context.close()


@pytest.fixture(scope="module")
def service() -> Any:
    with served() as address:
        yield address


def test_a_change_that_can_be_seen_is_found(two_racks: Plan, opened: Any, tmp_path: Path) -> None:
    """A chart without its bars is another picture, and so is one sentence."""
    waves = schedule(two_racks, max_inflight=40, throttle=5e7)
    with opened(plan_page(two_racks, waves), viewport={"width": 1280, "height": HEIGHT}) as page:
        whole = page.screenshot()
        assert different(page, whole, whole) == 0
        page.evaluate("document.querySelector('.clause').style.visibility = 'hidden'")
        assert different(page, whole, page.screenshot()) > MOST
        page.evaluate("document.querySelector('.clause').style.visibility = 'visible'")
        page.evaluate("document.querySelector('.chart').style.visibility = 'hidden'")
        assert different(page, whole, page.screenshot()) > MOST
