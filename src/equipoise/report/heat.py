"""Where data goes: how many replicas leave which broker for which other."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Plan, measures
from equipoise.cluster.measures import CountArray
from equipoise.report.brokers import display_order

MAX_SIDE = 240
"""Rows or columns of the map at most; beyond that neighbouring brokers share one."""


def transfers(plan: Plan) -> tuple[CountArray, CountArray]:
    """``(n_brokers, n_brokers)`` replicas from (row) to (column), and ``(n_brokers,)`` added copies.

    The k-th new replica of a partition takes the place of the k-th that goes; what has no such
    place is an added copy (a higher replication factor).
    """
    before, after, n = plan.cluster.replicas, plan.target, plan.cluster.n_brokers
    table, copies = np.zeros(n * n, dtype=np.int64), np.zeros(n, dtype=np.int64)
    rows = plan.changed
    new = packed(after[rows], measures.arrivals(before[rows], after[rows]))
    gone = packed(before[rows], measures.arrivals(after[rows], before[rows]))
    for k in range(new.shape[1]):
        to = new[:, k]
        source = gone[:, k] if k < gone.shape[1] else np.full(len(rows), -1)
        swap, extra = (to >= 0) & (source >= 0), (to >= 0) & (source < 0)
        table += np.bincount(source[swap].astype(np.int64) * n + to[swap], minlength=n * n)
        copies += np.bincount(to[extra], minlength=n)
    return table.reshape(n, n), copies


def packed(replicas: npt.NDArray[np.int32], keep: npt.NDArray[np.bool_]) -> npt.NDArray[np.int32]:
    """The kept entries of each row moved to its front, -1 beyond them; same shape."""
    row, place = np.nonzero(keep)
    front = np.full(replicas.shape, -1, dtype=np.int32)
    front[row, np.cumsum(keep, axis=1)[row, place] - 1] = replicas[row, place]
    return front


def heat_chart(plan: Plan) -> dict[str, Any] | None:
    """The map over the brokers that give (rows) and receive (columns); None without data moves."""
    table, copies = transfers(plan)
    order = display_order(plan)
    stacked = np.vstack([table[order][:, order], copies[order]])
    if not stacked.any():
        return None
    names = [str(i) for i in plan.cluster.brokers.ids[order]]
    gives, takes = np.flatnonzero(stacked.any(axis=1)), np.flatnonzero(stacked.any(axis=0))
    rows, row_names = grouped(stacked[np.ix_(gives, takes)], [[*names, "added copies"][k] for k in gives])
    cells, column_names = grouped(rows.T, [names[k] for k in takes])
    source, target = np.nonzero(cells.T)
    return {
        "id": "transfers",
        "kind": "heat",
        "title": "Replicas from broker to broker",
        "from": row_names,
        "to": column_names,
        "cells": np.column_stack([target, source, cells.T[source, target]]).ravel().tolist(),
        "most": int(cells.max(initial=0)),
    }


def grouped(table: CountArray, names: list[str]) -> tuple[CountArray, list[str]]:
    """Neighbouring rows added up until there are at most ``MAX_SIDE``."""
    step = -(-len(names) // MAX_SIDE)
    if step == 1:
        return table, names
    parts = [names[start : start + step] for start in range(0, len(names), step)]
    labels = [f"{part[0]} … {part[-1]}" for part in parts]
    return np.add.reduceat(table, np.arange(0, len(names), step), axis=0), labels
