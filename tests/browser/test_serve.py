"""The page of ``equipoise serve`` in a browser, with the real service behind it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.browser.access import WINDOWS, assert_by_keyboard, assert_for_everyone
from typer.testing import CliRunner

from equipoise.cli.main import app

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
FILES = ("topics.txt", "racks.txt", "log-dirs.txt.gz")
RACKS = [ROOT / "examples" / "fleet" / "racks" / name for name in FILES]
ORDERS = (ROOT / "examples" / "orders.txt").read_text(encoding="utf-8")
COLOURS = """box => {
  const canvas = box.querySelector("canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return new Set(new Uint32Array(data.buffer)).size;
}"""
DROP = """([selector, name, text]) => {
  const carried = new DataTransfer();
  carried.items.add(new File([text], name, { type: "text/plain" }));
  const drop = new DragEvent("drop", { dataTransfer: carried, bubbles: true });
  document.querySelector(selector).dispatchEvent(drop);
}"""
HELD_BACK = """(part) => {
  const fetched = window.fetch, gate = new Promise((open) => { window.letGo = open; });
  window.fetch = async (what, how) => {
    if (`${what}`.includes(part)) await gate;
    return fetched(what, how);
  };
}"""
"""A part of the answer comes only when ``letGo`` is called."""
DONE = ":visible:not([aria-busy=true])"
"""An answer that is there as a whole, with its links and where the keyboard goes on."""
TOKEN = "of-the-tests"


@contextmanager
def served(*options: str) -> Iterator[str]:
    """The address of a service on a free port; ended as with Ctrl-C."""
    command = [sys.executable, "-m", "equipoise.cli.main", "serve", "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().split()[-1]
        process.terminate()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served() as found:
        yield found


@pytest.fixture
def visited(browser: Browser, address: str) -> Callable[..., object]:
    """Opens the page; on the way out it fails for any script error and for any request elsewhere."""

    @contextmanager
    def visit(where: str = address, **context: object) -> Iterator[Page]:
        faults: list[str] = []
        window = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **context})
        page = window.new_page()
        own = (where.partition("#")[0], "data:", "blob:")
        page.on("pageerror", lambda error: faults.append(f"script error: {error}"))
        page.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
        page.on("request", lambda asked: None if asked.url.startswith(own) else faults.append(asked.url))
        page.goto(where)
        page.wait_for_selector("html[data-ready]", state="attached")
        yield page
        window.close()
        assert faults == []

    return visit


def assert_fits(page: Page) -> None:
    """Nothing is wider than the window."""
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_drop_drain_slide_download_and_check(visited, tmp_path):
    """The whole way: files, the cluster, a broker to empty, a smaller budget, a plan that is proved."""
    with visited() as page:
        page.set_input_files("#s-files", RACKS)
        page.wait_for_selector("#s-cluster:visible")
        assert "12 brokers in 3 racks" in page.inner_text("#s-counts")
        assert page.locator('[data-chart="loads"]').evaluate(COLOURS) > 5
        page.check('[aria-label="empty broker 4"]')
        page.click("#s-frontier")
        page.wait_for_selector(f"#s-budgets{DONE}")
        assert page.locator("#s-curve").evaluate(COLOURS) > 5
        figures = page.inner_text("#s-point")
        page.focus("#s-budget")
        page.keyboard.press("ArrowLeft")
        assert page.inner_text("#s-point") != figures
        moves = page.locator("#s-point .card:nth-child(2) dd").evaluate("box => box.firstChild.textContent")
        page.click("#s-take")
        page.wait_for_selector(f"#s-result{DONE}")
        assert page.input_value("#o-moves") == moves
        for chart in page.query_selector_all("#s-report .chart"):
            assert chart.evaluate(COLOURS) > 5, chart.get_attribute("aria-label")
        page.fill("#search", "broker 4 is drained")
        assert page.locator("#moves tbody tr").count() > 0
        command = page.inner_text("#s-command")
        asked = f"--max-moves {moves} --drain 4 --out cluster-plan"
        assert command == f"equipoise plan {' '.join(FILES)} {asked}"
        for link, name in (("The plan folder (zip)", "plan.zip"), ("reassignment.json", "moved.json")):
            with page.expect_download() as download:
                page.click(f"#s-downloads a:text-is('{link}')")
            download.value.save_as(tmp_path / name)
        assert_fits(page)
    with zipfile.ZipFile(tmp_path / "plan.zip") as archive:
        archive.extractall(tmp_path)
    for words in (["cluster-plan"], ["moved.json", *map(str, RACKS), "--drain", "4", "--max-moves", moves]):
        words[0] = str(tmp_path / words[0])
        result = CliRunner().invoke(app(), ["check", *words, "--no-optimum", "--json"])
        assert result.exit_code == 0, result.output
        assert json.loads(result.stdout)["data_moves"] <= int(moves)


def test_a_dropped_text_and_a_mistake(visited):
    """A describe text is dropped on the page; what cannot be read is said, and the next text mends it."""
    with visited() as page:
        page.evaluate(DROP, ["#s-drop", "topics.txt", ORDERS])
        page.wait_for_selector("#s-cluster:visible")
        assert "no racks are known" in page.inner_text("#s-as-it-is")
        page.click('[aria-label="remove topics.txt"]')
        page.wait_for_selector("#s-cluster", state="hidden")
        page.fill("#s-text", "<b>what</b> is this")
        page.wait_for_selector("#s-fault:visible")
        assert "the format is not known" in page.inner_text("#s-fault")
        assert page.locator("#s-fault b").count() == 0


def test_a_plan_of_other_wishes_is_hidden(visited):
    """It comes back with the wishes that it was made for; what can be downloaded is never of other ones."""
    with visited() as page:
        page.fill("#s-text", ORDERS)
        page.wait_for_selector("#s-cluster:visible")
        page.click("#s-plan")
        page.wait_for_selector(f"#s-result{DONE}")
        page.check('[aria-label="empty broker 5"]')
        page.wait_for_selector("#s-result", state="hidden")
        assert "the plan" in page.inner_text("#s-earlier")
        page.uncheck('[aria-label="empty broker 5"]')
        page.wait_for_selector(f"#s-result{DONE}")
        assert page.locator("#s-earlier:visible").count() == 0
        page.fill("#o-throttle", "50MB")
        page.wait_for_selector("#s-result", state="hidden")
        page.click("#s-plan")
        page.wait_for_selector(f"#s-result{DONE}")
        assert "--throttle 50MB" in page.inner_text("#s-command")


def test_a_dropped_folder(visited, tmp_path):
    """What `snapshot` leaves is read as the command line reads it, and gives the cluster its name."""
    folder = tmp_path / "payments"
    folder.mkdir()
    for file in RACKS:
        (folder / file.name).write_bytes(file.read_bytes())
    (folder / "README.md").write_text("not a source", encoding="utf-8")
    with visited() as page:
        drop_on(page, folder)
        page.wait_for_selector("#s-cluster:visible")
        assert page.inner_text("#s-name") == "payments"
        assert "12 brokers in 3 racks" in page.inner_text("#s-counts")
        page.click('[aria-label="remove payments/racks.txt"]')
        page.wait_for_selector("#s-counts:has-text('9 brokers ·')")
        (folder / "empty").mkdir()
        drop_on(page, folder / "empty")
        page.wait_for_selector("#s-fault:visible")
        assert "no file" in page.inner_text("#s-fault")


def drop_on(page: Page, path: Path) -> None:
    """A file or a folder from outside the browser, dropped on the page as a hand does it."""
    devtools = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(path)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        devtools.send("Input.dispatchDragEvent", {"type": kind, "x": 300, "y": 300, "data": data})


def test_what_was_asked_before_is_ended(visited):
    """By a change of what is given, and by Cancel: no word of it comes any more."""
    with visited() as page:
        page.set_input_files("#s-files", RACKS)
        page.wait_for_selector("#s-cluster:visible")
        page.click("#s-frontier")
        page.click('[aria-label="remove racks.txt"]')
        page.wait_for_selector("#s-counts:has-text('9 brokers ·')")
        page.click("#s-frontier")
        page.wait_for_selector("#s-busy:visible")
        page.click("#s-cancel")
        page.wait_for_selector("#s-busy", state="hidden")
        page.wait_for_timeout(1_000)  # a poll of what was cancelled would have come by now
        assert page.locator("#s-fault:visible, #s-budgets:visible").count() == 0


def test_racks_and_another_tools_plan(visited):
    """Racks that are written in go into the request; another tool's JSON is judged beside the best plan."""
    with visited() as page:
        page.fill("#s-text", ORDERS)
        page.wait_for_selector("#s-cluster:visible")
        for broker in range(1, 6):
            page.fill(f'[aria-label="rack of broker {broker}"]', "ab"[broker % 2])
        page.click("#s-plan")
        page.wait_for_selector(f"#s-result{DONE}")
        assert "--racks 1:b,2:a,3:b,4:a,5:b" in page.inner_text("#s-command")
        theirs = {"version": 1, "partitions": [{"topic": "orders", "partition": 4, "replicas": [2, 1, 1]}]}
        page.fill("#s-theirs", json.dumps(theirs))
        page.click("#s-judge")
        page.wait_for_selector("#s-verdict .badge")
        assert "orders-4: broker 1 is in the replica list twice" in page.inner_text("#s-verdict")
        theirs["partitions"][0]["replicas"] = [2, 1, 3]
        page.fill("#s-theirs", json.dumps(theirs))
        page.click("#s-judge")
        page.wait_for_selector("#s-verdict .badge.best")
        assert page.inner_text("#s-verdict").startswith("no rule is broken")


def test_sentences_name_what_is_on_the_page(visited):
    """Warnings, refusals and reports name the fields of the page, not options of a terminal."""
    alive = re.sub(r"(?<=Isr: )[\d,]+", lambda isr: isr[0].replace("5,", "").replace(",5", ""), ORDERS)
    dead = alive.replace("Leader: 5", "Leader: 1")
    with visited() as page:
        page.fill("#s-text", dead)
        page.wait_for_selector("#s-cluster:visible")
        told = page.inner_text("#s-as-it-is")
        assert "“empty it” at broker 5 moves" in told
        assert "“Take as alive: 5” plans as if it were up" in told
        assert "give racks with “rack”" in told
        assert "--" not in told
        page.click("#s-more summary")
        page.fill("#o-alive", "44")
        page.click("#s-plan")
        page.wait_for_selector("#s-fault:visible")
        assert page.inner_text("#s-fault p").startswith("“Take as alive”: ")
        page.fill("#o-alive", "")
        page.check('[aria-label="empty broker 5"]')
        page.click("#s-frontier")
        page.wait_for_selector(f"#s-budgets{DONE}")
        assert "“Data moves at most” allows 0" in page.inner_text("#s-small")
        page.click("#s-plan")
        page.wait_for_selector(f"#s-result{DONE}")
        assert "--drain 5" in page.inner_text("#s-command")  # what is to be copied stays as it is
        assert "give racks with “rack”" in page.inner_text("#s-report .note >> nth=0")


def test_an_answer_of_which_a_part_is_late(visited):
    """Until all of it is there the section says that it is busy, and the keyboard stays where it was."""
    with visited() as page:
        page.fill("#s-text", ORDERS)
        page.wait_for_selector("#s-cluster:visible")
        page.evaluate(HELD_BACK, "plan.zip")
        page.click("#s-plan")
        page.wait_for_selector("#s-result[aria-busy=true]:visible")
        assert page.evaluate("document.activeElement.textContent") != "The plan"
        page.evaluate("letGo()")
        page.wait_for_selector(f"#s-result{DONE}")
        assert page.evaluate("document.activeElement.textContent") == "The plan"
        assert page.locator("#s-downloads a").count() == 3


def test_by_keyboard_alone(visited):
    """From an empty page to a plan without a mouse: Tab, Space, Enter."""
    with visited() as page:

        def tab_to(selector: str) -> None:
            for _ in range(80):
                page.keyboard.press("Tab")
                if page.evaluate("wanted => document.activeElement.matches(wanted)", selector):
                    return
            pytest.fail(f"Tab never comes to {selector}")

        tab_to("#s-example")
        page.keyboard.press("Enter")
        page.wait_for_selector("#s-cluster:visible")
        tab_to('[aria-label="empty broker 2"]')
        page.keyboard.press("Space")
        tab_to("#s-plan")
        page.keyboard.press("Enter")
        page.wait_for_selector(f"#s-result{DONE}")
        assert "--drain 2" in page.inner_text("#s-command")
        assert page.evaluate("document.activeElement.textContent") == "The plan"


@pytest.mark.parametrize("window", WINDOWS, ids=str)
def test_for_everyone(visited, window):
    """Wide and narrow, light and dark, from the empty page to a plan: drawn, whole, reached by Tab."""
    with visited(**window) as page:
        assert_for_everyone(page)
        page.click("#s-example")
        page.wait_for_selector("#s-cluster:visible")
        assert page.locator('[data-chart="loads"]').evaluate(COLOURS) > 5
        theirs = {"topic": "orders", "partition": 4, "replicas": [2, 1, 3]}
        page.fill("#s-theirs", json.dumps({"version": 1, "partitions": [theirs]}))
        page.click("#s-judge")
        page.wait_for_selector("#s-verdict .badge")
        page.click("#s-frontier")
        page.wait_for_selector(f"#s-budgets{DONE}")
        page.click("#s-compare:enabled")
        page.wait_for_selector(f"#s-compared{DONE}")
        assert "at every goal no plan does better" in page.inner_text("#s-comparison .story")
        assert page.locator('[data-chart="data_moves"]').evaluate(COLOURS) > 5
        page.click("#s-plan:enabled")
        page.wait_for_selector(f"#s-result{DONE}")
        assert_for_everyone(page)
        assert_by_keyboard(page)


def test_with_a_token(visited):
    """It comes with the address, behind the #, and leaves it; without one the page asks for it."""
    with served("--token", TOKEN) as address, visited(f"{address}#token={TOKEN}") as page:
        assert TOKEN not in page.url
        page.click("#s-example")
        page.wait_for_selector("#s-cluster:visible")
