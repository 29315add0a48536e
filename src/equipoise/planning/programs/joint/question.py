"""What is asked: the least of one goal on the face of the goals before it, and what that costs whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from equipoise.cluster import measures
from equipoise.cluster.brokers import IntArray
from equipoise.planning.basis.certificate import ProvedLevel
from equipoise.planning.bounds.leaders import free_leaders, leader_bounds
from equipoise.planning.flow.convex import least_flow
from equipoise.planning.flow.network import Infeasible, Int64, Objective
from equipoise.planning.goals import LEADER, PLACEMENT
from equipoise.planning.goals.bytes import Bytes
from equipoise.planning.goals.moves import Moves
from equipoise.planning.networks.faces import OptimalFace
from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.shares import table
from equipoise.planning.programs.joint.budgets import Budgets, budgets_on
from equipoise.planning.rules.max_bytes import MAX_BYTES
from equipoise.planning.rules.max_moves import MAX_MOVES

BoolArray = npt.NDArray[np.bool_]
LARGE = 2**20
"""Factors are brought below this: those of bytes are beyond what HiGHS tells apart."""
SCALE = 720_720 * 64
"""Multipliers are whole numbers of this part of the goal's unit: halves to tenths stay exact."""
FINE = 4
"""The price of a byte, where bytes are a condition, is told in parts: so many for each byte that the program
has as one."""
SLACK = 2.0**-6
"""Of what the program has as one: less, and prices would be beyond what 64 bits add up."""
MOST = 2**50
"""The judge takes no price that is farther from 0."""
HIGHEST = 2**46
"""As many parts has a byte, where bytes are the goal, as leave the largest size within this."""


def part_of(largest: int) -> int:
    """What factors are divided by, the largest being this: a power of 2, which loses nothing."""
    return int(2 ** max(0, largest.bit_length() - LARGE.bit_length() + 1))


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
    leading: Int64
    """What its leading costs a goal that counts that; 0 where none of the question does."""
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
            self.leading[some],
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
    """What a goal costs on the arcs of the placement, for who leads, and for counts of leaders."""

    arcs: Objective
    changes: int
    counts: Objective
    largest: int = 0
    """Of a term that costs bytes, far more of them than there is of anything else: the largest size."""
    leads: int = 0
    """How often it costs what `Candidates.leading` says, rounded down in parts of ``leads_in``."""
    leads_in: int = 1

    @property
    def scale(self) -> int:
        """Where it is the goal, prices are whole numbers of such a part of its unit."""
        return max(1, HIGHEST >> self.largest.bit_length()) if self.largest else SCALE

    @property
    def part(self) -> int:
        """So many units are one in the program."""
        return part_of(self.largest)

    @property
    def fine(self) -> int:
        """Where bytes are a condition, the price of one is told in so many parts of what others are."""
        return FINE * self.part if self.largest else 1

    def leading(self, who: Candidates, times: int) -> Int64:
        """What each candidate's leading costs so often, ``(n_candidates,)``."""
        cost: Int64 = times * self.changes * who.changes
        if not self.leads or not times:
            return cost
        return cost + so_often(times * self.leads, who.leading, self.leads_in)

    @property
    def dearest(self) -> int:
        """The highest price as a condition: 64 bits have to hold what the largest costs at it."""
        return MOST if not self.largest else min(MOST, MOST * self.fine // self.largest)

    @property
    def slack(self) -> float:
        """What a condition is loosened by: where there is hardly a plan so good its price has no end."""
        return self.part * SLACK if self.largest else 0.0

    def priced(self, price: int) -> tuple[Term, int]:
        """What it costs as a condition at a price, and how often."""
        if not self.largest:
            return self, price
        linear = np.zeros_like(self.arcs.linear)
        some = np.flatnonzero(self.arcs.linear) if price else np.zeros(0, dtype=np.int64)
        # Rounded down here and up in `paid_back`: both lower
        # the bound, so what is rounded proves nothing too much.
        linear[some] = so_often(price, self.arcs.linear[some], self.fine)
        return Term(Objective.of_linear(linear), 0, self.counts, 0, price * self.leads, self.fine), 1

    def paid_back(self, price: int, value: int) -> int:
        """What its value allows, at a price."""
        return -(-price * value // self.fine)


def so_often(times: int, amounts: Int64, parts: int) -> Int64:
    """``times * amounts / parts``, each rounded down; 64 bits need not hold the products."""
    most = int(np.abs(amounts).max(initial=0))
    if times.bit_length() + most.bit_length() < 63:
        return times * amounts // parts
    return np.array([times * amount // parts for amount in amounts.tolist()], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Near:
    """About where the best is: what convex costs are counted of there is told exactly."""

    arcs: Int64
    """``(n_arcs,)``: of the placement; right on those of cells and of brokers."""
    counts: Int64
    """``(n_counts,)``."""


@dataclass(frozen=True, eq=False)
class Begun:
    """A plan that is as good at the goals before: the solver begins there."""

    flow: Int64
    """``(n_arcs,)``: the placement."""
    leaders: IntArray
    """``(n_rows,)``: positions in the cluster."""


@dataclass(frozen=True, eq=False)
class Question:
    """The goal, and the goals before it that have to be kept to their values."""

    face: OptimalFace
    who: Candidates
    counts: Counts
    goal: Term
    held: Mapping[str, tuple[Term, int]]
    """Those that the face and the bounds of the counts do not keep by themselves, with their values.

    ``--max-bytes`` is one more, by its name: what may be copied at most.
    """
    near: Near
    begun: Begun
    budgets: Budgets | None = None
    beside: tuple[ProvedLevel, ...] = ()
    """Levels of goals before, of whose faces this is what is left."""

    @property
    def is_wide(self) -> bool:
        """True where budgets leave placement goals to conditions that the face would keep without them."""
        return self.budgets is not None and not self.held.keys().isdisjoint(PLACEMENT)

    @property
    def counts_sizes(self) -> bool:
        """True where the goal, or what is held, counts the bytes that are copied."""
        terms = [self.goal, *(term for term, _ in self.held.values())]
        return any(term.largest and not term.leads for term in terms)

    @property
    def few_arrive(self) -> bool:
        """True where a value or a budget, and not the face, lets few replicas move."""
        data, most = self.face.net.data, None
        if Moves.name in self.held:
            most = self.held[Moves.name][1]
        elif self.budgets is not None and self.budgets.binds[0]:
            most = MAX_MOVES.allowed(data.problem.request)
        elif MAX_BYTES.name in self.held:  # how many they carry is not known, but about as many as they did
            most = int(self.begun.flow[self.face.net.arrive.index].sum())
        return most is not None and most * data.problem.params.few_moves <= data.n_replicas

    @property
    def open_arcs(self) -> BoolArray:
        """``(n_arcs,)``: their flow is not settled."""
        return self.face.network.upper > self.face.network.lower

    @property
    def open_counts(self) -> BoolArray:
        """``(n_counts,)``: someone may lead there. Nothing else holds a count to its bounds, be they one."""
        return self.counts.upper > 0

    @property
    def scale(self) -> int:
        """Parts of the goal's unit that prices are whole numbers of."""
        return self.goal.scale

    def terms(self, held: Mapping[str, int], unit: int) -> list[tuple[Term, int]]:
        """Each term with its weight: ``unit`` for the goal, for those before what is ``held`` at."""
        before = (term.priced(held[name]) for name, (term, _) in self.held.items())
        return [(self.goal, unit), *before]


def question(
    face: OptimalFace, goal: str, reached: Mapping[str, int], kept: frozenset[str], lists: IntArray
) -> Question:
    """``goal`` on the face; ``reached`` are the goals before with their values, ``kept`` those it keeps.

    ``lists``: a plan that is that good.
    """
    problem = face.net.data.problem
    levels, leaders = leader_bounds(problem, reached)
    n_led = problem.n_racks + problem.cluster.n_brokers
    who = candidates(face, [*reached, goal])
    n_counts = n_led + len(problem.cluster.topics) * problem.cluster.n_brokers
    least, most = np.zeros(n_counts, dtype=np.int64), np.bincount(who.counts.ravel(), minlength=n_counts)
    # Arcs of racks and brokers are the first of that network, in the order of these counts.
    least[:n_led], most[:n_led] = leaders.lower[:n_led], np.minimum(most[:n_led], leaders.upper[:n_led])
    counts = Counts(least, most.astype(np.int64), n_led)
    # Where the bound of brokers meets the value, the bounds of
    # their counts keep the goal. Elections are no count of these.
    met = {level.goal for level in levels if reached[level.goal] == level.value}
    bounded = {name for name in met if not LEADER[name].changes}  # no bound of counts keeps what changes
    held = {
        name: condition(term(face, counts, name), value)
        for name, value in reached.items()
        if name not in kept and name not in bounded
    }
    allowed = MAX_BYTES.allowed(problem.request)
    told = Bytes.name in (*reached, goal)  # then what is copied is no more than that
    if allowed is not None and not told and PLACEMENT[Bytes.name].is_known(problem.cluster):
        held[MAX_BYTES.name] = condition(term(face, counts, Bytes.name), allowed)
    near = Near(counts_of_arcs(face, lists), counts_of_leaders(problem, lists))
    begun = Begun(flow_of(face, lists), lists[face.net.data.rows, 0])
    return Question(face, who, counts, term(face, counts, goal), held, near, begun, budgets_on(face, reached))


def counts_of_arcs(face: OptimalFace, lists: IntArray) -> Int64:
    """What cells and brokers of the face's network carry in a plan, ``(n_arcs,)``; 0 on all other arcs."""
    net, data = face.net, face.net.data
    n_eligible = len(data.brokers)
    place = np.full(data.problem.cluster.n_brokers, -1, dtype=np.int64)
    place[data.brokers] = np.arange(n_eligible)
    row, position = np.nonzero(lists[data.rows] >= 0)
    broker = place[lists[data.rows][row, position]]
    held = net.family_of[net.unit_of[row]] * n_eligible + broker
    flow = np.zeros(len(face.network.tail), dtype=np.int64)
    flow[net.cell.index] = np.bincount(held[broker >= 0], minlength=len(net.cell.unit))
    flow[net.sink.index] = np.bincount(broker[broker >= 0], minlength=n_eligible)
    if len(net.rack.unit):
        flow[net.rack.index] = net.by_rack(flow[net.sink.index])
    return flow


def flow_of(face: OptimalFace, lists: IntArray) -> Int64:
    """The flow of a plan, ``(n_arcs,)``; that of the face itself where the plan is not on it."""
    net, network = face.net, face.network
    lower, upper = network.lower.copy(), network.upper.copy()
    lower[net.leave.index] = upper[net.leave.index] = ~net.stands_there(net.leave, lists)
    lower[net.arrive.index] = upper[net.arrive.index] = net.stands_there(net.arrive, lists)
    moved = np.r_[net.leave.start : net.leave.stop, net.arrive.start : net.arrive.stop]
    if np.array_equal(face.flow[moved], lower[moved]):
        return face.flow
    try:  # what replicas pass between their brokers follows from those
        return least_flow(replace(network, lower=lower, upper=upper), Objective.of_linear(0 * lower))
    except Infeasible:
        return face.flow


def counts_of_leaders(problem: Problem, lists: IntArray) -> Int64:
    """`Counts` in a plan, ``(n_counts,)``."""
    rows = np.flatnonzero(problem.movable & (lists[:, 0] >= 0))
    of_topics = table(problem, rows, lists[rows, 0])
    of_brokers = of_topics.sum(axis=0)
    of_racks = np.bincount(problem.rack_idx, weights=of_brokers, minlength=problem.n_racks)
    return np.concatenate([of_racks.astype(np.int64), of_brokers, of_topics.ravel()])


def candidates(face: OptimalFace, goals: Sequence[str]) -> Candidates:
    """Everyone who may lead and may stand there in the end, row by row; a row is the unit of its number.

    ``goals``: that of the question, and those before it.
    """
    net, network = face.net, face.network
    data, problem = net.data, net.data.problem
    n_eligible, n_rows = len(data.brokers), len(data.rows)
    leads = problem.leads[data.brokers]
    arc_of = np.full(n_rows * n_eligible, -1, dtype=np.int64)
    arc_of[net.leave.unit * n_eligible + net.leave.broker] = net.leave.index
    slot = np.flatnonzero((data.slot_broker >= 0) & leads[data.slot_broker])
    arc = arc_of[data.slot_row[slot] * n_eligible + data.slot_broker[slot]]
    stays = (arc < 0) | (network.lower[arc] == 0)
    # On this face it cannot leave: it stands there for certain.
    slot, arc = slot[stays], np.where(network.upper[arc] > 0, arc, -1)[stays]
    come = np.flatnonzero((network.upper[net.arrive.index] > 0) & leads[net.arrive.broker])
    row = np.r_[data.slot_row[slot], net.arrive.unit[come]]
    broker = data.brokers[np.r_[data.slot_broker[slot], net.arrive.broker[come]]]
    leader = problem.cluster.replicas[data.rows, 0][row]
    n_brokers, n_led = problem.cluster.n_brokers, problem.n_racks + problem.cluster.n_brokers
    topic = problem.cluster.topic_idx[data.rows][row].astype(np.int64)
    asked = (LEADER[name].leading(problem, data.rows[row], broker) for name in goals if name in LEADER)
    leading = next((cost for cost in asked if cost is not None), np.zeros_like(row))
    return Candidates(
        row=row,
        broker=broker,
        arc=np.r_[arc, net.arrive.index[come]],
        arrives=np.r_[np.zeros(len(slot), dtype=bool), np.ones(len(come), dtype=bool)],
        changes=((leader != broker) & (leader >= 0)).astype(np.int64),
        leading=leading,
        counts=np.stack(
            [problem.rack_idx[broker], problem.n_racks + broker, n_led + topic * n_brokers + broker]
        ),
    )


def condition(term: Term, value: int) -> tuple[Term, int]:
    """A term and the value that it is kept to; bytes without what is certain, which prices would blur."""
    if not term.largest:
        return term, value
    return replace(term, arcs=replace(term.arcs, offset=0)), value - term.arcs.offset


def term(face: OptimalFace, counts: Counts, goal: str) -> Term:
    """What a goal costs."""
    n_counts = len(counts.lower)
    if goal in PLACEMENT:
        of_counts = Objective.of_linear(np.zeros(n_counts, dtype=np.int64))
        sizes = face.net.data.problem.cluster.size_bytes
        largest = int(measures.whole_sizes(sizes).max(initial=1)) if PLACEMENT[goal].in_bytes else 0
        return Term(face.net.objective(goal), 0, of_counts, largest)
    no_arcs = Objective.of_linear(np.zeros(len(face.network.tail), dtype=np.int64))
    led, problem = LEADER[goal], face.net.data.problem
    of_counts = led.on_counts(free_leaders(problem), n_counts)
    # What partitions cost that stay as they are is certain, and not what conditions have a price of.
    fixed = np.flatnonzero(~problem.movable)
    certain = led.leading(problem, fixed, problem.cluster.replicas[fixed, 0])
    if certain is None:
        return Term(no_arcs, led.changes, of_counts)
    rows, n_brokers = face.net.data.rows, problem.cluster.n_brokers
    every = led.leading(problem, np.repeat(rows, n_brokers), np.tile(np.arange(n_brokers), len(rows)))
    largest = max(1, 0 if every is None else int(every.max(initial=0)))
    return Term(replace(no_arcs, offset=int(certain.sum())), 0, of_counts, largest, leads=1)
