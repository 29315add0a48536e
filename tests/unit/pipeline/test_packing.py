"""Which packages the archive for workers has, and which of their files."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest

from equipoise.pipeline.packing.archive import START, VERSION
from equipoise.pipeline.packing.distributions import files_of, needed, wanted


@pytest.mark.parametrize(
    ("requirement", "found"),
    [
        ("numpy>=2", [("numpy", ())]),
        ("typing_extensions; python_version < '3.13'", [("typing-extensions", ())]),
        ('pyspark[sql]<4.4,>=4.3; extra == "spark"', [("pyspark", ("sql",))]),
        ('fastapi>=0.163; extra == "server"', []),
    ],
)
def test_what_a_requirement_asks_for(requirement: str, found: list[tuple[str, tuple[str, ...]]]) -> None:
    """A package with its extras; nothing where it is of an extra that fleets do not need."""
    assert list(wanted(requirement, ("spark",))) == found


def test_what_a_fleet_needs() -> None:
    """Spark and what plans, and what those need; nothing that tests, serves or lints."""
    names = {package.metadata["Name"].lower() for package in needed()}
    assert {"equipoise", "pyspark", "py4j", "pandas", "pyarrow", "numpy", "ortools", "protobuf"} <= names
    assert not names & {"pytest", "fastapi", "mypy", "jgo"}


@pytest.mark.slow
def test_files_of_packages() -> None:
    """Our own are those that are imported, wherever they lie; of Spark its jars are left out."""
    ours = dict(files_of(distribution("equipoise")))
    assert {"equipoise/__init__.py", "equipoise/pipeline/log4j2.properties"} <= ours.keys()
    assert not any(name.endswith(".pth") for name in ours)
    spark = [name for name, _ in files_of(distribution("pyspark"))]
    assert "pyspark/worker.py" in spark
    assert not any(name.endswith(".jar") for name in spark)


def test_a_python_that_does_not_look_into_site_packages(tmp_path: Path) -> None:
    """Debian's does not, nor any with -S: the folder is named, after what Spark names."""
    start, packages = tmp_path / "bin" / "python", tmp_path / "lib" / VERSION / "site-packages"
    packages.mkdir(parents=True)
    start.parent.mkdir()
    start.write_text(START)
    start.chmod(0o755)
    start.with_name(VERSION).symlink_to(sys.executable)
    (packages / "fleet_only.py").touch()
    spark = tmp_path / "spark"
    spark.mkdir()
    told = "import fleet_only, os, sys; print(*map(os.path.realpath, sys.path[1:3]), sep=chr(10))"
    ran = subprocess.run(
        [start, "-S", "-c", told],
        env=os.environ | {"PYTHONPATH": str(spark)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (ran.stdout, ran.stderr) == (f"{spark}\n{packages}\n", "")
