"""What each partition weighs, what each broker should bear, and how far outside its band it is.

======================  ===================================================================
load                    weight
======================  ===================================================================
``count``               1 of each replica
``leaders``             1 of the leader alone
``disk``                bytes of each replica
``network-in``          producer bytes a second of each replica, leader and follower alike; size / retention
                        where no source tells them
``leaders-in``          of the leader alone: producer bytes a second
``replication-out``     of the leader alone: ``bytes_in * (rf - 1)`` a second, what it sends to followers
``network-out``         of the leader alone: ``bytes_in * (rf - 1) + bytes_out`` a second
``cpu``                 of the leader alone: millionths of a percent of a broker's CPU, as a source tells them
======================  ===================================================================

Everything is whole numbers (bytes, bytes a second), so sums are exact and equal on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.cluster import measures
from equipoise.cluster.brokers import SHARED_BY, FloatArray, IntArray
from equipoise.cluster.rates import MILLION, inbound, outbound, room
from equipoise.errors import UnusableInput
from equipoise.planning.goals import GOALS, value_of
from equipoise.planning.problem.bands import whole_weights
from equipoise.planning.problem.problem import OF_LEADERS, Problem
from equipoise.planning.rules.max_fill import percents
from equipoise.planning.rules.rack_capacity import capacity_of
from equipoise.wording import plural

Int64 = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

ANYTHING = np.int64(2**62)
"""The end of a band that has none: more than loads, in bytes, add up to."""
RATES = "A metrics folder or Cruise Control's partition_load gives rates; "
ADVICE = {
    "sizes": "kafka-log-dirs --describe gives sizes",
    "inbound rates": f"{RATES}sizes with retention.ms tell inbound ones",
    "outbound rates": f"{RATES}--consumption says how often a record is read",
    "CPU figures": "Cruise Control's partition_load gives them",
}
"""Who tells what is not known."""
FILL = "fill-"
IN_RACK = "fill-rack"
COUNTED = {goal.load: name for name, goal in GOALS.items() if goal.load}
"""The loads that are counts, and the goal that levels each."""


@dataclass(frozen=True, eq=False)
class Load:
    """One load of ``--balance`` and the bands of its brokers."""

    name: str
    """As in ``--balance``."""
    weight: Int64
    """``(n_partitions,)`` bytes, bytes a second, or 1, of one replica (of the leader if ``of_leaders``)."""
    low: Int64
    """``(n_brokers,)``: band of each broker; from 0 to anything where it may hold nothing."""
    high: Int64
    share: FloatArray
    """``(n_brokers,)``: what each should bear; 0 where it may hold nothing."""

    @property
    def of_leaders(self) -> bool:
        return self.name.removeprefix(FILL) in OF_LEADERS

    @property
    def goal(self) -> str:
        """Its name in the certificate."""
        return COUNTED.get(self.name, self.name)

    @property
    def counts(self) -> bool:
        """True where replicas or leaders are counted, of which the goals of the same name know the value."""
        return self.name in COUNTED

    def held(self, lists: IntArray) -> Int64:
        """``(n_brokers,)``: what each broker bears."""
        return borne(lists[:, :1] if self.of_leaders else lists, self.weight, len(self.low))

    def outside(self, held: Int64) -> Int64:
        """Distance from the band, of loads in the last axis."""
        return np.maximum(np.maximum(self.low - held, held - self.high), 0)

    def value(self, lists: IntArray) -> int:
        """The level: bytes outside the bands, summed over brokers."""
        return int(self.outside(self.held(lists)).sum())


def borne(lists: IntArray, weight: Int64, n_brokers: int) -> Int64:
    """``(n_brokers,)`` sums of weights over lists ``(n, width)`` of broker positions."""
    total = np.zeros(n_brokers + 1, dtype=np.int64)
    for brokers in lists.T:  # of lists without a replica there the last element takes the weight
        np.add.at(total, brokers, weight)
    return total[:-1]


def loads_of(problem: Problem) -> tuple[Load, ...]:
    """The loads of ``--balance`` in their order. Raises `UnusableInput` where sizes or rates are unknown."""
    return tuple(load_of(problem, name) for name in (*fills(problem), *problem.request.mix))


def fills(problem: Problem) -> tuple[str, ...]:
    """What may not fill brokers, as loads in front of all others: their names are those of goals, too."""
    racks = (IN_RACK,) if problem.within_racks else ()
    return (*racks, *(FILL + load for load in percents(problem)))


def load_of(problem: Problem, name: str) -> Load:
    """The load of that name. Raises `UnusableInput` where its sizes or rates are unknown."""
    if name == IN_RACK:
        return rack_load(problem)
    if name.startswith(FILL):
        return fill_of(problem, name)
    leads = name in OF_LEADERS
    weight = weights_of(problem, name)
    copies = np.ones_like(problem.rf) if leads else problem.rf
    allowed = problem.leads if leads else problem.eligible
    still = borne(stays(problem)[:, : 1 if leads else None], weight, problem.cluster.n_brokers)
    # What stays on brokers that may bear nothing is nobody's share.
    total = int(still[allowed].sum()) + int((weight * copies)[problem.movable].sum())
    part = capacities(problem, name, allowed)
    low, high = band(total, part, problem.request.sides(name))
    return Load(name, weight, low, high, total * (part / max(1, part.sum())))


def fill_of(problem: Problem, name: str) -> Load:
    """The load of ``--max-fill``: a band from nothing up to what capacity allows."""
    load = name.removeprefix(FILL)
    full = np.nan_to_num(room(problem.cluster.brokers, load, percents(problem)[load]), posinf=0.0)
    bears = problem.leads if load in OF_LEADERS else problem.eligible
    high = np.where(bears, np.minimum(full, 2.0**60), ANYTHING).astype(np.int64)
    return Load(name, weights_of(problem, load), np.zeros_like(high), high, np.maximum(full, 1.0))


def rack_load(problem: Problem) -> Load:
    """The load of ``--rack-capacity``: a band from nothing up to a broker's part of what its rack may hold.

    Parts go by weight, and what stays on brokers that may hold nothing is taken off first.
    """
    cluster, eligible = problem.cluster, problem.eligible
    weight, high = weights_of(problem, "disk"), np.full(problem.cluster.n_brokers, ANYTHING)
    # It fills the rack, though no broker with a band bears it.
    fixed = np.where(eligible, 0, borne(stays(problem), weight, cluster.n_brokers))
    for rack, capacity in capacity_of(cluster, problem.request).items():
        inside = cluster.brokers.rack_idx == rack
        mine = inside & eligible
        part = whole_weights(cluster.brokers.weight[mine]).tolist()
        left = max(0, capacity - int(fixed[inside].sum()))
        high[mine] = [left * each // max(1, sum(part)) for each in part]
    return Load(IN_RACK, weight, np.zeros_like(high), high, np.maximum(high, 1).astype(np.float64))


def stays(problem: Problem) -> IntArray:
    """The lists of partitions that may not change, -1 elsewhere."""
    return np.where(problem.movable[:, None], -1, problem.current)


def weights_of(problem: Problem, goal: str) -> Int64:
    """``(n_partitions,)``; partitions that are to be created count, and weigh nothing yet."""
    cluster = problem.cluster
    if goal in COUNTED:
        return np.ones(cluster.n_partitions, dtype=np.int64)
    if goal == "disk":
        return rounded_up(problem, cluster.size_bytes, "sizes", f"--balance {goal}")
    if goal == "cpu":
        return rounded_up(problem, cluster.cpu_percent * MILLION, "CPU figures", f"--balance {goal}")
    inward = rounded_up(problem, inbound(cluster), "inbound rates", f"--balance {goal}")
    if goal in ("network-in", "leaders-in"):
        return inward
    if goal == "replication-out":
        return inward * (problem.rf - 1)
    consumed = outbound(cluster, problem.request.consumption)
    outward = rounded_up(problem, consumed, "outbound rates", f"--balance {goal}")
    return inward * (problem.rf - 1) + outward


def rounded_up(problem: Problem, column: FloatArray, what: str, option: str) -> Int64:
    """A column in whole numbers, rounded up. Raises `UnusableInput` where one is not known."""
    unknown = np.flatnonzero(np.isnan(column) & (problem.cluster.rf > 0))
    if len(unknown):
        first = problem.cluster.label(int(unknown[0]))
        raise UnusableInput(
            f"the {what} of {plural(len(unknown), 'partition')} are not known ({first} is the first)",
            source=option,
            advice=ADVICE[what],
        )
    return np.ceil(np.nan_to_num(column)).astype(np.int64)


def copy_cost(problem: Problem) -> Int64 | None:
    """Bytes of each replica; None where no size is known and so moves alone can be counted."""
    sizes = problem.cluster.size_bytes
    return measures.whole_sizes(sizes) if measures.sizes_known(sizes) else None


def weighed_value(problem: Problem, lists: IntArray, goal: str) -> int:
    """The value of a goal, weighed ones among them."""
    if goal not in (*fills(problem), *problem.request.mix) or goal in COUNTED:
        return value_of(problem, lists, goal)
    return load_of(problem, goal).value(lists)


def capacities(problem: Problem, goal: str, allowed: BoolArray) -> Int64:
    """``(n_brokers,)`` whole-number shares: by capacity where known of all, else by weight; 0 elsewhere."""
    brokers = problem.cluster.brokers
    known = getattr(brokers, SHARED_BY[goal])[allowed] if goal in SHARED_BY else np.zeros(0)
    usable = len(known) > 0 and bool(np.all(np.isfinite(known) & (known > 0)))
    share = np.zeros(len(allowed), dtype=np.int64)
    share[allowed] = whole_weights(known if usable else brokers.weight[allowed])
    return share


def band(total: int, share: Int64, tolerance: tuple[float, float]) -> tuple[Int64, Int64]:
    """Share of the total ± tolerance percent, rounded outwards, in Python's integers: they never overflow."""
    below, above = (round(side * 1000) for side in tolerance)
    parts = max(1, int(share.sum())) * 100_000
    low = [max(0, total * s * (100_000 - below) // parts) for s in share.tolist()]
    # Outwards, so that every band has a whole number inside, even with no tolerance.
    high = [-(-total * s * (100_000 + above) // parts) if s else int(ANYTHING) for s in share.tolist()]
    return np.array(low, dtype=np.int64), np.array(high, dtype=np.int64)
