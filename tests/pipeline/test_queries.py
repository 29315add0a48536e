"""The queries of the docs, each in three tools over the demo's tables: the same rows."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pytest
from pyspark.sql import SparkSession

from equipoise.pipeline.jobs.fleet import FleetRun

pytestmark = pytest.mark.spark

PAGE = (Path(__file__).parents[2] / "docs" / "queries.md").read_text(encoding="utf-8")
TOOLS = ("Spark SQL", "DuckDB", "Polars")
Rows = list[tuple[Any, ...]]


def blocks(section: str) -> list[str]:
    """The code of a section, in its order."""
    return re.findall(r"```\w+\n(.*?)```", section, re.S)


HEAD, *SECTIONS = PAGE.split("\n## ")
QUERIES = {section.splitlines()[0]: blocks(section) for section in SECTIONS}


@pytest.fixture(scope="module")
def views(spark: SparkSession, demo_run: FleetRun) -> Iterator[dict[str, Any]]:
    """What each tool is told before the queries, with the folder of the run."""
    of_spark, of_duckdb, of_polars = (block.replace("OUT", str(demo_run.out)) for block in blocks(HEAD))
    exec(of_spark, {"spark": spark})
    names: dict[str, Any] = {}
    exec(of_polars, names)
    with duckdb.connect() as connection:
        connection.execute(of_duckdb)
        yield {"spark": spark, "duckdb": connection, "polars": names}


def alike(rows: Rows) -> Rows:
    """Rows whose floats have nine digits: sums in another order differ in the last of sixteen."""
    return [
        tuple(float(f"{v:.9g}") if isinstance(v, float) and math.isfinite(v) else v for v in row)
        for row in rows
    ]


def test_each_query_is_there_for_each_tool() -> None:
    assert len(QUERIES) == 5
    for title, section in zip(QUERIES, SECTIONS, strict=True):
        assert re.findall(r"^(.*):$", section, re.M) == list(TOOLS), title
        assert len(QUERIES[title]) == len(TOOLS), title


@pytest.mark.parametrize("title", QUERIES)
def test_three_tools_give_the_same_rows(title: str, views: dict[str, Any]) -> None:
    """In the same order, and some rows at all."""
    of_spark, of_duckdb, of_polars = QUERIES[title]
    expected = alike([tuple(row) for row in views["spark"].sql(of_spark).collect()])
    assert expected
    assert alike(views["duckdb"].execute(of_duckdb).fetchall()) == expected
    found = eval(of_polars, views["polars"])
    assert isinstance(found, pl.DataFrame) and alike(found.rows()) == expected
