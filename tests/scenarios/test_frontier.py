"""`equipoise frontier`: more budget never buys less, and what it says is what `plan` does."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from equipoise.cli.main import app, main
from equipoise.cluster import Brokers, Cluster, Plan, build_cluster
from equipoise.comparing.frontier import BUDGETS, Frontier, Point, frontier, shown
from equipoise.errors import UnusableInput
from equipoise.planning import Request, make_plan
from equipoise.report.frontier_data import frontier_data

FLEET = Path(__file__).parents[2] / "examples" / "fleet"


def heap() -> Cluster:
    """Forty partitions of 1 to 40 bytes, all on the first of five brokers."""
    return build_cluster(
        "heap",
        Brokers.of(range(5)),
        ["t"] * 40,
        range(40),
        [[0]] * 40,
        size_bytes=[k + 1.0 for k in range(40)],
    )


@pytest.mark.slow
def test_everything_that_is_known_has_its_first_level_shown() -> None:
    """`--balance all` names its loads first; 8 on each is level, 7 to 9 are in the band."""
    found = frontier(heap(), Request(balance=("all",)), (0, 100))
    assert (found.goal, found.unit) == ("replicas", "bytes")
    assert [point.value for point in found.points] == [31**2 + 4 * 7**2, 0]


@pytest.mark.slow
def test_every_load_of_a_mix_is_shown() -> None:
    """Those of leaders too, also where the mix begins with one; the figures are of the first other load."""
    found = frontier(heap(), Request(balance=("leaders:20:20", "count:20:20", "disk:10:10")), (0, 100))
    assert found.goal == "replicas"
    assert [list(point.levels) for point in found.points] == [["leaders", "replicas", "disk"]] * 2
    last = found.points[-1]
    assert last.levels["replicas"] == (last.value, last.lower_bound) and last.levels["disk"][0] == 0
    page = frontier_data([point.to_json() for point in found.points], found.goal, found.unit, "c", (), 100)
    assert page["columns"][-1] == "Other levels" and page["rows"][1]["cells"][-1] == "leaders 0, disk 0 B"
    drawn = page["charts"]["frontier"]
    assert drawn["knee"] == "100 %" and [name for *_, name in drawn["points"]] == ["0 %", "100 %"]
    assert "lower_bound" not in drawn  # it is one of squares, where the curve tells what brokers are apart


def test_other_loads_have_their_own_units() -> None:
    """CPU is no size, and rates are of a second."""
    levels = {"leaders": (2, 0), "disk": (0, 0), "network-in": (2048, 0), "cpu": (4_800_000, 0)}
    point = Point(100, 3, 3, 3, 0, 3, 0, 0, None, levels).to_json()
    cells = frontier_data([point], "disk", "bytes", "c")["rows"][0]["cells"]
    assert cells[-1] == "leaders 2, network-in 2.0 KiB/s, cpu 4.8 %"


@pytest.mark.slow
def test_counts_get_more_level_with_every_budget() -> None:
    """From all on one broker to eight on each; every budget of moves is kept."""
    found = frontier(heap(), Request())
    assert (found.goal, found.unit) == ("replicas", "moves")
    values = [point.value for point in found.points]
    assert values == sorted(values, reverse=True)
    assert values[-1] == 0
    assert all(point.data_moves <= point.budget for point in found.points)
    assert (found.points[0].least, found.points[0].most) == (0, 40)
    assert (found.points[-1].least, found.points[-1].most) == (8, 8)


@pytest.mark.slow
def test_loads_are_budgeted_in_bytes() -> None:
    """The level is what is outside the bands, and each budget of bytes is kept."""
    found = frontier(heap(), Request(balance=("disk",)), (0, 50, 100))
    assert (found.goal, found.unit) == ("disk", "bytes")
    assert [point.value for point in found.points] == sorted((p.value for p in found.points), reverse=True)
    assert all(point.bytes_moved <= point.budget for point in found.points)
    assert all(point.lower_bound <= point.value for point in found.points)


@pytest.mark.slow
def test_counts_are_budgeted_in_bytes_where_that_is_asked_for() -> None:
    """The light half of what moves levels more than half; without sizes there is nothing to budget."""
    found = frontier(heap(), Request(), (0, 25, 50, 100), unit="bytes")
    assert (found.goal, found.unit) == ("replicas", "bytes")
    assert [point.value for point in found.points] == sorted((p.value for p in found.points), reverse=True)
    assert all(point.bytes_moved <= point.budget for point in found.points)
    assert frontier(heap(), Request(balance=("disk",)), (0, 100), unit="moves").unit == "moves"
    bare = replace(heap(), size_bytes=np.full(40, np.nan))
    with pytest.raises(UnusableInput, match="--unit: sizes of what moves are not known"):
        frontier(bare, Request(), unit="bytes")


@pytest.mark.parametrize(
    ("values", "knee"),
    [((100, 40, 20, 10, 0), 25), ((100, 75, 50, 25, 0), None), ((100, 100, 100, 50, 0), None), ((7,), None)],
)
def test_the_knee_is_where_more_begins_to_buy_less(values: tuple[int, ...], knee: int | None) -> None:
    """Farthest below the straight line; a straight line has none, nor one that sinks only at the end."""
    points = tuple(Point(25 * k, k, data_moves=k, value=value) for k, value in enumerate(values))
    found = Frontier("replicas", "moves", points).knee
    assert (found and found.percent) == knee


@pytest.mark.slow
def test_a_point_is_the_plan_of_its_budget() -> None:
    """Half of the moves: the same level as `plan --max-moves` reaches."""
    half = frontier(heap(), Request(), (50,)).points[0]
    plan = make_plan(heap(), Request(max_moves=half.budget))
    assert half.value == next(level.value for level in plan.certificate if level.goal == "replicas")


def test_goals_that_no_figure_shows_are_left_out() -> None:
    """Nothing after ``replicas`` and ``moves`` can change a figure; what stands before them stays."""
    assert shown(("racks", "replicas", "moves", "topics", "leaders")) == ("racks", "replicas", "moves")
    assert shown(("topics", "moves", "elections", "replicas")) == ("topics", "moves", "elections", "replicas")


def test_budgets_that_the_rules_exceed_say_so() -> None:
    """Emptying the only broker in use cannot be had for nothing."""
    nothing, everything = frontier(heap(), Request(drain=(0,)), (0, 100)).points
    assert nothing.reason == "the rules need 40 data moves; --max-moves allows 0"
    assert everything.reason == ""


@pytest.mark.parametrize(
    "request_",
    [
        Request(max_moves=3),
        Request(leaders_only=True),
        Request(balance=("leaders", "network-out")),
        Request(required_only=True),
        Request(strategy="greedy"),
    ],
)
def test_requests_without_a_frontier_are_refused(request_: Request) -> None:
    """A budget of its own, or nothing that data moves would level."""
    with pytest.raises(UnusableInput, match="frontier"):
        frontier(heap(), request_)


@pytest.mark.slow
def test_table_json_and_page(tmp_path: Path) -> None:
    """The three faces tell the same; the page fetches nothing."""
    source, page = str(FLEET / "racks"), tmp_path / "frontier.html"
    options = [source, "--balance", "disk", "--budgets", "0,20,100"]
    table = CliRunner().invoke(app(), ["frontier", *options, "--html", str(page)])
    assert table.exit_code == 0, table.output
    told = CliRunner().invoke(app(), ["frontier", *options, "--json"])
    points, knee = (json.loads(told.stdout)[key] for key in ("points", "knee"))
    assert knee == 20 and "knee: 20 %" in table.stdout and "The knee is at 20 %" in page.read_text()
    assert [point["percent"] for point in points] == [0, 20, 100]
    assert points[-1]["value"] == points[-1]["lower_bound"] == 0
    for text in (table.stdout, page.read_text()):
        assert all(f"{point['data_moves']:,}" in text for point in points)
    assert "src=" not in page.read_text().split("<script", 1)[0]


@pytest.mark.slow
def test_a_row_is_printed_before_the_next_plan_is_begun(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever has seen enough need not wait for the budgets that are left."""
    seen: list[list[str]] = []

    def watched(cluster: Cluster, request: Request) -> Plan:
        lines = [line.split() for line in capsys.readouterr().out.splitlines()]
        seen.append([words[0] for words in lines if words[1:3] == ["%", "·"]])
        return make_plan(cluster, request)

    monkeypatch.setattr("equipoise.comparing.frontier.make_plan", watched)
    with pytest.raises(SystemExit):
        main(["frontier", str(FLEET / "racks"), "--budgets", "0,20,50,100"])
    assert seen == [[], [], ["0"], ["20"]]
    assert "50 % ·" in capsys.readouterr().out


def test_nothing_to_move_is_told_once(tmp_path: Path) -> None:
    """A level cluster: a row and a sentence, in the table and on the page; no bytes where none are known."""
    source, page = tmp_path / "level.json", tmp_path / "frontier.html"
    rows = [{"topic": "t", "partition": row, "replicas": [row % 3]} for row in range(6)]
    source.write_text(json.dumps({"version": 1, "partitions": rows}))
    table = CliRunner().invoke(app(), ["frontier", str(source), "--html", str(page)])
    told = json.loads(CliRunner().invoke(app(), ["frontier", str(source), "--json"]).stdout)
    assert [(point["percent"], point["bytes_moved"]) for point in told["points"]] == [(100, None)]
    assert table.stdout.count(" %") == 1 and " B" not in table.stdout
    for text in (table.stdout, page.read_text()):
        assert "Without a budget nothing is moved either, so every budget gives this." in text


@pytest.mark.parametrize("budgets", ["", "ten", "5,101", "-1"])
def test_budgets_that_cannot_be_meant(budgets: str) -> None:
    with pytest.raises(UnusableInput, match="--budgets"):
        CliRunner().invoke(
            app(), ["frontier", str(FLEET / "racks"), "--budgets", budgets], catch_exceptions=False
        )


def test_the_report_of_a_plan_shows_what_smaller_budgets_buy(tmp_path: Path) -> None:
    """With `--frontier`, the curve and the table of `equipoise frontier`; without it neither."""
    pages = []
    for name, options in (("with", ["--frontier"]), ("without", [])):
        out = tmp_path / name
        done = CliRunner().invoke(app(), ["plan", str(FLEET / "removal"), "--out", str(out), *options])
        assert done.exit_code == 0, done.output
        pages.append((out / "report.html").read_text(encoding="utf-8"))
    with_it, without = pages
    assert "What smaller budgets buy" in with_it and 'data-chart="frontier"' in with_it
    assert "Budgets are shares of what the plan without a budget moves" in with_it
    assert "What smaller budgets buy" not in without and 'data-chart="frontier"' not in without


@pytest.mark.slow
def test_the_plan_that_a_report_is_of_is_made_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """`--frontier` plans each smaller budget, and its last point is the plan itself, new brokers and all."""
    made: list[int | None] = []

    def counted(cluster: Cluster, request: Request) -> Plan:
        made.append(request.max_moves)
        return make_plan(cluster, request)

    monkeypatch.setattr("equipoise.comparing.frontier.make_plan", counted)
    source, out = str(FLEET.parent / "orders.txt"), tmp_path / "out"
    words = ["plan", source, "--add", "6,7", "--out", str(out), "--frontier", "--json"]
    done = CliRunner().invoke(app(), words, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert len(made) == len(BUDGETS) - 1 and None not in made
    moves = json.loads(done.stdout)["summary"]["data_moves"]
    page = (out / "report.html").read_text(encoding="utf-8")
    assert f'<th scope="row">100 % · {moves}</th>' in page


def test_lists_of_others_have_no_smaller_budgets(tmp_path: Path) -> None:
    """`--follow` takes lists as they are."""
    theirs = str(tmp_path / "theirs.json")
    done = CliRunner().invoke(app(), ["plan", str(FLEET / "removal"), "--follow", theirs, "--frontier"])
    assert isinstance(done.exception, UnusableInput)
    assert str(done.exception) == "--frontier: is of plans of our own. Leave out --follow"
