"""What is asked: the least of one goal on the face of the goals before it, and what that costs whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.cluster.brokers import IntArray
from equipoise.planning.bounds import FREE_GOALS, free_leaders, leader_bounds
from equipoise.planning.goals import table, topic_leader_bands
from equipoise.planning.joint.budgets import Budgets, budgets_on
from equipoise.planning.networks.network import Int64, Objective
from equipoise.planning.networks.place import PLACEMENT_GOALS, Face
from equipoise.planning.problem import Problem

BoolArray = npt.NDArray[np.bool_]
FEW = 5
"""Few moves are at most one for so many replicas."""
JOINT_GOALS = (*PLACEMENT_GOALS, *FREE_GOALS, "topic-leaders")


@dataclass(frozen=True, eq=False)
class Candidates:
    """Who could lead which row afterwards; all columns ``(n_candidates,)``."""

    row: Int64
    broker: Int64
    """Position in the cluster."""
    arc: Int64
    """Arc of the face whose flow decides whether it stands there, -1 where it does for certain."""
    arrives: BoolArray
    """It stands there if the arc carries it, else if the arc does not."""
    changes: Int64
    """1 where its leading is an election."""
    counts: Int64
    """``(3, n_candidates)``: the counts it is part of, those of its rack, broker, and topic there."""

    def of(self, some: Int64) -> Candidates:
        """Those at some positions."""
        return Candidates(
            self.row[some],
            self.broker[some],
            self.arc[some],
            self.arrives[some],
            self.changes[some],
            self.counts[:, some],
        )


@dataclass(frozen=True, eq=False)
class Counts:
    """Leaders of the racks, of the brokers, and of each topic on each broker, one after the other.

    Of partitions that may change: what others lead is taken off the bands. ``(n_counts,)`` each.
    """

    lower: Int64
    upper: Int64
    """No count has more than its candidates."""
    n_led: int
    """Racks and brokers together."""


@dataclass(frozen=True, eq=False)
class Term:
    """What a goal costs on the arcs of the placement, for leaders that change, and for counts of leaders."""

    arcs: Objective
    changes: int
    counts: Objective


@dataclass(frozen=True, eq=False)
class Near:
    """About where the best is: what convex costs are counted of there is told exactly."""

    arcs: Int64
    """``(n_arcs,)``: of the placement; right on those of cells and of brokers."""
    counts: Int64
    """``(n_counts,)``."""


@dataclass(frozen=True, eq=False)
class Question:
    """The goal, and the goals before it that have to be kept to their values."""

    face: Face
    who: Candidates
    counts: Counts
    goal: Term
    held: Mapping[str, tuple[Term, int]]
    """Those that the face and the bounds of the counts do not keep by themselves, with their values."""
    near: Near
    budgets: Budgets | None = None

    @property
    def is_wide(self) -> bool:
        """True where budgets leave placement goals to conditions that the face would keep without them."""
        return self.budgets is not None and not self.held.keys().isdisjoint(PLACEMENT_GOALS)

    @property
    def few_arrive(self) -> bool:
        """True where a value or a budget, and not the face, lets few replicas move."""
        material, most = self.face.net.material, None
        if "moves" in self.held:
            most = self.held["moves"][1]
        elif self.budgets is not None and self.budgets.binds[0]:
            most = material.problem.request.max_moves
        return most is not None and most * FEW <= material.n_replicas

    def terms(self, held: Mapping[str, int], unit: int) -> list[tuple[Term, int]]:
        """Each term with its weight: ``unit`` for the goal, for those before what is ``held`` at."""
        return [(self.goal, unit), *((term, held[name]) for name, (term, _) in self.held.items())]


def question(
    face: Face, goal: str, reached: Mapping[str, int], kept: frozenset[str], lists: IntArray
) -> Question:
    """``goal`` on the face; ``reached`` are the goals before with their values, ``kept`` those it keeps.

    ``lists``: a plan that is that good.
    """
    problem = face.net.material.problem
    levels, leaders = leader_bounds(problem, reached)
    n_led = problem.n_racks + problem.cluster.n_brokers
    who = candidates(face)
    n_counts = n_led + len(problem.cluster.topics) * problem.cluster.n_brokers
    least, most = np.zeros(n_counts, dtype=np.int64), np.bincount(who.counts.ravel(), minlength=n_counts)
    least[:n_led], most[:n_led] = leaders.lower[:n_led], np.minimum(most[:n_led], leaders.upper[:n_led])
    counts = Counts(least, most.astype(np.int64), n_led)
    bounded = {level.goal for level in levels if reached[level.goal] == level.value} - {"elections"}
    held = {
        name: (term(face, counts, name), value)
        for name, value in reached.items()
        if name not in kept and name not in bounded
    }
    near = Near(counts_of_arcs(face, lists), counts_of_leaders(problem, lists))
    return Question(face, who, counts, term(face, counts, goal), held, near, budgets_on(face, reached))


def counts_of_arcs(face: Face, lists: IntArray) -> Int64:
    """What cells and brokers of the face's network carry in a plan, ``(n_arcs,)``; 0 on all other arcs."""
    net, material = face.net, face.net.material
    n_eligible = len(material.brokers)
    place = np.full(material.problem.cluster.n_brokers, -1, dtype=np.int64)
    place[material.brokers] = np.arange(n_eligible)
    row, position = np.nonzero(lists[material.rows] >= 0)
    broker = place[lists[material.rows][row, position]]
    held = net.family_of[net.unit_of[row]] * n_eligible + broker
    flow = np.zeros(len(face.network.tail), dtype=np.int64)
    flow[net.cell.index] = np.bincount(held[broker >= 0], minlength=len(net.cell.unit))
    flow[net.sink.index] = np.bincount(broker[broker >= 0], minlength=n_eligible)
    return flow


def counts_of_leaders(problem: Problem, lists: IntArray) -> Int64:
    """`Counts` in a plan, ``(n_counts,)``."""
    rows = np.flatnonzero(problem.movable & (lists[:, 0] >= 0))
    of_topics = table(problem, rows, lists[rows, 0])
    of_brokers = of_topics.sum(axis=0)
    of_racks = np.bincount(problem.rack_idx, weights=of_brokers, minlength=problem.n_racks)
    return np.concatenate([of_racks.astype(np.int64), of_brokers, of_topics.ravel()])


def candidates(face: Face) -> Candidates:
    """Everyone who may lead and may stand there in the end, row by row; a row is the unit of its number."""
    net, network = face.net, face.network
    material, problem = net.material, net.material.problem
    n_eligible, n_rows = len(material.brokers), len(material.rows)
    leads = problem.leads[material.brokers]
    arc_of = np.full(n_rows * n_eligible, -1, dtype=np.int64)
    arc_of[net.leave.unit * n_eligible + net.leave.broker] = net.leave.index
    slot = np.flatnonzero((material.slot_broker >= 0) & leads[material.slot_broker])
    arc = arc_of[material.slot_row[slot] * n_eligible + material.slot_broker[slot]]
    stays = (arc < 0) | (network.lower[arc] == 0)
    slot, arc = slot[stays], np.where(network.upper[arc] > 0, arc, -1)[stays]
    come = np.flatnonzero((network.upper[net.arrive.index] > 0) & leads[net.arrive.broker])
    row = np.r_[material.slot_row[slot], net.arrive.unit[come]]
    broker = material.brokers[np.r_[material.slot_broker[slot], net.arrive.broker[come]]]
    leader = problem.cluster.replicas[material.rows, 0][row]
    n_brokers, n_led = problem.cluster.n_brokers, problem.n_racks + problem.cluster.n_brokers
    topic = problem.cluster.topic_idx[material.rows][row].astype(np.int64)
    return Candidates(
        row=row,
        broker=broker,
        arc=np.r_[arc, net.arrive.index[come]],
        arrives=np.r_[np.zeros(len(slot), dtype=bool), np.ones(len(come), dtype=bool)],
        changes=((leader != broker) & (leader >= 0)).astype(np.int64),
        counts=np.stack(
            [problem.rack_idx[broker], problem.n_racks + broker, n_led + topic * n_brokers + broker]
        ),
    )


def term(face: Face, counts: Counts, goal: str) -> Term:
    """What a goal costs."""
    problem = face.net.material.problem
    no_arcs = Objective.of_linear(np.zeros(len(face.network.tail), dtype=np.int64))
    no_counts = Objective.of_linear(np.zeros(len(counts.lower), dtype=np.int64))
    if goal in PLACEMENT_GOALS:
        return Term(face.net.objective(goal), 0, no_counts)
    if goal == "elections":
        return Term(no_arcs, 1, no_counts)
    if goal == "topic-leaders":
        return Term(no_arcs, 0, topic_leaders(problem, counts))
    led = free_leaders(problem).objective(problem, goal)
    bands = Objective.of_bands(len(counts.lower), led.convex, led.band_low, led.band_high)
    return Term(no_arcs, 0, bands)


def topic_leaders(problem: Problem, counts: Counts) -> Objective:
    """Bands of the topics' leaders on each broker, less those that may not change."""
    low, high = topic_leader_bands(problem)
    cells = np.arange(counts.n_led, len(counts.lower), dtype=np.int32)
    return Objective.of_bands(len(counts.lower), cells, low.ravel(), high.ravel())
