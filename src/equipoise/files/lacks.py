"""What shows that the sources tell of a part of a cluster alone.

No format says that it is whole. A part gives itself away: numbers are left out, a topic has fewer partitions
than its own line promises or has no such line, or another source names what no list has. A reassignment JSON
is often of some topics alone; without any of these signs it stands for the whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count, islice
from pathlib import PurePath

import numpy as np

from equipoise.cluster.cluster import Lack
from equipoise.files.agreement import State
from equipoise.formats.fragment import Fragment, Rows, SetAside
from equipoise.wording import plural

SHOWN = 5
"""Topics or partitions named in one sentence."""


def lacks_of(fragments: Sequence[Fragment], state: State) -> tuple[Lack, ...]:
    """What is missing, worst first; nothing where no source gives it away."""
    promised = promises(fragments)
    return (*left_out(state, promised), *strangers(fragments, state), *without_count(fragments, promised))


def explained(lacks: Sequence[Lack], fragments: Sequence[Fragment], pieces: Sequence[SetAside]) -> bool:
    """True where as much was set aside, piece by piece, as is missing: lists that could not be read.

    ``pieces`` are those that were set aside when the fragments were merged. A file of which nothing could be
    read may have told any number of partitions.
    """
    if any(not f.format and f.quarantined for f in fragments):
        return True
    broken = sum(len(f.quarantined) for f in fragments if f.lists is not None)
    return sum(lack.partitions for lack in lacks) <= broken + len(pieces)


def promises(fragments: Sequence[Fragment]) -> dict[str, int]:
    """Partitions that a topic has by its own line."""
    found: dict[str, int] = {}
    for told in (f.partition_counts for f in fragments if f.partition_counts):
        for topic, promise in told.items():
            found[topic] = max(found.get(topic, 0), promise.n)
    return found


def left_out(state: State, promised: Mapping[str, int]) -> Iterator[Lack]:
    """Topics with partitions missing below the highest number, or below the number that is promised."""
    numbers = (state.keys & 0xFFFFFFFF).astype(np.int64)
    starts = np.searchsorted(state.topic_idx, np.arange(len(state.topics.names) + 1))
    have = np.diff(starts)
    highest = numbers[starts[1:] - 1] + 1 if len(numbers) else have
    least = np.array([promised.get(name, 0) for name in state.topics.names], dtype=np.int64)
    wanted = np.maximum(highest, least)
    for topic in np.flatnonzero(have < wanted).tolist():
        there = set(numbers[starts[topic] : starts[topic + 1]].tolist())
        missing = int(wanted[topic] - have[topic])
        first = islice((str(k) for k in count() if k not in there), min(missing, SHOWN))
        name, of = state.topics.names[topic], plural(int(wanted[topic]), "partition")
        yield Lack(f"topic {name} lacks {missing:,} of {of} ({named([*first], missing)})", missing)


def without_count(fragments: Sequence[Fragment], promised: Mapping[str, int]) -> Iterator[Lack]:
    """Topics of a describe text without a line of their own: an output of some partitions has none."""
    for fragment in fragments:
        if fragment.lists is None or fragment.partition_counts is None:
            continue
        alone = [topic for topic in names_in(fragment.lists) if topic not in promised]
        if alone:
            topics = "topic" if len(alone) == 1 else "topics"
            told = f"{file_of(fragment)} has no line with the PartitionCount of {topics} "
            yield Lack(told + named(alone), len(alone))


def strangers(fragments: Sequence[Fragment], state: State) -> Iterator[Lack]:
    """Topics that a source names and no list has, or partitions of those that have some."""
    for fragment in fragments:
        told = (fragment.log_dirs, fragment.figures, fragment.in_flight)
        tables = [rows for rows in told if rows is not None]
        counts = fragment.partition_counts or {}
        rows_of = (name for rows in tables for name in names_in(rows))
        topics = {*fragment.topic_configs, *counts, *fragment.untold, *rows_of}
        unknown = sorted(topics - state.topics.position.keys())
        labels = sorted({label for rows in tables for label in unlisted(rows, state)})
        if unknown:
            n = sum(max(1, counts[name].n if name in counts else 1) for name in unknown) + len(labels)
            what = plural(len(unknown), "topic")
            yield Lack(f"{file_of(fragment)} names {what} without a list ({named(unknown)})", n)
        elif labels:
            what = plural(len(labels), "partition")
            yield Lack(f"{file_of(fragment)} names {what} without a list ({named(labels)})", len(labels))


def names_in(rows: Rows) -> list[str]:
    """Topics of which there is at least one row, in order."""
    return [rows.topics[k] for k in np.flatnonzero(np.bincount(rows.topic_idx)).tolist()]


def unlisted(rows: Rows, state: State) -> Iterator[str]:
    """Labels of the rows that no list is of, though their topic has some."""
    missing = state.rows_of(rows) < 0
    if not missing.any():
        return
    keys = np.unique(state.topics.keys(rows)[missing])
    yield from (state.topics.label(key) for key in keys[keys >= 0].tolist())


def named(some: Sequence[str], of: int | None = None) -> str:
    """``a, b, c`` and how many more there are, of so many (None: no more than those given)."""
    more = (len(some) if of is None else of) - SHOWN
    return ", ".join(some[:SHOWN]) + (f" and {more:,} more" if more > 0 else "")


def file_of(fragment: Fragment) -> str:
    return PurePath(fragment.source).name
