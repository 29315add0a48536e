"""What lies in a fleet's folder: one folder a cluster, with any files of the known formats."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from equipoise.errors import UnusableInput
from equipoise.files.places import Place, on_this_machine
from equipoise.files.sources import is_source
from equipoise.files.wish import WishFile
from equipoise.pipeline.places.contents import with_contents
from equipoise.pipeline.places.hadoop import HadoopPlace
from equipoise.pipeline.schemas.steps import FILES
from equipoise.wording import printable

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


METRICS = "metrics"
"""Folder of a cluster with its samples."""
LONG_BYTES = 50 << 20
"""Samples that are many, in bytes of their files: some ten million of them."""
TASKS_PER_CORE = 4
"""So many that a core which is done early finds another; a task costs Spark more than a small file."""
TASK_BYTES = 512 << 10
"""Of files, that a task of clusters has at least where all cores have one: to plan what these tell takes
seconds, and a task costs Spark a tenth of one."""
CLUSTER_BYTES = 32 << 10
"""Counted for each cluster beside its files: the smallest plan is work, too."""
NOT_UTF8 = "its name is not UTF-8: rename it"
TO_NOTHING = "is a link to nothing"


@dataclass(frozen=True)
class FoundFile:
    """A file of a cluster, or what stands where one should."""

    name: str
    """Path within the cluster's folder."""
    path: Place
    n_bytes: int = 0
    fault: str = ""
    """Why it cannot be read."""
    before: str = ""
    """The digest of what it was in the run before, where it may be that still."""


@dataclass(frozen=True)
class ClusterFolder:
    """One cluster of a fleet and the files that tell of it."""

    name: str
    folder: Place
    files: tuple[FoundFile, ...] = ()
    metrics: tuple[FoundFile, ...] = ()
    """Files of samples, in the folder ``metrics`` and in folders in it."""
    wish: WishFile = field(default_factory=WishFile)
    fault: str = ""
    """Why nothing of it can be read."""

    @property
    def n_bytes(self) -> int:
        return sum(file.n_bytes for file in self.files)


def find_clusters(fleet: Place) -> list[ClusterFolder]:
    """Every cluster of a fleet, the largest first (by bytes of its files, then by name).

    Raises :class:`UnusableInput` where the folder is none, or holds no cluster.
    """
    if isinstance(fleet, Path):
        on_this_machine(fleet)
    if not fleet.is_dir():
        raise UnusableInput(
            "is not a folder" if fleet.exists() else "there is no such folder", source=str(fleet)
        )
    found = [entry for entry in sorted(fleet.iterdir()) if not entry.name.startswith(".")]
    folders = [entry for entry in found if entry.is_dir() or leads_nowhere(entry)]
    if not folders:
        raise UnusableInput(
            "holds no cluster", source=str(fleet), advice="A fleet has one folder for each cluster"
        )
    return sorted(map(cluster_folder, folders), key=lambda cluster: (-cluster.n_bytes, cluster.name))


def cluster_folder(folder: Place) -> ClusterFolder:
    """What lies in one cluster's folder; what cannot be looked at has a fault."""
    name = printable(folder.name)
    if leads_nowhere(folder):
        return ClusterFolder(name, folder, fault=f"the folder {TO_NOTHING}")
    if not is_utf8(folder.name):
        return ClusterFolder(name, folder, fault=NOT_UTF8)
    try:
        entries = sorted(folder.iterdir())
    except OSError as error:
        return ClusterFolder(name, folder, fault=f"the folder cannot be read ({error.strerror})")
    files = [found(entry, entry.name) for entry in entries if is_source(entry.name) and not entry.is_dir()]
    metrics = folder / METRICS
    samples = tuple(walked(metrics, METRICS, frozenset()))
    return ClusterFolder(name, folder, tuple(files), samples, WishFile.of(folder))


def walked(place: Place, name: str, above: frozenset[tuple[int, int]]) -> Iterator[FoundFile]:
    """The files of a folder and of those in it, by name; a folder that is in itself is a fault."""
    if not place.is_dir():
        if place.exists() or leads_nowhere(place):
            yield found(place, name)
        return
    try:
        own = number(place)
        if own & above:
            yield FoundFile(printable(name), place, fault="the folder is a link to one that it stands in")
            return
        for entry in sorted(place.iterdir()):
            if is_source(entry.name):
                yield from walked(entry, f"{name}/{entry.name}", above | own)
    except OSError as error:
        yield FoundFile(printable(name), place, fault=f"the folder cannot be read ({error.strerror})")


def number(folder: Place) -> frozenset[tuple[int, int]]:
    """What tells a folder from others, where links may lead back to one: device and number."""
    if not isinstance(folder, Path):
        return frozenset()
    told = folder.stat()
    return frozenset({(told.st_dev, told.st_ino)})


def found(path: Place, name: str) -> FoundFile:
    """One file, with its size or with why it is none that can be read."""
    fault, n_bytes = "", 0
    if not is_utf8(name):
        fault = NOT_UTF8
    elif leads_nowhere(path):
        fault = TO_NOTHING
    elif not path.is_file():
        fault = "is no file"
    elif isinstance(path, HadoopPlace):
        n_bytes, fault = path.n_bytes, path.unreadable or path.too_large
    elif isinstance(path, Path):
        n_bytes = path.stat().st_size
    return FoundFile(printable(name), path, n_bytes, fault)


def leads_nowhere(path: Place) -> bool:
    """Whether a link leads to nothing, or round in a circle."""
    return isinstance(path, Path) and path.is_symlink() and not path.exists()


def is_utf8(name: str) -> bool:
    """Whether a name can be told: Linux takes any bytes for one."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_long(clusters: list[ClusterFolder]) -> bool:
    """True where a fleet has so many samples that they keep Spark busy for minutes."""
    return sum(file.n_bytes for cluster in clusters for file in cluster.metrics) >= LONG_BYTES


def tasks_of(spark: SparkSession, clusters: Sequence[ClusterFolder]) -> int:
    """Tasks to work on clusters in; small ones share one."""
    n_bytes = sum(CLUSTER_BYTES + sum(file.n_bytes for file in cluster.files) for cluster in clusters)
    n_tasks = max(spark.sparkContext.defaultParallelism, n_bytes // TASK_BYTES)
    return max(1, min(len(clusters), n_tasks))


def state_files(spark: SparkSession, clusters: Sequence[ClusterFolder]) -> DataFrame:
    """One row a file that tells of a cluster's state; one without a name for a cluster that has none.

    Where files of a cluster may be as they were, these follow each other in one task.
    """
    rows: list[tuple[str, int, FoundFile]] = []
    for rank, cluster in enumerate(clusters):
        nothing = FoundFile("", cluster.folder, fault=cluster.fault)
        rows += [(cluster.name, rank, file) for file in cluster.files or (nothing,)]
    return files_frame(spark, rows, together=True)


def sample_files(spark: SparkSession, clusters: Sequence[ClusterFolder]) -> DataFrame:
    """One row a file of samples."""
    return files_frame(
        spark,
        [(cluster.name, k, file) for k, cluster in enumerate(clusters) for file in cluster.metrics],
        together=False,
    )


def files_frame(
    spark: SparkSession, files: list[tuple[str, int, FoundFile]], *, together: bool
) -> DataFrame:
    """(cluster, rank, file) as rows, spread over a few tasks a core so that each has as much to read.

    Files that workers cannot open themselves come with their content, as Spark spreads them. ``together``:
    those of a cluster that may be as they were are decided about as one, and so follow each other in a task.
    """
    n_bytes: dict[tuple[int, int], int] = {}  # of what is read in one task
    parts = [(rank, -1 if together and file.before else k) for k, (_, rank, file) in enumerate(files)]
    for part, (_, _, file) in zip(parts, files, strict=True):
        n_bytes[part] = n_bytes.get(part, 0) + file.n_bytes
    n_tasks = min(len(n_bytes), TASKS_PER_CORE * spark.sparkContext.defaultParallelism)
    tasks = dict(zip(n_bytes, spread([*n_bytes.values()], n_tasks), strict=True))
    read = [file for _, _, file in files if file.name and not file.fault]
    addresses = {file: address(file) for file in read}
    rows = [
        (cluster, rank, tasks[part], file.name, addresses.get(file), file.fault or None, file.before or None)
        for (cluster, rank, file), part in zip(files, parts, strict=True)
    ]
    frame = spark.createDataFrame(rows, FILES)
    in_order = len(n_bytes) < len(files)
    elsewhere = [file.path for file in read if isinstance(file.path, HadoopPlace)]
    if elsewhere:
        frame = with_contents(frame, elsewhere)
    if in_order:
        return frame.repartitionById(n_tasks, "task").sortWithinPartitions("rank", "before")
    return frame if elsewhere else frame.repartitionById(n_tasks, "task")


def address(file: FoundFile) -> str:
    """Where a worker finds a file."""
    return str(file.path.absolute() if isinstance(file.path, Path) else file.path)


def spread(sizes: list[int], n_tasks: int) -> list[int]:
    """A task for each size: the largest first, each to the task that has least so far."""
    loads = [(0, task) for task in range(n_tasks)]
    tasks = [0] * len(sizes)
    for at in sorted(range(len(sizes)), key=lambda at: -sizes[at]):
        load, tasks[at] = loads[0]
        heapq.heapreplace(loads, (load + sizes[at] + 1, tasks[at]))  # an empty file is work too
    return tasks
