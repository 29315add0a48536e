"""The pages as a browser shows them: opened from a file, drawn, searched, on a phone, in the dark."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest

from equipoise.files.plan_summary import overview
from equipoise.report import compare_page, fleet_page, plan_page
from equipoise.report.plan_data import plan_data
from equipoise.scheduling import Schedule, schedule

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

COLOURS = """box => {
  const canvas = box.querySelector("canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return new Set(new Uint32Array(data.buffer)).size;
}"""
"""Colours on a chart's canvas; a blank one has a single colour."""


def assert_drawn(page: Page, charts: list[str]) -> None:
    """Every chart of the page is there, in order, and has something on it."""
    boxes = page.query_selector_all(".chart")
    assert [box.get_attribute("data-chart") for box in boxes] == charts
    for box in boxes:
        assert box.evaluate(COLOURS) > 5, box.get_attribute("aria-label")


def assert_fits(page: Page) -> None:
    """Nothing is wider than the window."""
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


@pytest.mark.parametrize("name", ["two_racks", "growth", "large"])
def test_charts_of_a_plan_are_drawn(name, request, opened):
    """Bars of replicas, leaders, failures, bytes where known, the map of moves: at every size, under 1 MB."""
    plan = request.getfixturevalue(name)
    html = plan_page(plan)
    assert len(html) < 1_000_000
    with opened(html) as page:
        sizes = [] if name == "growth" else ["size_bytes"]
        assert_drawn(page, ["replicas", "median", "leaders", "failover", *sizes, "transfers"])
        assert_fits(page)


def test_table_search(two_racks, opened):
    """The search finds topics, reasons and brokers; the kind narrows it; more rows come on demand."""
    with opened(plan_page(two_racks)) as page:
        rows = page.locator("#moves tbody tr")
        everything = len(two_racks.changed)
        assert rows.count() == 50
        page.click("#more")
        assert rows.count() == 100
        page.fill("#search", "topic-007-")
        assert 0 < rows.count() < everything
        assert all(text.startswith("topic-007-") for text in rows.locator("td:first-child").all_inner_texts())
        page.fill("#search", "ABOVE its share")
        assert page.inner_text("#count") == f"the first 50 of {everything}"
        page.fill("#search", "broker 19")
        wanted = int((two_racks.target[two_racks.changed] == 19).any(axis=1).sum())
        assert page.inner_text("#count").split(" of ")[1] == f"{wanted}"
        page.fill("#search", "no such thing")
        assert rows.count() == 0
        page.fill("#search", "")
        page.select_option(
            "#kind",
            label=next(t for t in page.locator("#kind option").all_inner_texts() if "moves data" in t),
        )
        assert set(rows.locator("td:nth-child(4)").all_inner_texts()) == {"moves data"}


def test_markup_in_names_stays_text(two_racks, opened):
    """A topic named like markup is shown as it is written, in the page and in the table of a script."""
    from dataclasses import replace

    topics = ("<img src=x onerror=alert(1)>", *two_racks.cluster.topics[1:])
    plan = replace(two_racks, cluster=replace(two_racks.cluster, topics=topics, name="</script><b>x"))
    with opened(plan_page(plan)) as page:
        page.fill("#search", "<img")
        assert page.locator("#moves tbody td").first.inner_text().startswith("<img src=x onerror=alert(1)>-")
        assert page.locator("#moves img").count() == 0
        assert page.inner_text("h1") == "</script><b>x"


def test_differences_only(two_racks, opened):
    """The switch above a chart draws it anew, from dots on an axis that does not start at 0."""
    with opened(plan_page(two_racks)) as page:
        box = page.locator('[data-chart="replicas"]')
        picture = "box => box.querySelector('canvas').toDataURL()"
        before = box.evaluate(picture)
        page.check('[data-differences="replicas"]')
        assert box.evaluate(picture) != before
        dots = box.evaluate(picture)
        page.uncheck('[data-differences="replicas"]')
        assert box.evaluate(picture) != dots


def test_tables_sort(two_racks, opened):
    """A click on a heading sorts by number, a second one the other way round; screen readers are told."""
    with opened(plan_page(two_racks)) as page:
        page.click("summary")
        column = page.locator("#broker-table tbody tr td:nth-child(4)")
        heading = page.locator("#broker-table thead th:nth-child(4)")
        for direction in ("ascending", "descending"):
            heading.locator("button").click()
            values = [int(text.replace(",", "")) for text in column.all_inner_texts()]
            assert values == sorted(values, reverse=direction == "descending")
            assert heading.get_attribute("aria-sort") == direction


def test_a_click_on_a_broker_shows_its_changes(two_racks, opened):
    """On its bars or where they would be, and by the keyboard from the table of brokers."""
    changed = two_racks.changed
    sides = two_racks.cluster.replicas[changed], two_racks.target[changed]
    with opened(plan_page(two_racks)) as page:
        box = page.locator('[data-chart="replicas"]')
        box.scroll_into_view_if_needed()
        place = box.bounding_box()
        assert place is not None
        page.mouse.click(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
        broker = int(page.input_value("#search").removeprefix("broker "))
        at = two_racks.cluster.brokers.ids.tolist().index(broker)
        wanted = int(np.any([(side == at).any(axis=1) for side in sides], axis=0).sum())
        assert page.inner_text("#count").split(" of ")[1] == f"{wanted}"
        page.click("summary")
        page.focus('[data-broker="19"]')
        page.keyboard.press("Enter")
        assert page.input_value("#search") == "broker 19"


def test_a_click_on_a_cell_or_a_wave_shows_its_changes(two_racks, opened):
    """The cell of two brokers lists as many changes as it counts, the bar of a wave those of the wave."""
    waves = schedule(two_racks, max_inflight=40, throttle=5e7)
    data = plan_data(two_racks, waves)
    heat = data["charts"]["transfers"]
    with opened(plan_page(two_racks, waves)) as page:
        click_in(page, "waves", 0, 1)
        assert page.input_value("#search") == "wave 2"
        assert page.inner_text("#count") == f"{len(waves.waves[1])} shown"
        to, source, count = heat["cells"][:3]
        click_in(page, "transfers", to, source)
        assert page.input_value("#search") == f"broker {heat['from'][source]} → {heat['to'][to]}"
        assert page.inner_text("#count").split()[-2 if count <= 50 else -1] == str(count)


def click_in(page, chart, x, y):
    """Where a chart has these coordinates."""
    box = page.locator(f'[data-chart="{chart}"]')
    box.scroll_into_view_if_needed()
    where = "(box, at) => echarts.getInstanceByDom(box).convertToPixel({ gridIndex: 0 }, at)"
    across, down = box.evaluate(where, [x, y])
    place = box.bounding_box()
    page.mouse.click(place["x"] + across, place["y"] + down)


def test_printing_unfolds(two_racks, opened):
    """What is folded is unfolded for it and folded again; a table that is cut says so."""
    with opened(plan_page(two_racks)) as page:
        page.emulate_media(media="print")
        folded = page.locator("details:not([open])").count()
        assert folded > 0
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.locator("details:not([open])").count() == 0
        assert page.locator("#count").is_visible() and not page.locator("#search").is_visible()
        assert page.inner_text("#count") == f"the first 50 of {len(two_racks.changed)}"
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert page.locator("details:not([open])").count() == folded


def test_changes_sort(two_racks, opened):
    """All of them, not only those that are in the page yet; names by their numbers."""
    with opened(plan_page(two_racks)) as page:
        heading = page.locator("#moves thead th:nth-child(1)")
        names = page.locator("#moves tbody tr td:first-child")
        heading.locator("button").click()
        labels = [two_racks.cluster.label(int(row)) for row in two_racks.changed]
        assert names.first.inner_text() == labels[0] and heading.get_attribute("aria-sort") == "ascending"
        heading.locator("button").click()
        assert names.first.inner_text() == labels[-1] and heading.get_attribute("aria-sort") == "descending"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_phone(large, opened, scheme):
    """On a phone, in either colour scheme, everything is drawn and nothing sticks out."""
    with opened(plan_page(large), viewport={"width": 390, "height": 844}, color_scheme=scheme) as page:
        assert_drawn(page, ["replicas", "median", "leaders", "failover", "size_bytes", "transfers"])
        assert_fits(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast(two_racks, opened, scheme):
    """Text stands out from its ground by at least 4.5 to 1 (WCAG 2.2, 1.4.3), in both colour schemes."""
    measured = """() => {
      const style = getComputedStyle(document.documentElement);
      const light = (name) => {
        const hex = style.getPropertyValue(`--${name}`).trim().slice(1);
        const [r, g, b] = [0, 2, 4].map((k) => parseInt(hex.slice(k, k + 2), 16) / 255)
          .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const pairs = [["ink", "paper"], ["ink", "card"],
        ["muted", "paper"], ["muted", "card"], ["muted", "tint"],
        ["after", "card"], ["good", "good-tint"], ["warn", "warn-tint"], ["good", "card"]];
      return Object.fromEntries(pairs.map(([text, ground]) => {
        const [a, b] = [light(text), light(ground)].sort((x, y) => y - x);
        return [`${text} on ${ground}`, (a + 0.05) / (b + 0.05)];
      }));
    }"""
    with opened(plan_page(two_racks), color_scheme=scheme) as page:
        assert {pair: ratio for pair, ratio in page.evaluate(measured).items() if ratio < 4.5} == {}


def test_waves_are_drawn(two_racks, opened):
    """A plan with a schedule shows the time of each wave beside the bound."""
    waves = tuple(np.array_split(two_racks.changed, 12))
    schedule = Schedule(
        two_racks,
        order=two_racks.changed,
        waves=waves,
        max_inflight=40,
        throttle_bytes_per_s=5e7,
        unit="bytes",
        wave_seconds=np.linspace(10, 4000, 12),
        seconds=9000.0,
        copy_seconds=8996.0,
        bound_seconds=8800.0,
        gap=0.0227,
        bottleneck="broker 3, inbound",
    )
    with opened(plan_page(two_racks, schedule)) as page:
        assert_drawn(page, ["replicas", "median", "leaders", "failover", "size_bytes", "transfers", "waves"])
        assert "2 h 30 min" in page.inner_text("#time")
        assert "broker 3, inbound" in page.inner_text("#time")


def test_plan_without_changes(two_racks, opened):
    """An empty plan is a page without moves, and says so."""
    from dataclasses import replace

    with opened(plan_page(replace(two_racks, target=two_racks.cluster.replicas))) as page:
        assert_drawn(page, ["replicas", "median", "leaders", "failover", "size_bytes"])
        assert "Nothing to do" in page.inner_text("main")


def test_fleet(two_racks, growth, opened):
    """A row for each cluster with its drawing and link; a search; what was set aside is listed."""
    rows = [overview(two_racks) | {"cluster": f"cluster-{k}"} for k in range(70)]
    rows.append(overview(growth) | {"group": "big"})
    history = [
        {"run": datetime(2026, 1, day, tzinfo=UTC), "cluster": "growth", "disk_bytes": 1e9 * day}
        | {"bytes_in_per_s": None, "data_moves": day}
        for day in (1, 2)
    ]
    quarantine = [
        {"cluster": "messy", "file": "topics.txt", "line": 3, "text": "<b>?", "reason": "not a number"},
        {"cluster": "messy", "file": "a.csv", "place": "7 samples", "text": "x" * 150, "reason": "no time"},
    ]
    clusters = [*rows, {"cluster": "messy", "reason": "no partitions are left"}]
    with opened(fleet_page(clusters, quarantine, {"seconds": 12.0}, (), None, history)) as page:
        assert_drawn(page, ["spread", "moves"])
        assert_fits(page)
        assert page.locator("#fleet tbody svg").count() == 71
        page.get_by_label("Find a cluster").fill("cluster-69")
        assert page.locator("#fleet tbody tr:visible").count() == 1
        assert (
            page.locator("#fleet tbody tr:visible a").get_attribute("href")
            == "clusters/cluster-69/report.html"
        )
        page.get_by_label("Find a cluster").fill("")
        page.locator("select[name=outcome]").select_option("no plan")
        assert page.locator("#fleet tbody tr:visible").count() == 1
        assert "no partitions are left" in page.inner_text("#fleet")
        page.locator("select[name=outcome]").select_option("")
        page.locator("select[name=group]").select_option("big")
        assert page.locator("#fleet tbody tr:visible").count() == 1
        assert page.locator("#trends svg").count() == 2
        assert "<b>?" in page.inner_text("#quarantine")
        assert "no time (7 samples)" in page.inner_text("#quarantine")


def strategy_row(name: str, k: int) -> dict[str, object]:
    """One strategy of a comparison, worse the greater ``k``."""
    return {
        "strategy": name,
        "spread": 1 + k * 7,
        "same_twice": k == 0,
        "data_moves": 100 + k,
        "bytes_moved": 2**34 * (k + 1),
        "leadership_changes": 9 - k,
        "moves_on_second_run": k,
        "seconds": 0.1 * (k + 1),
        "distance_to_bound": k / 10,
    }


def test_comparison(opened):
    """Strategies side by side: a table that sorts, bars for each number, cost against what is reached."""
    rows = [strategy_row(name, k) for k, name in enumerate(("flow", "greedy", "wix"))]
    rows.append({"strategy": "permutations", "reason": "120 brokers are too many"})
    criteria = [
        {"key": "spread", "title": "Replica spread"},
        {"key": "same_twice", "title": "Same twice", "better": "high"},
    ]
    costs = ["data_moves", "bytes_moved", "leadership_changes", "moves_on_second_run", "distance_to_bound"]
    with opened(compare_page(rows, criteria, "orders")) as page:
        assert_drawn(page, ["cost", "spread", *costs, "seconds"])
        assert_fits(page)
        page.click("#strategies thead th:nth-child(2) button")
        page.click("#strategies thead th:nth-child(2) button")
        order = page.locator("#strategies tbody th").all_inner_texts()
        assert order == ["wix", "greedy", "flow\nEquipoise", "permutations"]


def test_names_of_points_never_meet(opened):
    """Strategies that reach and cost the same stand in one spot: each name has its own line beside it."""
    rows = [strategy_row(name, 0) for name in ("flow", "appier", "greedy", "wix", "generate")]
    place = """count => placeNames(
        Array.from({ length: count }, (_, k) => ({ x: 40 + k % 3, y: 300, width: 80 + k })),
        { top: 0, bottom: 310, right: 400 },
    )"""
    with opened(compare_page(rows, [{"key": "spread", "title": "Replica spread"}], "orders")) as page:
        places = page.evaluate(place, 15)
        heights = sorted(at["y"] for at in places)
        assert all(b - a >= 16 for a, b in pairwise(heights))
        assert heights[0] >= 8
        assert heights[-1] <= 302
        assert max(at["y"] for at in places[:1]) == 300  # ours first, so nearest
        assert page.evaluate(place, 30).count(None) == 11  # no room: named when pointed at


def test_prints(two_racks, opened):
    """Printed, the page keeps its sections and leaves out what only works on a screen."""
    with opened(plan_page(two_racks)) as page:
        page.emulate_media(media="print")
        assert page.locator(".tools :is(input, select, button):visible").count() == 0
        assert page.locator("section:visible").count() >= 6
        assert len(page.pdf(format="A4")) > 20_000
