"""A fleet in an S3-compatible store, planned into it: what comes out is what comes of the same folders."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from tests.pipeline.fleets import MOVING, files_of, rows_of
from tests.pipeline.metrics import HOUR, T0, sample, series, write_samples
from tests.pipeline.s3 import BUCKET, Store, s3

from equipoise.pipeline.jobs.fleet import run_fleet
from equipoise.pipeline.schemas.tables import HISTORIES, TABLES

pytestmark = [pytest.mark.spark, pytest.mark.long, pytest.mark.timeout(3600)]

ODD = "2026-01-01T00:00:00 x[1]"
MULTIPART = 5 * 2**20


def fleet_of(folder: Path) -> Path:
    """Two clusters, one with an odd name; the other has samples in a file of two parts."""
    for cluster in ("pay", ODD):
        (folder / cluster).mkdir(parents=True)
        for name, text in MOVING.items():
            (folder / cluster / name).write_text(text)
    rows = series("bytes_in_total", [HOUR * 5 * k for k in range(40)], broker=1)
    write_samples(folder, "one.csv", rows, "pay")
    large = folder / "pay" / "metrics" / "large.csv"
    lines = (f"{int(T0 + 60 * k)},size_bytes,{k},pay,{k % 2},{'x' * 90}\n" for k in range(60_000))
    large.write_text("time,metric,value,topic,partition,note\n" + "".join(lines))
    assert large.stat().st_size > MULTIPART
    return folder


def ran(store: Store, *options: str) -> str:
    """What the command says of the fleet there; it ends well."""
    command = [sys.executable, "-m", "equipoise.cli.main", "run", f"s3a://{BUCKET}/fleet"]
    command += ["--out", f"s3a://{BUCKET}/out", "--master", "local[2]", *store.conf, *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == 0, done.stderr[-4000:] + done.stdout[-4000:]
    return done.stdout


def test_a_fleet_in_an_object_store(spark: SparkSession, tmp_path: Path) -> None:
    """The same tables and plans as on this machine, be it the first run or one with a new file; a pointer
    names the run that counts, the one before it is there, and nothing else is left."""
    fleet = fleet_of(tmp_path / "fleet")
    with s3(tmp_path) as store:
        for turn in range(2):
            store.put(fleet, "fleet")
            ran(store)
            there = store.get("out", tmp_path / f"there-{turn}")
            found = there / (there / "latest").read_text().strip()
            here = run_fleet(spark, fleet, tmp_path / "here").out
            for name in TABLES.keys() - set(HISTORIES):
                assert rows_of(found, name) == rows_of(here, name), name
            plans = files_of(Path(str(here)) / "clusters")
            assert files_of(found / "clusters") == plans != {}
            more = sample(T0 + HOUR, "size_bytes", 7, topic="pay", partition=0)
            write_samples(fleet, "more.csv", [more], "pay")
        assert sorted(path.name for path in there.iterdir()) == ["latest", "runs"]
        assert [path.name for path in sorted((there / "runs").iterdir())] == ["000001", "000002"]
        assert not [name for name in store.names("out") if "_temporary" in name or "/.work/" in name]
