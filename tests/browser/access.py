"""What holds for all who read a page: with a screen reader, by keyboard alone, on a phone, in the dark."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from itertools import product
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Page

WINDOWS = [
    {"viewport": {"width": width, "height": 900}, "color_scheme": scheme}
    for width, scheme in product((1280, 400), ("light", "dark"))
]
"""Contexts of a browser: wide and narrow, light and dark."""

CUT = """() => [...document.querySelectorAll("body *")]
  .filter((box) => box.clientWidth && box.scrollWidth > box.clientWidth + 1 && box.tagName !== "TEXTAREA")
  .filter((box) => ["auto", "scroll", "hidden", "clip"].includes(getComputedStyle(box).overflowX))
  .filter((box) => box.checkVisibility() && !getComputedStyle(box).clipPath.startsWith("inset"))
  .map((box) => `${box.id || box.className || box.tagName}: ${box.scrollWidth} in ${box.clientWidth}`)"""
"""Boxes that hide a part of what is in them to the right; fields for text may, and what is for ears alone."""

CONTROLS = """() => {
  const kinds = "a[href], button, input, select, textarea, summary, [tabindex]";
  const there = [...document.querySelectorAll(kinds)]
    .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled && one.tabIndex >= 0);
  there.forEach((one, k) => { one.dataset.control = k; });
  return there.map((one) => one.outerHTML.slice(0, 120));
}"""
"""Numbers every control that is to be seen, and lists them."""

FOCUSED = """() => {
  const one = document.activeElement, style = getComputedStyle(one), place = one.getBoundingClientRect();
  const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1;
  return [Number(one.dataset.control ?? -1), ring, place.bottom > 0 && place.top < innerHeight];
}"""
"""The number of the control that has the focus, whether it shows that, and whether it is in the window."""


@cache
def axe() -> str:
    """The script of axe-core."""
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


def findings(page: Page) -> list[str]:
    """What axe-core calls serious or critical, each with its first place."""
    page.evaluate(axe())
    found: list[dict[str, Any]] = page.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"]
    return [
        f"{one['id']}: {one['help']}, {len(one['nodes'])} places: {one['nodes'][0]['html'][:160]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


def assert_for_everyone(page: Page) -> None:
    """No serious finding, and nothing that is cut off or wider than the window; with everything unfolded."""
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert page.evaluate(CUT) == []
    assert findings(page) == []


def assert_by_keyboard(page: Page) -> None:
    """Tab comes to every control, into the window, and each shows that it is there."""
    page.emulate_media(reduced_motion="reduce")  # what is scrolled to is there at once
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    controls = page.evaluate(CONTROLS)
    assert controls
    reached = set()
    for _ in range(len(controls) + 5):
        page.keyboard.press("Tab")
        number, ring, seen = page.evaluate(FOCUSED)
        if number >= 0:
            assert ring, f"no focus is shown: {controls[number]}"
            assert seen, f"is outside the window: {controls[number]}"
            reached.add(number)
    assert [controls[k] for k in range(len(controls)) if k not in reached] == []
