"""``consumers``: bytes a second that consumers in another rack than the preferred leader read."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.judge.arc_costs import Cost, each
from equipoise.judge.counting import Counting
from equipoise.judge.goals.interface import OrderGoal
from equipoise.judge.rates import read
from equipoise.judge.sheet import Sum
from equipoise.judge.views import JointView, OrderView
from equipoise.judge.violations import Case

Int64 = npt.NDArray[np.int64]
PARTS = 1_000_000
MOST = 2.0**42
HIGHEST, LARGE, FINE = 2**46, 2**20, 4


class Consumers(OrderGoal):
    """Told by topic and rack; what nobody tells is read nowhere else, and a rate not known counts 0."""

    name = "consumers"

    def is_known(self, case: Case) -> bool:
        return case.cluster.brokers.has_racks and bool(np.isfinite(read(case.cluster, 1.0)).any())

    def value(self, case: Case) -> int:
        return sum(led_by(case, np.arange(len(case.target)), case.target[:, 0]).tolist())

    def on_orders(self, view: OrderView) -> Cost:
        """A new leader is paid for, and that of today paid back; the offset has what those of today cost."""
        case, choices = view.case, view.choices
        n, today = choices.n_brokers, np.where(choices.home >= 0, choices.home % choices.n_brokers, -1)
        stays = led_by(case, choices.rows, today)
        cost = led_by(case, choices.rows[choices.item], choices.cell % n) - stays[choices.item]
        offset = certain(case) + sum(stays.tolist())
        return each(view.arcs.n, view.arcs.kinds["choose"], cost, offset)

    def parts(self, case: Case) -> int:
        """As many, by powers of 2, as leave the largest cost below `HIGHEST`."""
        return max(1, HIGHEST >> int(table(case).max(initial=1)).bit_length())

    def jointly(self, view: JointView, price: int) -> None:
        view.add_leading(table(view.case), price)
        view.on_arcs.append((each(len(view.placement.network.tail), NONE, offset=certain(view.case)), price))

    def jointly_kept(self, view: JointView, price: int, value: int) -> int:
        """A byte's price is told in parts, as that of ``bytes`` is."""
        cost, fine = table(view.case), FINE
        while int(cost.max(initial=1)) >= LARGE * fine // FINE:
            fine *= 2
        view.add_leading(cost, price, fine)
        return -(-price * (value - certain(view.case)) // fine)

    def counted(self, program: Counting) -> Sum:
        case, cost = program.case, table(program.case).tolist()
        terms = [
            (program.at[row, b, 0], cost[k][b])
            for k, row in enumerate(program.rows)
            for b in program.allowed[row]
            if (row, b, 0) in program.at
        ]
        return Sum(terms, certain(case))


NONE = np.zeros(0, dtype=np.int64)


def far(case: Case) -> Int64:
    """``(n_topics, n_racks)``: millionths of a topic that are read outside each rack."""
    racks, told = case.cluster.brokers.rack_names, case.rules.consumers_in
    shares: dict[str, dict[str, int]] = {}
    for topic, rack, part in told:
        shares.setdefault(topic, {})[rack] = round(part * PARTS)
    rows = [shares.get(topic, shares.get("")) for topic in case.cluster.topics]
    parts = [[0 if row is None else PARTS - row.get(rack, 0) for rack in racks] for row in rows]
    return np.array(parts, dtype=np.int64).reshape(len(rows), len(racks))


def led_by(case: Case, rows: Int64, brokers: npt.NDArray[np.integer]) -> Int64:
    """What is read elsewhere, of partitions led by brokers, ``(n,)`` each; nothing where -1 leads."""
    cluster, table = case.cluster, case.cluster.brokers
    rates = read(cluster, case.rules.consumption)
    rates = np.where(np.isfinite(rates), np.ceil(rates), 0)
    if float(rates.sum()) > MOST or not len(table):
        return np.zeros(len(rows), dtype=np.int64)
    parts = far(case)[cluster.topic_idx[rows], table.rack_idx[brokers]]
    parts = np.where((brokers >= 0) & table.racked[brokers], parts, 0)
    return -(-rates.astype(np.int64)[rows] * parts // PARTS)


def table(case: Case) -> Int64:
    """``(n_rows, n_brokers)`` of partitions that may change: what they cost, led by each."""
    rows, n = np.flatnonzero(case.rules.movable), case.cluster.n_brokers
    every = np.tile(np.arange(n), len(rows))
    return led_by(case, np.repeat(rows, n), every).reshape(len(rows), n)


def certain(case: Case) -> int:
    """What partitions cost that may not change."""
    fixed = np.flatnonzero(~case.rules.movable)
    return sum(led_by(case, fixed, case.before[fixed, 0]).tolist())
