"""What people write for a folder, as a place."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from equipoise.files.places import Place, scheme_of
from equipoise.pipeline.places.hadoop import hadoop_place

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def local(address: str | Path) -> Path | None:
    """The path of a folder of this machine, ``file:///folder`` too; None for one that is elsewhere."""
    scheme = scheme_of(address)
    if scheme.lower() == "file":
        return Path("/" + str(address).partition(":")[2].lstrip("/"))
    return None if scheme else Path(address)


def place_at(spark: SparkSession, address: str | Path) -> Place:
    """Raises :class:`UnusableInput` where a file system cannot be used."""
    return local(address) or hadoop_place(spark, str(address))
