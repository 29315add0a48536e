"""What lies in a fleet's folder: one folder a cluster, with any files of the known formats."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from equipoise.errors import UnusableInput
from equipoise.files.sources import is_source
from equipoise.pipeline.schemas.steps import FILES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


METRICS = "metrics"
"""Folder of a cluster with its samples."""
LONG_BYTES = 50 << 20
"""Samples that are many, in bytes of their files: some ten million of them."""
TASKS_PER_CORE = 4
"""So many that a core which is done early finds another; a task costs Spark more than a small file."""


@dataclass(frozen=True)
class ClusterFolder:
    """One cluster of a fleet and the files that tell of it."""

    name: str
    folder: Path
    files: tuple[Path, ...]
    n_bytes: int
    metrics: tuple[Path, ...] = ()
    """Files of samples, in the folder ``metrics``."""


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
    files = files_in(folder)
    n_bytes = sum(file.stat().st_size for file in files)
    metrics = folder / METRICS
    return ClusterFolder(folder.name, folder, files, n_bytes, files_in(metrics) if metrics.is_dir() else ())


def is_long(clusters: list[ClusterFolder]) -> bool:
    """True where a fleet has so many samples that they keep Spark busy for minutes."""
    return sum(path.stat().st_size for cluster in clusters for path in cluster.metrics) >= LONG_BYTES


def files_in(folder: Path) -> tuple[Path, ...]:
    return tuple(entry for entry in sorted(folder.iterdir()) if entry.is_file() and is_source(entry.name))


def files_frame(spark: SparkSession, clusters: list[ClusterFolder]) -> DataFrame:
    """One row a file, spread over a few tasks a core so that each has about as many bytes to read.

    A cluster without files has one row without a path, so that it is not forgotten.
    """
    named: list[tuple[str, int, str, str | None]] = [
        (cluster.name, rank, file.name, str(file.absolute()))
        for rank, cluster in enumerate(clusters)
        for file in cluster.files
    ]
    named += [(cluster.name, rank, "", None) for rank, cluster in enumerate(clusters) if not cluster.files]
    sizes = [Path(path).stat().st_size if path else 0 for _, _, _, path in named]
    n_tasks = min(len(named), TASKS_PER_CORE * spark.sparkContext.defaultParallelism)
    rows = [
        (name, rank, task, file, path)
        for (name, rank, file, path), task in zip(named, spread(sizes, n_tasks), strict=True)
    ]
    return spark.createDataFrame(rows, FILES).repartitionById(n_tasks, "task")


def spread(sizes: list[int], n_tasks: int) -> list[int]:
    """A task for each size: the largest first, each to the task that has least so far."""
    loads = [(0, task) for task in range(n_tasks)]
    tasks = [0] * len(sizes)
    for at in sorted(range(len(sizes)), key=lambda at: -sizes[at]):
        load, tasks[at] = loads[0]
        heapq.heapreplace(loads, (load + sizes[at] + 1, tasks[at]))  # an empty file is work too
    return tasks
