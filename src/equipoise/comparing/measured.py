"""One row of a comparison: the six criteria of Appier's survey and the costs, measured on the answer.

Appier, "Kafka reassignment 方案" (2022), asks of each tool: storage, racks, least movement, leaders,
the same output again, leaders after a failure. There they are said of a tool, here measured of its plan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Level, measures
from equipoise.cluster.apart import Spread
from equipoise.cluster.apart import apart as brokers_apart
from equipoise.cluster.brokers import IntArray
from equipoise.cluster.rates import inbound
from equipoise.planning.goals import GOALS, is_known, value_of, weighs
from equipoise.planning.loads import weighed_goals, weighed_value
from equipoise.planning.loads.weights import capacities
from equipoise.planning.problem.problem import Problem
from equipoise.planning.rules.rack_rule import is_strict
from equipoise.planning.telling.written import SQUARED, apart_words, written

CRITERIA: tuple[dict[str, str], ...] = (
    {"key": "replicas_apart", "title": "Replicas apart", "unit": "count", "better": "low",
     "meaning": "Most replicas on a broker less fewest"},
    {"key": "bytes_apart", "title": "Bytes apart", "unit": "bytes", "better": "low",
     "meaning": "Most bytes on a broker less fewest"},
    {"key": "worst_disk", "title": "Worst disk", "unit": "share", "better": "low",
     "meaning": "The broker whose bytes are farthest from its share, of that share"},
    {"key": "rack_violations", "title": "Against the rack rule", "unit": "count", "better": "low",
     "meaning": "Partitions with more replicas in a rack than the rule allows"},
    {"key": "leaders_apart", "title": "Leaders apart", "unit": "count", "better": "low",
     "meaning": "Most preferred leaders on a broker less fewest"},
    {"key": "worst_leaders_bytes", "title": "Worst leaders' bytes", "unit": "share", "better": "low",
     "meaning": "The broker whose leaders take in what is farthest from its share, of that share"},
    {"key": "same_twice", "title": "Same twice", "unit": "count", "better": "high",
     "meaning": "The same input, another draw of lots: the same answer"},
    {"key": "worst_leaders_after_one_failure", "title": "Leaders after a failure", "unit": "count",
     "better": "low", "meaning": "Most leaders on any survivor of any one broker"},
    {"key": "behind", "title": "Falls behind at", "unit": "count", "better": "low",
     "meaning": "The first goal, in the order asked for, that is above what is proved possible"},
)  # fmt: skip
"""The columns beside the costs that every comparison has; see `equipoise.report.compare_page`."""


@dataclass(frozen=True)
class Row:
    """A strategy's figures, or the reason why it found no plan."""

    strategy: str
    reason: str = ""
    replicas_apart: int | None = None
    bytes_apart: float | None = None
    """None where no size is known."""
    worst_disk: float | None = None
    """How far the bytes of the worst broker are from its share, as a part of that; None where a size is not
    known."""
    worst_leaders_bytes: float | None = None
    """The same of what comes in for leaders; None where a rate is not known."""
    rack_violations: int | None = None
    """None where the rack of a replica is not known."""
    leaders_apart: int | None = None
    same_twice: bool | None = None
    """None where the second run did not end in time."""
    worst_leaders_after_one_failure: int | None = None
    data_moves: int | None = None
    bytes_moved: float | None = None
    leadership_changes: int | None = None
    partitions_changed: int | None = None
    moves_on_second_run: int | None = None
    changes_on_second_run: int | None = None
    """Partitions changed, reorders included, when the strategy runs again on its own result."""
    seconds: float | None = None
    goals: Mapping[str, int | None] | None = None
    """The value of each goal, in the order of the request; None where it is not known."""
    falls_behind_at: str | None = None
    """The first goal above its proved bound; "" where there is none, None where nothing is proved."""
    above_bound: float | None = None
    """How far above, in the unit of that goal."""
    distance_to_bound: float | None = None
    """The same as a share of the bound; None where the bound is 0."""
    nothing_proved: str = ""
    """Why ``falls_behind_at`` is None: "flow did not finish"."""
    apart: Mapping[str, int] | None = None
    """Goal → how far brokers are apart in what it levels; empty where that tells nothing."""
    apart_of_ours: Mapping[str, int] | None = None
    """The same of the plan whose bounds these are."""

    @property
    def behind(self) -> str:
        """"moves 6 above 450", "replicas 222 apart, ours 0", "disk 2.0 TiB outside the bands".

        Empty for a plan that is behind nowhere.
        """
        if self.nothing_proved:
            return f"not known: {self.nothing_proved}"
        goal = self.falls_behind_at or ""
        value = (self.goals or {}).get(goal)
        if value is None or self.above_bound is None:
            return ""
        if goal in SQUARED:
            return f"{goal} {self.less_level(goal)}"
        bound, more = value - self.above_bound, written(goal, self.above_bound)
        if not bound and goal not in GOALS:  # of a load it is what brokers bear outside their bands
            return f"{goal} {more} outside the bands"
        return f"{goal} {more} above {written(goal, bound)}"

    def less_level(self, goal: str) -> str:
        """How much less level than ours, where it can be counted in brokers that are apart."""
        here, ours = ((known or {}).get(goal) for known in (self.apart, self.apart_of_ours))
        if here is None or ours is None or here <= ours:
            return "less level"
        return f"{apart_words(here)}, ours {ours:,}"

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "behind": self.behind}


def measure(problem: Problem, target: IntArray, bounds: Sequence[Level] = ()) -> dict[str, Any]:
    """The figures of `Row` that follow from an assignment; ``bounds`` is the exact planner's certificate."""
    cluster = problem.cluster
    held = measures.replicas_per_broker(target, cluster.n_brokers)
    stored = measures.bytes_per_broker(target, cluster.size_bytes, cluster.n_brokers)
    led = measures.leaders_per_broker(target, cluster.n_brokers)
    worst = measures.worst_leaders_after_one_failure(target, cluster.n_brokers)
    sizes_known = not np.isnan(cluster.size_bytes).all()
    moved = measures.arrivals_by_row(cluster.replicas, target) @ np.nan_to_num(cluster.size_bytes)
    wanted, value = (
        (weighed_goals(problem), weighed_value) if weighs(problem) else (problem.goals, value_of)
    )
    spread = Spread(cluster, target, problem.eligible, problem.leads)
    goals = {goal: value(problem, target, goal) if is_known(cluster, goal) else None for goal in wanted}
    return {
        "replicas_apart": int(apart(held, problem.eligible)),
        "bytes_apart": float(apart(stored, problem.eligible)) if sizes_known else None,
        "worst_disk": worst_share(problem, target, "disk", problem.eligible),
        "worst_leaders_bytes": worst_share(problem, target[:, :1], "leaders-in", problem.leads),
        "rack_violations": measures.known_rack_violations(
            cluster.brokers, target, problem.eligible, strict=is_strict(problem.request)),
        "leaders_apart": int(apart(led, problem.leads)),
        "worst_leaders_after_one_failure": worst,
        "data_moves": measures.data_moves(cluster.replicas, target),
        "bytes_moved": float(moved) if sizes_known else None,
        "leadership_changes": int(measures.leadership_changed(cluster.replicas, target).sum()),
        "partitions_changed": len(measures.changed_rows(cluster.replicas, target)),
        "goals": goals,
        "apart": brokers_apart(GOALS.values(), spread),
        **distance(goals, bounds),
    }


def worst_share(
    problem: Problem, lists: IntArray, load: str, among: npt.NDArray[np.bool_]
) -> float | None:
    """How far the broker ``among`` all that is farthest off bears more or less of a load than its share, as a
    part of that; None where what a partition bears is not known, and where nobody bears anything."""
    cluster = problem.cluster
    figure = np.ceil(cluster.size_bytes if load == "disk" else inbound(cluster))
    if np.isnan(figure[cluster.rf > 0]).any():
        return None
    held = measures.bytes_per_broker(lists, figure, cluster.n_brokers)[among]
    part = capacities(problem, load, among)[among]
    share = held.sum() * part / max(1, part.sum())
    return float((np.abs(held - share) / share).max()) if (share > 0).all() and len(share) else None


def apart(counts: npt.NDArray[Any], chosen: npt.NDArray[np.bool_]) -> float:
    """How far the most is from the fewest, over the chosen brokers."""
    return float(np.ptp(counts[chosen])) if chosen.any() else 0.0


def distance(goals: Mapping[str, int | None], bounds: Sequence[Level]) -> dict[str, Any]:
    """Where a strategy falls behind what is proved, goals taken in their order.

    Later goals do not count: who gives up an earlier one can be better there.
    """
    for level in bounds:
        value = goals[level.goal]
        if value is None or level.lower_bound is None:
            continue
        above = value - level.lower_bound
        if above > 0:
            share = above / level.lower_bound if level.lower_bound else None
            return {"falls_behind_at": level.goal, "above_bound": above, "distance_to_bound": share}
    return {"falls_behind_at": "", "above_bound": 0, "distance_to_bound": 0.0} if bounds else {}
