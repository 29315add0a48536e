"""The loads that samples tell of a cluster, laid over what its files tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from equipoise.cluster.cluster import LoadSource
from equipoise.wording import plural

if TYPE_CHECKING:
    import pyarrow as pa

    from equipoise.cluster import Cluster

FIGURES = {
    "size_bytes": "disk_bytes",
    "bytes_in_per_s": "bytes_in_per_s",
    "bytes_out_per_s": "bytes_out_per_s",
}
"""Columns of a cluster, and those of ``partition_load`` that tell of them."""
LOADS = {"size_bytes": "disk", "bytes_in_per_s": "network-in", "bytes_out_per_s": "network-out"}
RATES = ("network-in", "network-out")
"""Loads of which ``partition_load`` has what files tell, too."""
NOUNS = {"size_bytes": "sizes", "bytes_in_per_s": "bytes in", "bytes_out_per_s": "bytes out"}
FILE = "a file of the cluster"
UNKNOWN = "unknown"
OF_SAMPLES = ("measured", "split by offsets", "split evenly")
"""Sources whose figures are planned with. What size and retention say the planner itself finds, and says."""


@dataclass(frozen=True)
class Used:
    """How many partitions are planned with a figure from one source."""

    figure: str
    statistic: str
    source: str
    partitions: int


def with_loads(cluster: Cluster, loads: pa.Table, statistic: str | None) -> tuple[Cluster, list[Used]]:
    """The cluster with the ``statistic`` of its rates ("mean" where none is named), and what was used.

    ``loads`` has the rows of ``partition_load`` of this cluster. What the log dirs say of sizes is newer than
    any figure of them, so it stays. Where a rate has no such figure, as from a share of retention, its mean
    counts; where nothing is known it stays unknown.
    """
    wanted = statistic or "mean"
    rows = rows_of(cluster, loads)
    columns: dict[str, Any] = {}
    used: list[Used] = []
    for figure, told in FIGURES.items():
        own = getattr(cluster, figure)
        struct = loads.column(told).combine_chunks()
        source = np.full(cluster.n_partitions, UNKNOWN, dtype=object)
        source[rows] = np.array(struct.field("source").to_pylist(), dtype=object)
        of_wanted, of_mean = (column_of(struct, name, rows, len(source)) for name in (wanted, "mean"))
        measured = np.isin(source.astype(str), OF_SAMPLES) & ~np.isnan(of_mean)
        if figure == "size_bytes":
            source[~np.isnan(own)], measured = FILE, measured & np.isnan(own)
        columns[figure] = np.where(measured, np.where(np.isnan(of_wanted), of_mean, of_wanted), own)
        of_mean_alone = np.isnan(of_wanted) | ~measured
        statistics = np.where(of_mean_alone, np.where(np.isnan(of_mean), "", "mean"), wanted).astype(object)
        statistics[source == FILE] = "as told"
        used += counted(figure, source, statistics)
    missing = tuple(
        fact for fact in cluster.missing
        if not (fact == "sizes" and known(columns["size_bytes"]))
        and not (fact == "rates" and known(columns["bytes_in_per_s"]))
    )  # fmt: skip
    notes = tuple(note for note in cluster.notes if not note.startswith(("sizes of ", "rates of ")))
    origin = tuple(sources(cluster, used))
    notes = (*notes, *sentences(used))
    return replace(cluster, missing=missing, notes=notes, loads_from=origin, **columns), used


def sources(cluster: Cluster, used: list[Used]) -> Iterator[LoadSource]:
    """Where each load comes from; files say it of what goes before samples, and of what has none."""
    for one in used:
        if one.source in OF_SAMPLES:
            yield LoadSource(LOADS[one.figure], f"{one.statistic} of samples, {one.source}", one.partitions)
    yield from (one for one in cluster.loads_from if one.load not in RATES)


def rows_of(cluster: Cluster, loads: pa.Table) -> npt.NDArray[np.int64]:
    """The row of each load in the cluster, which has every partition that ``partition_load`` has."""
    import pyarrow as pa
    import pyarrow.compute as pc

    topic = pc.index_in(loads.column("topic"), pa.array(cluster.topics)).to_numpy().astype(np.int64)
    keys = cluster.topic_idx.astype(np.int64) << 32 | cluster.partition
    return np.searchsorted(keys, topic << 32 | loads.column("partition").to_numpy())


def column_of(
    struct: pa.StructArray, name: str, rows: npt.NDArray[np.int64], n: int
) -> npt.NDArray[np.float64]:
    """``(n,)`` a figure of each partition, NaN where it is not known."""
    found = np.full(n, np.nan)
    found[rows] = struct.field(name).to_numpy(zero_copy_only=False)
    return found


def counted(figure: str, source: npt.NDArray[Any], statistics: npt.NDArray[Any]) -> Iterator[Used]:
    """How many partitions have each source and statistic, most first."""
    pairs: dict[tuple[str, str], int] = {}
    for pair in zip(source.tolist(), statistics.tolist(), strict=True):
        pairs[pair] = pairs.get(pair, 0) + 1
    for (name, statistic), n in sorted(pairs.items(), key=lambda item: (-item[1], item[0])):
        yield Used(figure, statistic, name, n)


def known(column: npt.NDArray[np.float64]) -> bool:
    return not np.all(np.isnan(column))


def sentences(used: list[Used]) -> Iterator[str]:
    """What a report says of the figures that samples had a part in."""
    for figure, noun in NOUNS.items():
        own = [one for one in used if one.figure == figure]
        if any(one.source in OF_SAMPLES for one in own):
            parts = (
                f"{one.source} of {plural(one.partitions, 'partition')}"
                if one.source in (UNKNOWN, FILE)
                else f"{one.statistic} of {plural(one.partitions, 'partition')} {one.source}"
                for one in own
            )
            yield f"{noun}: {'; '.join(parts)}"
