"""What lies in a fleet's folder: one folder a cluster, with any files of the known formats."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from equipoise.errors import UnusableInput
from equipoise.files.sources import is_source
from equipoise.pipeline.schemas.steps import FILES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


@dataclass(frozen=True)
class ClusterFolder:
    """One cluster of a fleet and the files that tell of it."""

    name: str
    folder: Path
    files: tuple[Path, ...]
    n_bytes: int


def find_clusters(fleet: Path) -> list[ClusterFolder]:
    """Every cluster of a fleet, the largest first (by bytes of its files, then by name).

    Raises :class:`UnusableInput` where the folder is none, or holds no cluster.
    """
    if not fleet.is_dir():
        raise UnusableInput(
            "is not a folder" if fleet.exists() else "there is no such folder", source=str(fleet)
        )
    folders = [
        entry for entry in sorted(fleet.iterdir()) if entry.is_dir() and not entry.name.startswith(".")
    ]
    if not folders:
        raise UnusableInput(
            "holds no cluster", source=str(fleet), advice="A fleet has one folder for each cluster"
        )
    return sorted(map(cluster_folder, folders), key=lambda cluster: (-cluster.n_bytes, cluster.name))


def cluster_folder(folder: Path) -> ClusterFolder:
    files = tuple(entry for entry in sorted(folder.iterdir()) if entry.is_file() and is_source(entry.name))
    return ClusterFolder(folder.name, folder, files, sum(file.stat().st_size for file in files))


def files_frame(spark: SparkSession, clusters: list[ClusterFolder]) -> DataFrame:
    """One row a file, each in a partition of its own, the largest first.

    A cluster without files has one row without a path, so that it is not forgotten.
    """
    entries = [(cluster.name, rank, file) for rank, cluster in enumerate(clusters) for file in cluster.files]
    entries.sort(key=lambda entry: -entry[2].stat().st_size)
    named: list[tuple[str, int, str, str | None]] = [
        (name, rank, file.name, str(file.absolute())) for name, rank, file in entries
    ]
    named += [(cluster.name, rank, "", None) for rank, cluster in enumerate(clusters) if not cluster.files]
    rows = [(name, rank, task, file, path) for task, (name, rank, file, path) in enumerate(named)]
    return spark.createDataFrame(rows, FILES).repartitionById(len(rows), "task")
