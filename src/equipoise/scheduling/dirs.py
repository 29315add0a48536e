"""Replicas that change their log dirs on brokers where they stay, in waves."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Plan
from equipoise.wording import plural

RowArray = npt.NDArray[np.int64]


def dir_waves(plan: Plan, max_inflight: int, disk_limit: float) -> tuple[tuple[RowArray, ...], list[str]]:
    """Waves of rows that keep their lists and change log dirs, at most ``max_inflight`` each, and remarks.

    A broker keeps the old copy until the new one is whole. So a row waits for a later wave where a dir of
    known size would hold more than ``disk_limit`` of it with both; rows without such a wave come last,
    together.
    """
    dirs, wanted = plan.cluster.dirs, plan.dirs
    rows = np.setdiff1d(plan.touched, plan.changed)
    if dirs is None or wanted is None or not len(rows):
        return (), []
    ids = plan.cluster.ids_of(plan.target)
    held = dirs.held(ids)
    sizes = np.nan_to_num(plan.cluster.size_bytes)
    moved = wanted.moved(plan.cluster, plan.target)
    full = np.zeros(len(dirs))
    there = wanted.target.copy()  # what comes from other brokers has come by then
    # Before its wave a replica fills the dir that it is in, not yet the one that it goes to.
    there[rows] = np.where(moved[rows], held[rows], there[rows])
    np.add.at(full, there[there >= 0], np.broadcast_to(sizes[:, None], held.shape)[there >= 0])
    limit = np.where(np.isnan(dirs.total_bytes), np.inf, dirs.total_bytes * disk_limit)
    waves: list[RowArray] = []
    left = rows.tolist()
    while left:
        wave: list[int] = []
        # What goes makes room only once the wave is over: within it nobody knows which copy is done first.
        gone, coming = np.zeros(len(dirs)), np.zeros(len(dirs))
        for row in left:
            columns = np.flatnonzero(moved[row])
            to = wanted.target[row, columns]
            if len(wave) < max_inflight and (full[to] + coming[to] + sizes[row] <= limit[to]).all():
                wave.append(row)
                coming[to] += sizes[row]
                gone[held[row, columns]] += sizes[row]
        if not wave:
            break
        full += coming - gone
        taken = set(wave)
        left = [row for row in left if row not in taken]
        waves.append(np.array(wave, dtype=np.int64))
    if not left:
        return tuple(waves), []
    some = plural(len(left), "partition")
    return (*waves, np.array(left, dtype=np.int64)), [
        f"log dirs have no room for both copies of {some} that change theirs: make some before the last wave"
    ]
