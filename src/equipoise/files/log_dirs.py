"""Log dirs: of a cluster, from all sources that tell of them; of a plan, as Kafka's JSON names them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from equipoise.cluster import Plan
from equipoise.cluster.brokers import IntArray
from equipoise.cluster.log_dirs import LogDirs
from equipoise.files.agreement import State
from equipoise.formats.fragment import Fragment, LogDirFacts


def log_dirs_of(fragments: Sequence[Fragment], state: State) -> LogDirs | None:
    """Dirs and what lies in them; None where no broker is known to have more than one.

    Of two sources that tell of a dir the last by name holds. A replica that sources see in two dirs of a
    broker is on its way between reading them: where it lies is not known.
    """
    tables = [f.log_dirs for f in fragments if f.log_dirs is not None and f.log_dirs.each]
    each: dict[tuple[int, str], LogDirFacts] = {
        (told.broker, told.path): told for table in tables for told in table.each
    }
    if len({broker for broker, _ in each}) == len(each):
        return None
    names = sorted(each)
    position = {name: at for at, name in enumerate(names)}
    rows, places = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int32)]
    for table in tables:
        row = state.rows_of(table)
        kept = (row >= 0) & ~table.is_future
        kept[kept] = np.any(state.replicas[row[kept]] == table.broker[kept, None], axis=1)
        # Positions of (broker, path) pairs by way of the few pairs that there are.
        pairs = table.broker[kept].astype(np.int64) << 32 | table.dir_idx[kept]
        few, which = np.unique(pairs, return_inverse=True)
        at = [position[pair >> 32, table.dirs[pair & 0xFFFFFFFF]] for pair in few.tolist()]
        rows.append(row[kept])
        places.append(np.array(at, dtype=np.int32)[which])
    broker = np.array([broker for broker, _ in names], dtype=np.int32)
    held = np.unique(np.concatenate(rows) << 32 | np.concatenate(places))
    row, at_dir = held >> 32, (held & 0xFFFFFFFF).astype(np.int32)
    replica = row << 32 | broker[at_dir]
    once = np.ones(len(held), dtype=bool)
    same = replica[1:] == replica[:-1]
    once[1:] &= ~same
    once[:-1] &= ~same
    return LogDirs(
        broker=broker,
        paths=tuple(path for _, path in names),
        total_bytes=np.array([each[name].total_bytes for name in names]),
        usable=np.array([each[name].usable for name in names], dtype=bool),
        row=row[once],
        at=at_dir[once],
    )


def named_dirs(plan: Plan) -> IntArray | None:
    """Of each replica that comes to a broker or changes its dir there, the dir; -1 for the others.

    As `Plan.target`; None for a plan without log dirs. A replica that stays where it is is not named: Kafka
    leaves it there.
    """
    cluster, wanted = plan.cluster, plan.dirs
    if cluster.dirs is None or wanted is None:
        return None
    held = cluster.dirs.held(cluster.ids_of(plan.target))
    return np.where(wanted.target != held, wanted.target, -1).astype(np.int32)


def dirs_before(plan: Plan) -> IntArray | None:
    """Of each replica before the plan that goes away or changes its dir, the dir that it lay in; else -1.

    As `Cluster.replicas`: what a way back has to name; None for a plan without log dirs.
    """
    cluster, wanted = plan.cluster, plan.dirs
    lists = cluster.replicas
    if cluster.dirs is None or wanted is None:
        return None
    held = cluster.dirs.held(cluster.ids_of(lists))
    stays = np.zeros(lists.shape, dtype=bool)
    for k in range(plan.target.shape[1]):
        same_broker = lists == plan.target[:, k : k + 1]
        stays |= same_broker & (held == wanted.target[:, k : k + 1])
    return np.where(stays, -1, held).astype(np.int32)
