"""Who could lead what where replicas stay, and the nodes that this makes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.judge.violations import Case

Int64 = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Choices:
    """Possible leaders of the partitions that may change; the pairs are in (item, position) order."""

    case: Case
    rows: Int64
    """Partitions that may change."""
    home: Int64
    """``(n_rows,)``: cell of today's leader, -1 where it may not lead on."""
    item: Int64
    """Of each pair: index into ``rows``."""
    cell: Int64
    """Of each pair: the cell of a broker that could lead instead."""

    @property
    def n_brokers(self) -> int:
        return self.case.cluster.n_brokers

    @property
    def first_cell(self) -> int:
        return 1 + len(self.case.cluster.brokers.rack_names) + self.n_brokers

    @property
    def changes(self) -> Int64:
        """Items of the pairs in which a leader that could stay gives way."""
        return self.item[self.home[self.item] >= 0]

    def nodes(self, open_: np.ndarray) -> tuple[Int64, Int64, Int64]:
        """Cells, partitions with a choice and partitions without a leader, as far as pairs are open."""
        kept = self.home[self.item] >= 0
        used = open_ | ~kept
        cells = np.unique(np.concatenate([self.home[self.home >= 0], self.cell[used]]))
        return cells, np.unique(self.item[used & kept]), np.flatnonzero(self.home < 0)


def choices_of(case: Case) -> Choices:
    """Today's leaders and the others that could lead, broker by broker of each list."""
    rows = np.flatnonzero(case.rules.movable)
    lists, n = case.rules.base[rows].astype(np.int64), case.cluster.n_brokers
    topic = case.cluster.topic_idx[rows].astype(np.int64)
    may = (lists >= 0) & case.rules.leads[lists]
    today = case.before[rows, 0].astype(np.int64)
    keeps = (may & (lists == today[:, None])).any(axis=1)
    item, place = np.nonzero(may & (lists != today[:, None]))
    return Choices(
        case, rows, np.where(keeps, topic * n + today, -1), item, topic[item] * n + lists[item, place]
    )
