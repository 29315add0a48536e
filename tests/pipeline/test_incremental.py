"""A run after a run: what has changed is read and planned, what has not is taken over, the rows are the same.

Of six clusters ``pay`` gets a new file of samples and two others change, one of them into as many bytes; so
does one of ``bank``; ``shop`` gets a wish, ``old`` goes, ``logs`` and ``mail`` stay what they are.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import Row, SparkSession
from tests.pipeline.fleets import MOVING, rows_of
from tests.pipeline.metrics import DAY, HOUR, T0, sample, series, told_now, values_of, write_samples
from tests.pipeline.opened import opened

from equipoise.errors import UnusableInput
from equipoise.files.policy import Layer, Policy
from equipoise.pipeline.jobs.earlier import earlier_run
from equipoise.pipeline.jobs.fleet import FleetRun, run_fleet
from equipoise.pipeline.jobs.inputs import inputs_of, with_before
from equipoise.pipeline.jobs.loads import read_samples, told_samples
from equipoise.pipeline.jobs.progress import Progress
from equipoise.pipeline.jobs.published import published
from equipoise.pipeline.jobs.span import Span, span_of
from equipoise.pipeline.places import digests
from equipoise.pipeline.readers.fleet import find_clusters
from equipoise.pipeline.readers.samples import blocks
from equipoise.pipeline.schemas.steps import TOLD
from equipoise.pipeline.schemas.tables import HISTORIES, TABLES
from equipoise.pipeline.transforms.series import sample_rows
from equipoise.report.fleet_trends import trend_lines

pytestmark = [pytest.mark.spark, pytest.mark.timeout(1800)]  # one fixture makes all the runs

MADE_ANEW = [name for name in TABLES if name not in HISTORIES]


class Told(Progress):
    """Keeps what a run says that it does."""

    def __init__(self) -> None:
        self.stages: list[str] = []

    def stage(self, text: str) -> None:
        self.stages.append(text)


@dataclass(frozen=True)
class Runs:
    """A run, one after a file came, one after nothing came, and all of it made anew elsewhere."""

    first: FleetRun
    second: FleetRun
    third: FleetRun
    full: FleetRun
    fleet: Path
    out: Path
    told: list[str]
    inodes: dict[str, int]
    """Of the plans of the first run."""
    opened: list[Counter[str]]
    """How often each of these opened each file of the fleet."""


def plans_of(out: Path) -> dict[str, int]:
    return {path.parent.name: path.stat().st_ino for path in (out / "clusters").glob("*/plan.json")}


@pytest.fixture(scope="module")
def runs(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Runs:
    place = tmp_path_factory.mktemp("incremental")
    fleet, out, progress = place / "fleet", place / "out", Told()
    for cluster in ("pay", "logs", "mail", "shop", "old", "bank"):
        (fleet / cluster).mkdir(parents=True)
        for name, text in MOVING.items():
            (fleet / cluster / name).write_text(text)
    for name in ("three.csv", "four.csv"):
        write_samples(fleet, name, [sample(T0, "size_bytes", 7)], "pay")
    (fleet / "pay" / "metrics" / "addresses.csv").write_text("address,broker\nb1,1\n")
    for cluster in ("pay", "logs"):
        rows = [
            *series("bytes_in_total", [HOUR * 5 * k for k in range(40)], broker=1),
            sample(T0, "kafka_unheard_of", 1, broker=1),
            sample(T0, "size_bytes", -1, broker=1),
        ]
        write_samples(fleet, "one.csv", rows, cluster)
    counted: list[Counter[str]] = []

    def run(*args: Any, **options: Any) -> FleetRun:
        with opened(fleet) as times:
            done = run_fleet(spark, *args, **options)
        counted.append(times)
        return done

    first = run(fleet, out)
    inodes = plans_of(out)
    rows = [sample(T0 + k * HOUR, "bytes_in_total", HOUR * 50 * k, broker=1) for k in range(30, 50)]
    write_samples(fleet, "two.csv", rows, "pay")
    write_samples(fleet, "three.csv", rows[:5], "pay")
    write_samples(fleet, "four.csv", [sample(T0, "size_bytes", 8)], "pay")
    (fleet / "bank" / "topics.txt").write_text(MOVING["topics.txt"].replace("Leader: 2", "Leader: 3"))
    (fleet / "shop" / "equipoise.toml").write_text("max-moves = 1")
    shutil.rmtree(fleet / "old")
    second = run(fleet, out, progress)
    (out / "clusters" / "logs" / "report.html").unlink()
    shutil.rmtree(out / "state" / "told")
    third = run(fleet, out)
    full = run(fleet, place / "full", full=True)
    return Runs(first, second, third, full, fleet, out, progress.stages, inodes, counted)


def test_what_has_not_changed_is_taken_over(runs: Runs) -> None:
    """Plans stay the very files that they are; of files of samples only new and changed ones are read."""
    assert (runs.first.kept, runs.second.kept) == (set(), {"logs", "mail"})
    now = plans_of(runs.out)
    assert {name for name in now if now[name] == runs.inodes[name]} == {"mail"}
    assert runs.told[:3] == [
        "reading 5 files of samples, looking whether 3 files changed",
        "reading 10 files of 5 clusters, looking whether 3 clusters changed",
        "2 clusters as before",
    ]
    record = json.loads((runs.out / "run.json").read_text())
    assert record["before"]["taken_over"] == ["bank", "mail", "pay", "shop"]


def test_each_file_is_read_once(runs: Runs) -> None:
    """By every run, whether it is new, as it was, other, or other with as many bytes; by whatever process."""
    for times in runs.opened:
        assert set(times.values()) == {1}, times
    wanted = {str(path.relative_to(runs.fleet)) for path in runs.fleet.rglob("*") if path.is_file()}
    assert [set(times) for times in runs.opened[1:]] == [wanted] * 3
    told = json.loads((runs.out / "state" / "inputs.json").read_text())["clusters"]
    for cluster, own in told.items():
        files = own["files"] | own["metrics"]
        wanted = [*(runs.fleet / cluster).glob("*"), *(runs.fleet / cluster).glob("metrics/*.csv")]
        assert files == {
            str(path.relative_to(runs.fleet / cluster)): digests.digest_of(path.read_bytes())
            for path in wanted
            if path.is_file() and path.name != "equipoise.toml"
        }


def test_a_plan_that_lacks_a_file_is_made_anew(runs: Runs) -> None:
    """Somebody has removed a report, and samples as they were told: there they are again."""
    assert runs.third.kept == {"bank", "mail", "pay", "shop"}
    assert (runs.out / "clusters" / "logs" / "report.html").is_file()
    assert [path.name for path in (runs.out / "state" / "told").iterdir()] == ["run=3"]


def test_the_tables_are_those_of_a_full_run(runs: Runs) -> None:
    """To the row, after a run with one new file and after one with nothing new; counts and remarks too."""
    for name in MADE_ANEW:
        assert rows_of(runs.out, name) == rows_of(runs.full.out, name), name
    assert runs.second.rows == runs.third.rows == runs.full.rows
    assert {row["cluster"] for row in runs.full.rows} == {"bank", "logs", "mail", "pay", "shop"}
    now, full = (json.loads((run.out / "run.json").read_text()) for run in (runs.third, runs.full))
    assert {name: now["out"]["rows"][name] for name in MADE_ANEW} == {
        name: full["out"]["rows"][name] for name in MADE_ANEW
    }
    assert (now["left_out"], now["set_aside"]) == (full["left_out"], full["set_aside"])
    assert now["left_out"]["samples"] == 2


def test_histories(runs: Runs) -> None:
    """A row for each run and cluster, with what was taken over; a full run elsewhere begins its own."""
    plans, loads = (rows_of(runs.out, name) for name in HISTORIES)
    started = sorted({row["run"] for row in plans})
    assert len(started) == 3
    taken = [{row["cluster"]: row["taken_over"] for row in plans if row["run"] == run} for run in started]
    assert taken == [
        dict.fromkeys(("bank", "logs", "mail", "old", "pay", "shop"), False),
        {"bank": False, "logs": True, "mail": True, "pay": False, "shop": False},
        {"bank": True, "logs": False, "mail": True, "pay": True, "shop": True},
    ]
    rates = [row["bytes_in_per_s"] for row in loads if row["cluster"] == "pay"]
    assert rates[0] == 5.0 and rates[1] == rates[2] > 5.0
    assert [row["unknown_bytes_in"] for row in loads if row["cluster"] == "mail"] == [2] * 3
    assert len(rows_of(runs.full.out, "plan_history")) == 5
    assert 'id="trends"' not in (runs.full.out / "index.html").read_text()


@pytest.mark.parametrize("harm", [Path.unlink, lambda part: part.write_bytes(part.read_bytes()[:-9])])
def test_of_a_run_that_lost_rows_nothing_is_taken_over(
    runs: Runs, tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    """Somebody has removed a file of a table, or cut it short: only the histories are asked then."""
    out = tmp_path / "out"
    shutil.copytree(runs.full.out, out)
    assert earlier_run(out, runs.fleet).planned == {"bank", "logs", "mail", "pay", "shop"}
    harm(sorted((out / "tables" / "partition_load").iterdir())[0])
    found = earlier_run(out, runs.fleet)
    assert found.folder == out and not found.planned


def test_page_and_report_tell_the_same(runs: Runs) -> None:
    """What the run itself tells is what is read of it later; trends are in both."""
    found = published(runs.out)
    quality = {row["cluster"]: row["quality"] for row in found.clusters}
    assert quality == {row["cluster"]: row["quality"] for row in runs.third.rows}
    assert quality["pay"]["measured"] and quality["mail"]["unknown"] == 2
    page = (runs.out / "index.html").read_text()
    said = trend_lines(found.history)
    assert said[0].startswith("3 runs since ") and said[1].partition(": ")[2] in page


def test_other_spans_are_other_inputs(runs: Runs) -> None:
    """Of clusters with samples; what is wished for one is an input of it alone."""
    clusters = find_clusters(runs.fleet)
    nothing = inputs_of(clusters, Policy(), Span())
    for span in (Span(since=datetime.fromtimestamp(T0, UTC)), Span(window_s=HOUR)):
        other = inputs_of(clusters, Policy(), span)
        assert {name for name in other if other[name] != nothing[name]} == {"logs", "pay"}
    policy = Policy((Layer("clusters.mail", ("mail",), {"load": "p95"}),))
    wished = inputs_of(clusters, policy, Span())
    assert {name for name in wished if wished[name] != nothing[name]} == {"mail"}


def test_since_and_window(spark: SparkSession, tmp_path: Path) -> None:
    """Samples from a time on, or the last hours: a clock that is a year ahead does not move the window."""
    for broker, ahead in ((1, 0), (2, 0), (3, 365 * DAY)):
        rows = [sample(T0 + ahead + k * HOUR, "bytes_in_total", HOUR * k, broker=broker) for k in range(10)]
        write_samples(tmp_path / "f", f"{broker}.csv", rows)
    since = Span(since=datetime.fromtimestamp(T0 + 7 * HOUR, UTC))
    spans = {"since": since, "window": Span(window_s=4 * HOUR)}
    for name, span in spans.items():
        told = told_now(spark, find_clusters(tmp_path / "f"), tmp_path / name, span)
        assert told.blocks is not None
        times = values_of(sample_rows(told.blocks))
        own = sorted(at // HOUR for at, _, _ in times if at < DAY)
        assert own == {"since": [7, 7, 8, 8, 9, 9], "window": [6, 6, 7, 7, 8, 8, 9, 9]}[name]
        assert len(times) - len(own) == 9  # all of the third are later than the median of the newest


def test_more_samples_are_divided_anew(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file from when the cluster had few samples, and one that made them many: as if read at once."""
    for name, values in (("1.csv", [0, HOUR]), ("2.csv", [2 * HOUR, 4 * HOUR])):
        told = [sample(T0 + HOUR * (k + (name > "1.csv") * 2), "bytes_in_total", value, partition=partition)
                for k, value in enumerate(values) for partition in range(20)]  # fmt: skip
        write_samples(tmp_path / "f", name, told)
    clusters = find_clusters(tmp_path / "f")
    only_first = [replace(cluster, metrics=cluster.metrics[:1]) for cluster in clusters]
    first = read_samples(spark, only_first, tmp_path / "one", Progress())
    before = spark.read.schema(TOLD).parquet(str(tmp_path / "one")).where("kind = 'samples'")
    assert first.told == {("c", "metrics/1.csv")}
    assert before.where("slots is not null").select("slots").distinct().collect() == [Row(1)]
    monkeypatch.setattr(blocks, "SLOT_BYTES", 300)
    known = {file: digest for (_, file), digest in first.digests.items()}
    asked = [replace(cluster, metrics=with_before(cluster.metrics, known)) for cluster in clusters]
    read = read_samples(spark, asked, tmp_path / "read", Progress())
    assert (read.same, read.told) == ({("c", "metrics/1.csv")}, {("c", "metrics/2.csv")})
    both = told_samples(spark, clusters, read, before, tmp_path / "two")
    anew = told_now(spark, clusters, tmp_path / "all")
    assert both.blocks is not None and anew.blocks is not None
    rows = values_of(sample_rows(both.blocks))
    assert len(rows) == 60 and rows == values_of(sample_rows(anew.blocks))
    assert {value for _, _, value in rows} == {1.0, 2.0}


@pytest.mark.parametrize(("since", "window", "said"), [
    ("yesterday", None, "--since: 'yesterday' is no time"),
    (None, "30", "--window: '30' is not a time such as"),
])  # fmt: skip
def test_no_span(since: str | None, window: str | None, said: str) -> None:
    """What is no time is an error that says what one looks like."""
    with pytest.raises(UnusableInput, match=said):
        span_of(since, window)
