"""Loads of partitions from all sources: which source tells which figure, and what of it cannot be so."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

import numpy as np
import numpy.typing as npt

from equipoise.cluster.brokers import FloatArray, IntArray
from equipoise.cluster.cluster import COLUMN_OF_LOAD, LoadSource
from equipoise.files.agreement import State
from equipoise.formats.fragment import BoolArray, Fragment, LogDirReplicas, SetAside
from equipoise.wording import plural

Rows = npt.NDArray[np.int64]

LOADS = {column: load for load, column in COLUMN_OF_LOAD.items()}
"""Columns of a cluster, and the loads that they are figures of."""
NOUNS = {
    "size_bytes": ("sizes", "bytes"),
    "bytes_in_per_s": ("inbound rates", "bytes a second"),
    "bytes_out_per_s": ("outbound rates", "bytes a second"),
    "cpu_percent": ("CPU figures", "percent"),
}
MOST = {"size_bytes": 2.0**50, "bytes_in_per_s": 2.0**40, "bytes_out_per_s": 2.0**43, "cpu_percent": 1e4}
"""Of one partition more than this is absurd: 1 PiB, 1 TiB a second in, 8 TiB a second out, 100 brokers."""
APART = 0.1
"""Sources contradict each other beyond this part of the greater figure: they tell of different moments."""
TENFOLD = 10
SEGMENTS = 2.0**31
"""So far apart sizes of replicas may be: each deletes segments, of 1 GiB as a rule, when it comes to it."""
NAMED = 3
LOG_DIRS = "log dirs"


@dataclass(eq=False)
class Told:
    """What the sources tell; grows while they are read."""

    state: State
    columns: dict[str, FloatArray]
    """``(n_partitions,)`` of each name in `LOADS`, NaN where unknown."""
    origin: dict[str, npt.NDArray[np.int16]]
    """``(n_partitions,)``: position in ``names`` of the source of each figure, -1 for none."""
    names: list[str] = field(default_factory=list)
    """Sources as they are called in ``sources``."""
    files: list[str] = field(default_factory=list)
    """The same sources as doubts call them."""
    set_aside: list[SetAside] = field(default_factory=list)
    doubts: tuple[str, ...] = ()

    def label(self, row: int) -> str:
        """``topic-partition`` of a row."""
        return self.state.topics.label(int(self.state.keys[row]))

    @property
    def sources(self) -> tuple[LoadSource, ...]:
        """Of each load its sources, the one that tells most first."""
        found = []
        for column, load in LOADS.items():
            at, n = np.unique(self.origin[column], return_counts=True)
            pairs = [(k, m) for k, m in zip(at.tolist(), n.tolist(), strict=True) if k >= 0]
            told = [LoadSource(load, self.names[k], m) for k, m in pairs]
            found += sorted(told, key=lambda one: (-one.partitions, one.source))
        return tuple(found)


def loads_told(fragments: Sequence[Fragment], state: State) -> Told:
    """The loads of the partitions of ``state``: log dirs go before estimates, files by name.

    A figure that cannot be so is set aside, as if its source did not tell it: one that is negative or absurd,
    two of one source for a partition, sizes of replicas in sync that are far apart. Of figures that
    contradict each other the first counts; the doubts say which. ``fragments`` are in the order of their
    names.
    """
    n = len(state.keys)
    told = Told(
        state,
        {name: np.full(n, np.nan) for name in LOADS},
        {name: np.full(n, -1, dtype=np.int16) for name in LOADS},
    )
    of_dirs(told, [(f.source, f.log_dirs) for f in fragments if f.log_dirs is not None])
    contradictions: list[str] = []
    for fragment in fragments:
        figures, file = fragment.figures, PurePath(fragment.source).name
        if figures is None:
            continue
        told.names.append(f"{fragment.format} ({file})")
        told.files.append(file)
        row = state.rows_of(figures)
        for name in LOADS:
            values = getattr(figures, name)
            if values is not None and not np.isnan(values).all():
                contradictions += of_figures(told, name, row, values)
    told.doubts = (*set_aside_sentences(told.set_aside), *contradictions)
    return told


def of_dirs(told: Told, tables: Sequence[tuple[str, LogDirReplicas]]) -> None:
    """Sizes from log dirs, by source: of each partition the largest of its replicas."""
    if not tables:
        return
    state, size = told.state, told.columns["size_bytes"]
    least, brokers = np.full(len(size), np.inf), set[int]()
    used: list[tuple[Rows, IntArray, FloatArray]] = []
    for source, table in tables:
        row = state.rows_of(table)
        current = (row >= 0) & ~table.is_future
        current[current] = np.any(state.replicas[row[current]] == table.broker[current, None], axis=1)
        row, broker, values = row[current], table.broker[current], table.size_bytes[current]
        bad = impossible("size_bytes", values)
        aside(told, source, "size_bytes", row, values, bad, broker=broker)
        row, broker, values = row[~bad], broker[~bad], values[~bad]
        np.fmax.at(size, row, values)
        np.fmin.at(least, row, values)
        brokers |= set(np.unique(broker).tolist())
        used.append((row, broker, values))
    far = np.flatnonzero((size > TENFOLD * least) & (size - least > SEGMENTS))
    for at, sizes in sizes_in_sync(state, far, used).items():
        disagreement(told, at, sizes)
    told.names.append(f"{LOG_DIRS} of {plural(len(brokers), 'broker')}")
    told.files.append(LOG_DIRS)
    told.origin["size_bytes"][~np.isnan(size)] = len(told.names) - 1


def sizes_in_sync(
    state: State, rows: Rows, used: Sequence[tuple[Rows, IntArray, FloatArray]]
) -> dict[int, dict[int, float]]:
    """Of some partitions the size on each broker that is in sync; ``used``: rows, brokers and sizes."""
    found: dict[int, dict[int, float]] = {at: {} for at in rows.tolist()}
    for row, broker, values in used:
        some = np.isin(row, rows) & ~np.isnan(values)
        rest = (column[some].tolist() for column in (row, broker, values))
        for at, one, size in zip(*rest, strict=True):
            if not state.isr_told[at] or one in state.isr[at]:
                found[at][one] = max(size, found[at].get(one, 0.0))
    return found


def disagreement(told: Told, row: int, sizes: dict[int, float]) -> None:
    """Set the sizes of a partition aside if its replicas in sync are far apart; one that lags may be."""
    if not sizes:
        return
    most, least = max(sizes, key=lambda b: sizes[b]), min(sizes, key=lambda b: sizes[b])
    if sizes[most] <= max(TENFOLD * sizes[least], sizes[least] + SEGMENTS):
        return
    text = f"broker {most}: {sizes[most]:,.0f}, broker {least}: {sizes[least]:,.0f}"
    told.columns["size_bytes"][row] = np.nan
    told.set_aside.append(
        SetAside(LOG_DIRS, None, told.label(row), text, "sizes of replicas in sync that disagree")
    )


def of_figures(told: Told, name: str, row: Rows, values: FloatArray) -> Iterator[str]:
    """Take what one source tells of a load where none before it did; sentences of what contradicts those."""
    column, origin, source = told.columns[name], told.origin[name], len(told.names) - 1
    known = (row >= 0) & ~np.isnan(values)
    row, values = row[known], values[known]
    bad = impossible(name, values)
    aside(told, told.files[source], name, row, values, bad)
    row, values = row[~bad], values[~bad]
    twice = told_twice(row, values)
    aside(told, told.files[source], name, row, values, twice, reason=f"two {NOUNS[name][0]} of one partition")
    row, values = row[~twice], values[~twice]
    before = column[row]
    apart = np.abs(before - values) > APART * np.maximum(before, values)  # never where one is unknown
    for other in np.unique(origin[row[apart]]).tolist():
        at = np.flatnonzero(apart & (origin[row] == other))
        worst = at[np.argmax(np.abs(before - values)[at])]
        nouns, unit = NOUNS[name]
        example = f"{told.label(row[worst])}: {values[worst]:,.0f} and {before[worst]:,.0f} {unit}"
        yield (
            f"contradiction: {told.files[source]} tells other {nouns} than {told.files[other]} of "
            f"{plural(len(at), 'partition')} ({example}); those of {told.files[other]} count"
        )
    new = np.isnan(before)
    column[row[new]], origin[row[new]] = values[new], source


def impossible(name: str, values: FloatArray) -> BoolArray:
    """Figures that cannot be so."""
    return np.asarray((values < 0) | (values > MOST[name]))


def told_twice(row: Rows, values: FloatArray) -> BoolArray:
    """Figures of partitions of which the same source tells another one, too."""
    if len(np.unique(row)) == len(row):
        return np.zeros(len(row), dtype=bool)
    order = np.lexsort((values, row))
    differs = (row[order][1:] == row[order][:-1]) & (values[order][1:] != values[order][:-1])
    return np.isin(row, row[order][1:][differs])


def aside(
    told: Told, source: str, name: str, row: Rows, values: FloatArray, bad: BoolArray,
    broker: IntArray | None = None, reason: str = "",
) -> None:  # fmt: skip
    """Keep in mind what is not used of a source, with the reason."""
    for at in np.flatnonzero(bad).tolist():
        value = float(values[at])
        nouns, unit = NOUNS[name]
        absurd = f"{nouns} of more than {MOST[name]:,.0f} {unit}"
        why = reason or (f"negative {nouns}" if value < 0 else absurd)
        label = told.label(row[at]) + ("" if broker is None else f" on broker {broker[at]}")
        told.set_aside.append(SetAside(source, None, label, f"{value:.6g}", why))


def set_aside_sentences(pieces: Sequence[SetAside]) -> Iterator[str]:
    """A sentence for each source and reason, with the first few by name."""
    groups: dict[tuple[str, str], list[SetAside]] = {}
    for piece in pieces:
        groups.setdefault((PurePath(piece.source).name, piece.reason), []).append(piece)
    for (source, reason), group in groups.items():
        named = ", ".join(f"{piece.place}: {piece.text}" for piece in group[:NAMED])
        more = f" and {len(group) - NAMED:,} more" if len(group) > NAMED else ""
        yield f"set aside from {source}: {reason} ({named}{more})"
