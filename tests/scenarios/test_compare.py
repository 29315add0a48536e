"""All strategies side by side, and every figure measured: the rows, the command, its page and its JSON."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

from equipoise.cli.main import app, main
from equipoise.cluster import Brokers, Cluster, build_cluster
from equipoise.comparing import run as running
from equipoise.comparing.measured import Row, measure
from equipoise.comparing.run import Entry, compare, entries
from equipoise.planning.problem.request import Request
from equipoise.planning.published.interface import STRATEGIES
from equipoise.planning.request.laying import build_problem

DEMONSTRATION = [[7, 18], [8, 19], [9, 10], [0, 11], [1, 12], [2, 13], [3, 14], [4, 15], [5, 16], [6, 17]]
"""killerwhile, "Kafka Partitions Assignment Optimizer": ten partitions on brokers 0 to 19 in two zones."""


def demonstration(racks: bool = True) -> Cluster:
    brokers = Brokers.of(range(20), {b: "ab"[b % 2] for b in range(20)} if racks else None)
    return build_cluster("demonstration", brokers, ["x.y.z.t"] * 10, range(10), DEMONSTRATION)


@pytest.fixture(scope="module")
def rows():
    """The demonstration of the text: broker 19 is to be removed."""
    cluster, request = demonstration(), Request(drain=(19,))
    listed = entries(cluster, request, 60)
    return {row.strategy: row for row in compare(cluster, request, listed, time_limit_s=60)}


@pytest.mark.slow
def test_every_strategy_has_a_row(rows):
    """Ours first, then the published ones; sizes are unknown, so `bin-packing` packs by count alone."""
    assert [label for label in rows if "(" not in label] == ["flow", *STRATEGIES]
    assert [label for label in rows if "(" in label] == ["appier (unchecked)", "wix (fine tuning)"]


@pytest.mark.slow
def test_one_move_is_enough_and_generate_moves_nearly_everything(rows):
    """The text's point, measured: `--generate` moves 18 of 20 replicas, the program and ours one."""
    assert rows["flow"].data_moves == rows["linear-program"].data_moves == 1
    assert rows["generate"].data_moves == 18
    assert (rows["generate"].falls_behind_at, rows["generate"].above_bound) == ("moves", 17)
    assert (rows["flow"].falls_behind_at, rows["flow"].above_bound) == ("", 0)


@pytest.mark.slow
def test_rules_of_racks_are_measured_not_asserted(rows):
    """Tools that know no racks put the replica into its leader's rack, and fall behind there."""
    assert rows["flow"].rack_violations == rows["greedy-racks"].rack_violations == 0
    assert rows["greedy"].rack_violations == 1
    assert rows["greedy"].falls_behind_at == "racks"


@pytest.mark.slow
def test_a_second_run_leaves_ours_alone_and_generate_moves_all_again(rows):
    """Criterion five, both halves: the same output, and no moves on a second run."""
    assert rows["flow"].same_twice is True
    assert (rows["flow"].moves_on_second_run, rows["flow"].changes_on_second_run) == (0, 0)
    assert rows["generate"].same_twice is False
    assert rows["generate"].moves_on_second_run > 0


def test_who_finds_no_plan_says_why(rows):
    """A strategy that only reorders cannot empty a broker; its row has a reason and no figures."""
    assert rows["pinterest"].reason == "it moves no data, so it empties no broker"
    assert rows["pinterest"].data_moves is None
    assert "sizes" in rows["capacity"].reason


def test_figures_are_those_of_a_hand_count():
    """One replica moves and one leader changes: each figure counted on the fingers."""
    lists, sizes = [[1, 2], [1, 2]], [10.0, 4.0]
    cluster = build_cluster("c", Brokers.of([1, 2, 3]), ["t"] * 2, range(2), lists, size_bytes=sizes)
    problem = build_problem(cluster, Request())
    figures = measure(problem, cluster.brokers.index_of([[1, 2], [2, 3]]))
    expected = {"replicas_apart": 1, "bytes_apart": 14.0 - 4.0, "leaders_apart": 1, "data_moves": 1,
                "bytes_moved": 4.0, "leadership_changes": 1, "partitions_changed": 1,
                "worst_leaders_after_one_failure": 2, "rack_violations": None,
                "worst_disk": (28 / 3 - 4) / (28 / 3), "worst_leaders_bytes": None}
    assert {key: figures[key] for key in expected} == expected


def serve_but_hang_on_request(connection, cluster, request):
    """`serve`, in whose process an entry for "hangs" never answers: what a runaway solver looks like."""
    solve = running.solve

    def solve_or_hang(cluster, request, entry):
        if entry.strategy == "hangs":
            time.sleep(3600)
        return solve(cluster, request, entry)

    running.solve = solve_or_hang
    SERVE(connection, cluster, request)


SERVE = running.serve


@pytest.mark.slow
def test_a_strategy_that_takes_too_long_is_ended(monkeypatch):
    """The limit holds even for a solver that never comes back; the next strategy runs all the same."""
    monkeypatch.setattr(running, "serve", serve_but_hang_on_request)
    listed = [Entry("hangs", "hangs"), Entry("greedy", "greedy")]
    slow, greedy = compare(demonstration(), Request(), listed, time_limit_s=2)
    assert slow.reason == "not finished in 2 seconds"
    assert greedy.reason == ""
    assert greedy.data_moves == 0


@pytest.mark.parametrize(
    ("apart", "ours", "told"),
    [(3, 1, "replicas 3 apart, ours 1"), (1, 1, "replicas less level"), (None, None, "replicas less level")],
)
def test_squares_are_told_as_brokers_that_are_apart(apart, ours, told):
    """Where that tells them apart and all brokers weigh the same; else only that ours is more level."""
    here, there = ({} if count is None else {"replicas": count} for count in (apart, ours))
    row = Row(
        "x", goals={"replicas": 90_944}, falls_behind_at="replicas", above_bound=90_944,
        apart=here, apart_of_ours=there,
    )  # fmt: skip
    assert row.behind == told


@pytest.mark.slow
def test_without_a_bound_nothing_is_said_to_be_behind_nowhere(monkeypatch):
    """Where `flow` did not finish, the column says so, in JSON too; with its bound it says nothing."""
    listed = [Entry("flow", "flow"), Entry("generate", "generate")]
    _, bounded = compare(demonstration(), Request(), listed, time_limit_s=30)
    assert bounded.behind == "moves 18 above 0"
    monkeypatch.setattr(running, "serve", serve_but_hang_on_request)
    monkeypatch.setattr(running, "OURS", "hangs")
    listed = [Entry("flow", "hangs"), Entry("generate", "generate")]
    slow, generate = compare(demonstration(), Request(), listed, time_limit_s=2)
    assert slow.behind == ""
    assert generate.to_json()["behind"] == "not known: hangs did not finish"  # it stands for `flow` here
    assert generate.falls_behind_at is None


@pytest.mark.slow
def test_loads_are_compared_in_the_goals_of_loads():
    """With ``--balance disk`` the level is bytes outside the band; who levels counts falls behind there."""
    lists = [[1, 2]] * 3 + [[2, 1]] * 3 + [[3, 1]]
    sizes = [100.0, 50, 20, 60, 30, 20, 10]
    cluster = build_cluster("c", Brokers.of([1, 2, 3]), ["t"] * 7, range(7), lists, size_bytes=sizes)
    request = Request(balance=("disk",), strategy="greedy")
    ours, greedy = compare(cluster, request, entries(cluster, request, 30), time_limit_s=30)
    assert list(ours.goals)[:2] == ["racks", "disk"]
    assert (ours.falls_behind_at, ours.goals["disk"]) == ("", 0)
    assert greedy.falls_behind_at == "disk"
    assert re.fullmatch(r"disk \d+ B outside the bands", greedy.behind)


@pytest.fixture
def source(tmp_path: Path) -> str:
    """The demonstration as a reassignment file."""
    partitions = [{"topic": "x.y.z.t", "partition": k, "replicas": r} for k, r in enumerate(DEMONSTRATION)]
    file = tmp_path / "demonstration.json"
    file.write_text(json.dumps({"version": 1, "partitions": partitions}))
    return str(file)


@pytest.mark.slow
def test_the_command_prints_json_and_writes_page_and_program(source, tmp_path):
    """One result, three faces; the program is one that lp_solve reads."""
    page, program = tmp_path / "page.html", tmp_path / "program.lp"
    asked = ["compare", source, "--drain", "19", "--strategy", "linear-program"]
    files = ["--html", str(page), "--write-lp", str(program)]
    said = json.loads(printed(sys.executable, "-m", "equipoise.cli.main", *asked, "--json", *files))
    assert [row["strategy"] for row in said["rows"]] == ["flow", "linear-program"]
    assert [row["data_moves"] for row in said["rows"]] == [1, 1]
    assert "linear-program" in page.read_text()
    assert re.search(r"objective function: 59\b", printed("lp_solve", "-S3", str(program)))


def printed(*command: str) -> str:
    """Standard output of a command that has to succeed."""
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout


@pytest.mark.slow
def test_the_table_names_every_strategy_and_every_reason(source):
    """What a terminal shows: a line for each plan, a sentence for each refusal."""
    done = CliRunner().invoke(app(), ["compare", source, "--drain", "19"])
    assert done.exit_code == 0, done.output
    for name in ("flow", *STRATEGIES):
        assert re.search(rf"^ *{name}\b", done.output, re.M), name
    assert "pinterest: found no plan: it moves no data" in done.output


@pytest.mark.slow
def test_a_terminal_of_80_columns_leaves_columns_out_and_cuts_no_word(source, monkeypatch):
    """What there is no room for is named below the table; a pipe has every column."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    command = ["compare", source, "--drain", "19", "--strategy", "generate"]
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    shown = {}
    for name, stream in (("terminal", Terminal()), ("pipe", io.StringIO())):
        monkeypatch.setattr(sys, "stdout", stream)
        with pytest.raises(SystemExit):
            main(command)
        shown[name] = stream.getvalue()
    assert max(map(len, shown["terminal"].splitlines())) <= 80
    assert "…" not in shown["terminal"] and "\x1b[" not in shown["terminal"]
    known = {word for line in shown["pipe"].splitlines() for word in line.split()}
    table, left_out = shown["terminal"].split("No room for: ")
    assert set(table.split()) <= known
    named = " ".join(left_out.split()).split(". ")[0].split(", ")
    assert named and all(name in shown["pipe"] for name in named)


def test_an_unknown_strategy_is_refused(source):
    """Exit 2, in one line."""
    done = CliRunner().invoke(app(), ["compare", source, "--strategy", "magic"])
    assert done.exit_code != 0
    assert "there is no strategy 'magic'" in str(done.exception)
