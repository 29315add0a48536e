"""The moves table in columns: small enough to travel inside the page, searched in the browser."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Plan, measures
from equipoise.files.plan_summary import reasons_of
from equipoise.planning.telling.explain import cause

MAX_ROWS = 20_000
"""Rows that a page carries; the others are named, and stand in reassignment.json."""

NUMBER = re.compile(r"\b\d[\d,.]*\b")

KINDS = ("moves data", "is created", "changes leader", "reorders")


def kinds(plan: Plan) -> npt.NDArray[np.int8]:
    """For each changed row a position in ``KINDS``: the costliest thing that happens to it."""
    before, after = plan.cluster.replicas[plan.changed], plan.target[plan.changed]
    copies = measures.arrivals(before, after).any(axis=1)
    created = ~(before >= 0).any(axis=1)
    leads = measures.leadership_changed(before, after)
    return np.select([created, copies, leads], [1, 0, 2], default=3).astype(np.int8)


def moves_table(
    plan: Plan, limit: int = MAX_ROWS, waves: Sequence[npt.NDArray[np.int64]] = ()
) -> dict[str, Any]:
    """The first ``limit`` changes, those that move data first, then by topic and partition.

    In columns: ``topic`` and ``why`` point into ``topics`` and ``sentences``, ``kind`` into ``kinds``;
    ``before`` and ``after`` are lists of broker ids, ``bytes`` is None where not known, and ``wave`` is the
    number of the one of ``waves`` that has the row, 0 of none.
    """
    cluster, kind = plan.cluster, kinds(plan)
    chosen = np.argsort(kind, kind="stable")[:limit]
    rows = plan.changed[chosen]
    topics, topic = np.unique(cluster.topic_idx[rows], return_inverse=True)
    before, after = id_lists(plan, cluster.replicas[rows]), id_lists(plan, plan.target[rows])
    sentences, why = indexed(reasons_of(plan, rows))
    return {
        "total": len(kind),
        "shown": len(rows),
        "kinds": list(KINDS),
        "counts": np.bincount(kind, minlength=len(KINDS)).tolist(),
        "topics": [cluster.topics[t] for t in topics],
        "sentences": sentences,
        "topic": topic.tolist(),
        "partition": cluster.partition[rows].tolist(),
        "kind": kind[chosen].tolist(),
        "before": before,
        "after": after,
        "bytes": [None if np.isnan(b) else int(b) for b in moved_bytes(plan, rows)],
        "why": why,
        "wave": wave_numbers(plan, waves)[rows].tolist(),
    }


def wave_numbers(plan: Plan, waves: Sequence[npt.NDArray[np.int64]]) -> npt.NDArray[np.int32]:
    """``(n_partitions,)`` the wave of each row, from 1."""
    number = np.zeros(plan.cluster.n_partitions, dtype=np.int32)
    for at, rows in enumerate(waves, 1):
        number[rows] = at
    return number


def moved_bytes(plan: Plan, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Bytes that each row copies, NaN where its size is not known."""
    new = measures.arrivals_by_row(plan.cluster.replicas[rows], plan.target[rows])
    return np.where(new > 0, plan.cluster.size_bytes[rows] * new, 0.0)


def id_lists(plan: Plan, replicas: npt.NDArray[np.int32]) -> list[list[int]]:
    """Broker ids as lists without padding."""
    return [[i for i in row if i >= 0] for row in plan.cluster.ids_of(replicas).tolist()]


def indexed(values: Iterable[str]) -> tuple[list[str], list[int]]:
    """Distinct values in order of appearance, and the position of each value among them."""
    place: dict[str, int] = {}
    at = [place.setdefault(value, len(place)) for value in values]
    return list(place), at


def reasons(plan: Plan, limit: int = 12) -> list[dict[str, Any]]:
    """Why things change, most frequent first: ``[{"why", "count"}]``, without where they go.

    Where there are more than ``limit`` sentences, those that differ only in their numbers go together.
    """
    together = Counter(map(cause, plan.why.values()))
    if len(together) > limit:
        together, distinct = Counter(), together
        for sentence, count in distinct.items():
            together[NUMBER.sub("…", sentence)] += count
    ranked = sorted(together.items(), key=lambda item: (-item[1], item[0]))
    listed = [{"why": why, "count": count} for why, count in ranked[:limit]]
    rest = sum(count for _, count in ranked[limit:])
    return listed + ([{"why": "other reasons", "count": rest}] if rest else [])
