"""Whether the log dirs of a cluster are far enough off for a round of ``equipoise watch``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from equipoise.cluster import Cluster, Plan
    from equipoise.planning.problem.request import Request


def must_be_emptied(plan: Plan, request: Request) -> bool:
    """Whether the plan takes something out of a log dir that is to be empty."""
    dirs = plan.cluster.dirs
    if dirs is None or plan.dirs is None:
        return False
    held = dirs.held(plan.cluster.ids_of(plan.target))[plan.dirs.moved(plan.cluster, plan.target)]
    return any((held == dirs.position(broker, path)).any() for broker, path in request.drain_dir)


def furthest_dirs(cluster: Cluster) -> Iterator[tuple[str, int, float]]:
    """Path, broker and percent off its share of each log dir that takes replicas, of brokers with several.

    Shares go by the volumes of a broker where all are known. Where a size is not known replicas are counted,
    and one within one of its share is as level as can be.
    """
    import numpy as np

    dirs = cluster.dirs
    if dirs is None:
        return
    counted = bool(np.isnan(cluster.size_bytes[dirs.row]).any())
    weight = np.ones(len(dirs.row)) if counted else cluster.size_bytes[dirs.row]
    holds = np.bincount(dirs.at, weights=weight, minlength=len(dirs))
    for broker in np.unique(dirs.broker).tolist():
        mine = np.flatnonzero((dirs.broker == broker) & dirs.usable)
        volumes = dirs.total_bytes[mine]
        parts = np.ones(len(mine)) if np.isnan(volumes).any() else volumes
        share = holds[mine].sum() * parts / parts.sum() if len(mine) else parts
        for at, part in zip(mine.tolist(), share.tolist(), strict=True):
            off = abs(holds[at] - part)
            if len(mine) > 1 and part > 0 and off > (1.0 if counted else 0.0):
                yield dirs.paths[at], broker, float(100 * off / part)
