"""A fleet in HDFS, planned into HDFS: what comes out is what comes of the same folders on this machine.

Of three clusters ``pay`` has samples, and files of them that cannot be read, ``a{b}[c] 100%`` has an odd name
and a wish, and ``junk`` no state at all. The fleet is run, and run again with a file more.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy
import pyarrow
import pytest
from pyspark.sql import SparkSession
from tests.pipeline.fleets import MOVING, files_of, rows_of
from tests.pipeline.hdfs import hdfs
from tests.pipeline.metrics import HOUR, T0, sample, series, write_samples
from tests.pipeline.standalone import standalone

import equipoise
from equipoise.cli.main import main
from equipoise.errors import UnusableInput
from equipoise.files.places import Place
from equipoise.pipeline.jobs.fleet import FleetRun, run_fleet
from equipoise.pipeline.packing.archive import pack
from equipoise.pipeline.places.hadoop import LIMIT, HadoopPlace, hadoop_place
from equipoise.pipeline.places.runs import pointed
from equipoise.pipeline.readers.fleet import find_clusters
from equipoise.pipeline.schemas.tables import HISTORIES, TABLES

pytestmark = [pytest.mark.spark, pytest.mark.timeout(3600)]  # one fixture makes all runs

ODD = "a{b}[c] 100%"
ONE_HOST = ["--conf", "spark.shuffle.readHostLocalDisk=false"]
"""Spark takes workers of one address for such as see each other's disks; those of these tests do not."""


@dataclass(frozen=True)
class Pair:
    """The same run twice."""

    here: FleetRun
    there: FleetRun
    rows_here: dict[str, list[dict[str, Any]]]
    rows_there: dict[str, list[dict[str, Any]]]


@dataclass(frozen=True)
class Runs:
    first: Pair
    more: Pair
    fleet: Path
    root: HadoopPlace


def put(folder: Path, place: HadoopPlace) -> None:
    """Copy a folder of this machine."""
    for path in folder.rglob("*"):
        if path.is_file():
            (place / path.relative_to(folder).as_posix()).write_bytes(path.read_bytes())


def tables(spark: SparkSession, out: Place) -> dict[str, list[dict[str, Any]]]:
    return {name: rows_of(out, name) for name in TABLES if name not in HISTORIES}


@pytest.fixture(scope="module")
def root(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HadoopPlace]:
    with hdfs(tmp_path_factory.mktemp("hdfs")) as address:
        yield hadoop_place(spark, f"{address}/work")


@pytest.fixture(scope="module")
def runs(spark: SparkSession, root: HadoopPlace, tmp_path_factory: pytest.TempPathFactory) -> Runs:
    place = tmp_path_factory.mktemp("runs")
    fleet, out, there = place / "fleet", place / "out", root / "fleet"
    for cluster in ("pay", ODD):
        (fleet / cluster).mkdir(parents=True)
        for name, text in MOVING.items():
            (fleet / cluster / name).write_text(text)
    (fleet / ODD / "equipoise.toml").write_text('leaders-only = true')
    (fleet / "equipoise.toml").write_text('[defaults]\nload = "p95"\n')
    (fleet / "junk").mkdir()
    (fleet / "junk" / "topics.txt").write_bytes(bytes(range(256)))
    rows = series("bytes_in_total", [HOUR * 5 * k for k in range(40)], broker=1)
    write_samples(fleet, "one.csv", [*rows, sample(T0, "size_bytes", -1)], "pay")
    (fleet / "pay" / "metrics" / "two.parquet").write_bytes(b"PAR1 and nothing else")
    (fleet / "pay" / "metrics" / "empty.csv").touch()

    def both() -> Pair:
        put(fleet, there)
        one, other = run_fleet(spark, fleet, out), run_fleet(spark, there, root / "out")
        return Pair(one, other, tables(spark, one.out), tables(spark, other.out))

    first = both()
    (root / "out" / "runs" / "000003" / "run.json").create(b"{}")  # of a process that was killed
    write_samples(fleet, "three.csv", [sample(T0 + HOUR, "size_bytes", 7, topic="pay", partition=0)], "pay")
    return Runs(first, both(), fleet, root)


def test_the_same_tables(runs: Runs) -> None:
    """Every row of every table, what was set aside among them."""
    for name, rows in runs.first.rows_here.items():
        assert runs.first.rows_there[name] == rows, name
    aside = {(row["cluster"], row["file"]) for row in runs.first.rows_there["quarantine"]}
    assert {("pay", "metrics/two.parquet"), ("pay", "metrics/empty.csv"), ("junk", "topics.txt")} <= aside
    assert {row["cluster"]: row["outcome"] for row in runs.first.there.rows} == {
        ODD: "planned", "pay": "planned", "junk": "set aside",
    }  # fmt: skip


def test_the_same_plans(runs: Runs, tmp_path: Path) -> None:
    """Every file of every plan folder, byte for byte; beside them the page, and nothing that a step left."""
    there = runs.more.there.out
    assert isinstance(there, HadoopPlace)
    (there / "clusters").download(tmp_path)
    here = {name: digest for name, digest in files_of(Path(str(runs.more.here.out))).items()
            if name.startswith("clusters/")}  # fmt: skip
    assert files_of(tmp_path) == here != {}
    assert {entry.name for entry in there.iterdir()} == {
        "clusters", "index.html", "run.json", "state", "tables",
    }  # fmt: skip
    assert "junk" in (there / "index.html").read_text("utf-8")


def test_running_again(runs: Runs) -> None:
    """What has not changed is taken over; the tables are those of the same run on this machine."""
    assert runs.more.there.kept == {ODD}
    for name, rows in runs.more.rows_here.items():
        assert runs.more.rows_there[name] == rows, name
    assert runs.more.rows_there["samples"] != runs.first.rows_there["samples"]


def test_one_run_counts(runs: Runs) -> None:
    """The pointer names the last one; the one before it is there for its readers, and no other."""
    out = runs.root / "out"
    assert str(pointed(out)) == str(runs.more.there.out)
    assert sorted(entry.name for entry in out.iterdir()) == ["latest", "runs"]
    assert sorted(entry.name for entry in (out / "runs").iterdir()) == ["000001", "000004"]
    history = rows_of(runs.more.there.out, "plan_history")
    assert len({row["run"] for row in history}) == 2


def test_what_a_run_found(runs: Runs, capfd: pytest.CaptureFixture[str]) -> None:
    """The report of a run that is elsewhere; and what each cluster of a fleet there would be planned with."""
    with pytest.raises(SystemExit) as end:
        main(["fleet-report", f"{runs.root}/out"])
    told = capfd.readouterr().out
    assert end.value.code == 1
    assert "3 clusters, 2 planned" in told and ", 1 as before;" in told
    with pytest.raises(SystemExit) as end:
        main(["run", f"{runs.root}/fleet", "--check"])
    told = capfd.readouterr().out
    assert end.value.code == 0
    assert 'leaders-only = true (its own file)' in told and 'load = "p95" (defaults)' in told


def test_what_is_not_ours_stays(spark: SparkSession, runs: Runs) -> None:
    """A folder of other things is refused, and so is the run of another fleet unless by force."""
    other = runs.root / "other"
    (other / "thesis.txt").create(b"")
    with pytest.raises(UnusableInput, match=r"/other: holds thesis\.txt, which no run wrote\. Choose"):
        run_fleet(spark, runs.root / "fleet", other)
    with pytest.raises(UnusableInput, match=r"/out: holds the run of another fleet \(hdfs://.*/fleet\)\."):
        run_fleet(spark, runs.fleet, runs.root / "out")
    assert [entry.name for entry in other.iterdir()] == ["thesis.txt"]


def test_a_run_that_fails(spark: SparkSession, runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    """It leaves nothing, and what counted counts."""
    before = str(pointed(runs.root / "out"))
    monkeypatch.setattr("equipoise.pipeline.jobs.fleet.made", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        run_fleet(spark, runs.root / "fleet", runs.root / "out")
    assert str(pointed(runs.root / "out")) == before
    assert sorted(entry.name for entry in (runs.root / "out" / "runs").iterdir()) == ["000001", "000004"]


@dataclass(frozen=True)
class Apart:
    """A Spark cluster whose two workers have neither Equipoise nor NumPy and Arrow, see no folder that the
    driver writes, and none of each other's; and what brings them what they lack."""

    master: str
    archives: str
    env: dict[str, str]
    """For the driver."""


@pytest.fixture(scope="module")
def apart(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Apart]:
    place = tmp_path_factory.mktemp("apart")
    pack(place / "env.tar.gz")
    (place / "shared").mkdir()
    packages = [Path(str(module.__file__)).parent for module in (equipoise, numpy, pyarrow)]
    env = os.environ | {"PYSPARK_PYTHON": "./env/bin/python", "TMPDIR": str(place / "shared")}
    env |= {"PYSPARK_DRIVER_PYTHON": sys.executable, "JAVA_HOME": str(place / "java-home")}
    with standalone(place, hidden=[place / "shared", *packages]) as master:
        yield Apart(master, f"{place}/env.tar.gz#env", env)


def ended(command: list[str], env: dict[str, str]) -> int:
    """The exit code of a command, whose last words are shown where the test fails."""
    ran = subprocess.run(command, capture_output=True, text=True, timeout=1500, env=env)
    print(ran.stdout[-2000:], ran.stderr[-4000:])
    return ran.returncode


@pytest.mark.long
def test_workers_that_share_no_folder(spark: SparkSession, runs: Runs, apart: Apart) -> None:
    """They get what they lack as an archive, and files as rows; plans come back as rows."""
    command = [sys.executable, "-m", "equipoise.cli.main", "run", f"{runs.root}/fleet", "--out"]
    command += [f"{runs.root}/apart", "--master", apart.master, "--conf", f"spark.archives={apart.archives}"]
    command += ONE_HOST
    assert ended(command, apart.env) == 1  # junk has no plan
    out = pointed(runs.root / "apart")
    assert out is not None
    for name, rows in tables(spark, out).items():
        assert rows == runs.more.rows_there[name], name


@pytest.mark.long
def test_spark_submit(runs: Runs, apart: Apart, tmp_path: Path) -> None:
    """The command that the docs show, with the file that they show."""
    page = (Path(__file__).parents[2] / "docs" / "submit.md").read_text()
    script = tmp_path / "submit.py"
    script.write_text(page.partition("# submit.py\n")[2].partition("```")[0])
    for name, text in MOVING.items():
        (runs.root / "one" / "pay" / name).write_bytes(text.encode())
    submit = str(Path(sys.executable).with_name("spark-submit"))
    command = [submit, "--master", apart.master, "--archives", apart.archives, *ONE_HOST, str(script)]
    assert ended([*command, "run", f"{runs.root}/one", "--out", f"{runs.root}/submitted"], apart.env) == 0
    out = pointed(runs.root / "submitted")
    assert out is not None and (out / "clusters" / "pay" / "plan.json").is_file()


def test_a_file_of_somebody_else(runs: Runs) -> None:
    """What may not be read has a fault, files and folders; it costs no other cluster its plan."""
    fs, hadoop = runs.root.system, runs.root.jvm.org.apache.hadoop.fs
    eve = hadoop.FileSystem.newInstance(runs.root.path.toUri(), fs.getConf(), "eve")
    mine = runs.root / "guarded"
    for name in ("a/topics.txt", "a/brokers.txt", "b/topics.txt"):
        (mine / name).create(b"")
    for name, rights in (("a/topics.txt", 0o600), ("b", 0o700)):
        fs.setPermission((mine / name).path, hadoop.permission.FsPermission(rights))
    clusters = {each.name: each for each in find_clusters(HadoopPlace(runs.root.jvm, eve, mine.path))}
    faults = {file.name: file.fault for file in clusters["a"].files}
    assert faults["brokers.txt"] == ""
    assert faults["topics.txt"].startswith("cannot be read (Permission denied: user=eve, access=READ")
    assert clusters["b"].fault.startswith("the folder cannot be read (Permission denied: user=eve")


def test_a_file_that_is_too_large(spark: SparkSession, runs: Runs) -> None:
    """It has a fault that says what to do, for workers get files as rows."""
    conf = spark._jsc.hadoopConfiguration()
    conf.setLong(LIMIT, 100)
    try:
        clusters = {cluster.name: cluster for cluster in find_clusters(runs.root / "fleet")}
    finally:
        conf.unset(LIMIT)
    faults = {file.name: file.fault for file in clusters["pay"].files}
    assert set(faults) == set(MOVING)
    assert {fault.partition(" are read")[0] for fault in faults.values()} == {
        "is larger than 0 MB, and files of hdfs://"
    }


def test_a_file_system_that_does_not_answer(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """One line with its address, exit 2, and no folder of its name here; one without a library, too."""
    monkeypatch.chdir(tmp_path)
    for address, said in (
        ("hdfs://127.0.0.1:9/fleet", "Connection refused"),
        ("s3a://bucket/fleet", "Give the library of s3a:// with --conf spark.jars.packages="),
    ):
        with pytest.raises(SystemExit) as end:
            main(["run", address, "--out", "hdfs://127.0.0.1:9/out"])
        told = capfd.readouterr().err.splitlines()[-1]
        assert end.value.code == 2
        assert told.startswith(f"equipoise: {address}: ") and said in told
    assert not list(tmp_path.iterdir())
