"""Plan directories that workers give as rows, written by the driver."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING

from equipoise.pipeline.places.hadoop import HadoopPlace

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Row

AT_ONCE = 16
"""Files that are written at a time: most of each is waiting."""
IN_MEMORY = 64
"""Files."""


def write_plans(files: DataFrame, folder: HadoopPlace) -> None:
    """(cluster, name, content) to ``folder/CLUSTER/NAME``."""

    def write(row: Row) -> None:
        (folder / f"{row.cluster}/{row.name}").write_bytes(bytes(row.content))

    rows = iter(files.toLocalIterator())
    with ThreadPoolExecutor(AT_ONCE) as pool:
        while some := list(islice(rows, IN_MEMORY)):
            list(pool.map(write, some))
