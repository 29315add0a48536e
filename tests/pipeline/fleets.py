"""The example clusters that tests plan, and what a run published, as plain rows and bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from equipoise.pipeline.jobs.store import read_table
from equipoise.pipeline.schemas.tables import TABLES

EXAMPLES = Path(__file__).parents[2] / "examples" / "fleet"
GOOD = ("messy", "racks", "removal", "skewed-leaders")
"""The small ones."""


def rows_of(spark: SparkSession, out: Path, table: str) -> list[dict[str, Any]]:
    """All rows of a published table, in key order."""
    frame = read_table(spark, TABLES[table], out / "tables" / table)
    return [row.asDict(recursive=True) for row in frame.orderBy(*TABLES[table].key).collect()]


def files_of(out: Path) -> dict[str, bytes]:
    """Every file of a run but ``run.json``, which tells when and how fast."""
    return {
        str(path.relative_to(out)): path.read_bytes()
        for path in sorted(out.rglob("*"))
        if path.is_file() and path.name != "run.json"
    }
