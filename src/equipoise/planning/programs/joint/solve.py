"""The best placement of a face for one goal, and the proof that there is none better."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from equipoise.planning.basis.certificate import ProvedLevel
from equipoise.planning.basis.distinct import ranks
from equipoise.planning.flow.convex import least_flow
from equipoise.planning.flow.network import Int64, Objective
from equipoise.planning.goals import GOALS, PLACEMENT, value_of
from equipoise.planning.networks.disaggregation import disaggregate, lists_after
from equipoise.planning.networks.faces import OptimalFace, sized
from equipoise.planning.programs.joint.bound import Multipliers, bound_of, in_parts, proved
from equipoise.planning.programs.joint.narrowing import MARGINS, narrow_question, without_closed
from equipoise.planning.programs.joint.pieces import pieces
from equipoise.planning.programs.joint.question import SCALE, Question, question
from equipoise.planning.rules.max_bytes import MAX_BYTES

if TYPE_CHECKING:
    from equipoise.planning.linear.highs import Answer
    from equipoise.planning.programs.joint.columns import Layout

LOG = logging.getLogger(__name__)
NOISE = 1000
"""Such a part of the goal's unit prices that are rounded may be off: no limit, an error."""


@dataclass(frozen=True, eq=False)
class Joint:
    """Replica lists ``(n_partitions, max_rf)``, None where none were found; and the bound that is proved."""

    lists: npt.NDArray[np.int32] | None
    level: ProvedLevel
    others: Sequence[npt.NDArray[np.int32]] = ()
    """As good, or nearly, where goals after this one may tell."""


@dataclass(frozen=True, eq=False)
class Start:
    """What is known of a question already."""

    lists: npt.NDArray[np.int32]
    """A plan with the values of the goals before."""
    bound: int
    """Of the goal, 0 where nothing is known."""
    levels: tuple[ProvedLevel, ...] = ()
    """Bounds of goals before, in their order."""
    decides_later: bool = False
    """The next goal is one that no program decides, and of which another optimum may have less."""


@dataclass
class Limits:
    """What is left of the effort for a question; counted, so that it is the same on every machine."""

    columns: int
    """Of one program."""
    work: int | None = None
    """Columns of all programs together, None where those are not counted."""
    pivots: int | None = None
    """Simplex iterations times columns of all programs together, as ``work``."""

    def reach(self, columns: int) -> bool:
        """True where a program with so many columns may be solved; counts it."""
        if self.work is not None:
            self.work -= columns
        return columns <= self.columns and (self.work is None or self.work >= 0)

    def iterations(self, columns: int) -> int | None:
        """So many may a program with so many columns take, None for any number."""
        return None if self.pivots is None else self.pivots // max(1, columns)

    def spend(self, iterations: int, columns: int) -> None:
        """Count the iterations that a program took."""
        if self.pivots is not None:
            self.pivots = max(0, self.pivots - iterations * columns)


def best_of_face(
    face: OptimalFace, goal: str, reached: Mapping[str, int], kept: frozenset[str], start: Start
) -> Joint | None:
    """The placement of the face with the least of ``goal``; every row is a unit of the face's network.

    ``reached``: the goals before with the values to keep, in order; ``kept``: those of which every placement
    of the face is that good. None where the program is too large, or HiGHS gives it up.

    Elections need few of the possible arrivals, and small budgets allow few, so the program has only those
    of ``start`` at first, and then what its prices say is worth it (column generation: G. Desaulniers,
    J. Desrosiers, M. M. Solomon, "Column Generation", 2005, chapter 1). They are taken halfway between the
    best prices so far and the last, which swing (P. Wentges, "Weighted Dantzig-Wolfe decomposition", 1997).
    Each program goes on from the corner of the one before, see `linear.growing`. Where the optimum is far
    from ``start``, convex costs are cut anew around it. What goals before close is
    left out where their prices can tell, see `narrowing`.
    """
    LOG.info("placements and leaders at once: %s", goal)
    of_sizes = any(PLACEMENT[name].of_sizes for name in (goal, *reached) if name in PLACEMENT)
    if of_sizes or MAX_BYTES.is_given(face.net.data.problem.request):
        face = sized(face)
    asked = without_closed(question(face, goal, reached, kept, start.lists), reached, start.levels)
    # a byte costs so little beside what is counted that prices of counts could not be added often enough
    for margin in () if asked.goal.largest else MARGINS:
        narrowed = narrow_question(asked, reached, start.levels, margin)
        found = searched(narrowed.question, goal, start) if narrowed else None
        if narrowed is None or found is None:
            break
        price = narrowed.lifted(found.price)
        if price:
            level = proved(asked, goal, tuple(reached), price)
            if level.value >= -(-found.bound // asked.scale):
                return Joint(found.lists, level, found.others)
    found = searched(asked, goal, start)
    if found is None:
        return None
    return Joint(found.lists, proved(asked, goal, tuple(reached), found.price), found.others)


@dataclass(frozen=True, eq=False)
class Found:
    """What a search came to."""

    lists: npt.NDArray[np.int32] | None
    price: Multipliers
    bound: int
    """In parts of `Question.scale`."""
    others: Sequence[npt.NDArray[np.int32]] = ()


def searched(asked: Question, goal: str, start: Start) -> Found | None:
    """The best placement of a question, and prices of its bound; see `best_of_face`."""
    face, changes = asked.face, bool(GOALS[goal].changes)
    left = limits_of(asked, goal, grows=changes or asked.few_arrive)
    shown = arcs_of(face, start.lists)
    at_once = changes and not asked.few_arrive and most_shown(asked, shown)
    growing = (changes or asked.few_arrive) and not at_once
    if not growing:
        shown = np.ones(len(face.network.tail), dtype=bool)
    if columns_of(asked, shown) > left.columns:
        return None
    from equipoise.planning.linear.growing import GrowingProgram  # SciPy, where it is needed
    from equipoise.planning.linear.highs import NEARLY
    from equipoise.planning.programs.joint.columns import multipliers, program_of

    best: tuple[int, Multipliers] | None = None
    program: GrowingProgram | None = None
    last, least = None, np.inf
    while True:
        layout = program_of(asked, shown)
        columns = len(layout.program.cost)
        if not left.reach(columns):
            break
        if not at_once and (growing or not goes_anywhere(asked)):
            program = program or GrowingProgram(is_whole=not growing)
            found = layout.program.grown(program, layout.names, left.iterations(columns))
        else:
            found = layout.program.relaxed(simplex=at_once)
        if found is None:
            break
        left.spend(found.iterations, columns)
        last = layout, found
        now = multipliers(asked, layout, found)
        # Any prices bound the goal of all plans, so the best of all rounds is kept; the program's own swing.
        prices = [now] if best is None else [best[1].halfway(now), now]
        tried = [(bound_of(asked, price), price) for price in reversed(prices)]
        best = max([*([best] if best else []), *tried], key=lambda pair: pair[0])
        # No plan of the face is below the bound, none of the program below
        # its optimum: where they meet, more arcs could make nothing better.
        if max(-(-best[0] // asked.scale), start.bound) >= layout.value(found):
            break
        # Where little is worth it at the prices halfway, those of the program itself say what else it
        # needs; only if neither offers anything it has all.
        wanted = np.zeros(0, dtype=np.int64)
        for price in prices:
            if few_left(face, shown, len(wanted)):
                offers = worthwhile(face, price.pull(asked), shown, asked.scale // NOISE)
                wanted = np.union1d(wanted, offers)
        near = layout.around(found, asked.near)
        if len(wanted):
            shown[wanted] = True
        # Wide steps cost too much, so cutting anew around the optimum lowers it, or has come to its end.
        elif near is None or found.value > least - NEARLY:
            break
        else:
            asked, least = replace(asked, near=near), found.value
    if last is None or best is None:
        return None
    others = others_near(face, *last) if start.decides_later else []
    problem = face.net.data.problem
    by_size = asked.counts_sizes and (goal in PLACEMENT or MAX_BYTES.is_given(problem.request))
    known = value_of(problem, start.lists, goal) - last[0].paid if by_size else None
    return Found(lists_near(face, *last, known), best[1], best[0], others)


def columns_of(asked: Question, shown: npt.NDArray[np.bool_]) -> int:
    """Columns of the program of the arcs ``shown``, see `columns.program_of`, which needs SciPy."""
    network, counts, who, near = asked.face.network, asked.counts, asked.who, asked.near
    arcs, led = asked.open_arcs, asked.open_counts
    n = int((shown & arcs).sum()) + int((~who.arrives | shown[who.arc]).sum())
    for term in (asked.goal, *(term for term, _ in asked.held.values())):
        for of, bounds, at, open_ in (
            (term.arcs, network, near.arcs, arcs),
            (term.counts, counts, near.counts, led),
        ):
            cut = pieces(of, bounds.lower, bounds.upper, at, network.params.unit_steps, open_)
            n += len(cut.step.owner)
    return n


def most_shown(asked: Question, shown: npt.NDArray[np.bool_]) -> bool:
    """True where the program has half of its columns anyway, and all are few: then it need not grow."""
    open_ = asked.open_arcs
    n_open, most = int(open_.sum()), asked.face.net.data.problem.params.face_at_once
    return n_open + len(asked.who.row) <= most and n_open <= 2 * int((open_ & shown).sum())


def goes_anywhere(asked: Question) -> bool:
    """True where replicas may come to most brokers, of which there are at least as many as partitions.

    Then corners of the program are so many and so alike that the simplex method goes from one to the next
    for long: 5,000 brokers for 4 partitions took it 27 seconds, and an interior point less than one. Where
    there are more partitions it is the other way round: 1.4 seconds and 12 for 2,000 of them on 30 brokers
    that get a fourth replica each.
    """
    net, network = asked.face.net, asked.face.network
    n_open = int((network.upper[net.arrive.index] > network.lower[net.arrive.index]).sum())
    n_rows, n_brokers = len(net.data.rows), len(net.data.brokers)
    return n_rows <= n_brokers and 2 * n_open > n_rows * n_brokers


def limits_of(asked: Question, goal: str, *, grows: bool) -> Limits:
    """How far a question may go."""
    params = asked.face.net.data.problem.params
    if grows:
        return Limits(params.grown_columns, pivots=params.grown_pivots)
    wide = asked.is_wide and goal not in PLACEMENT
    return Limits(params.face_wide_columns if wide else params.face_columns, params.face_work)


def arcs_of(face: OptimalFace, lists: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    """The arcs of the face without those of arrivals that ``lists`` do without, ``(n_arcs,)``."""
    shown, arrive = np.ones(len(face.network.tail), dtype=bool), face.net.arrive
    there = face.net.stands_there(arrive, lists)
    shown[arrive.index] = there | (face.network.lower[arrive.index] > 0)
    return shown


def worthwhile(face: OptimalFace, pull: Int64, shown: npt.NDArray[np.bool_], noise: int) -> Int64:
    """The arcs that would make the program's optimum better; of many the best few of each row, and of all."""
    arrive, params = face.net.arrive, face.network.params
    better = ~shown[arrive.index] & (pull[arrive.index] < -noise) & (face.network.upper[arrive.index] > 0)
    arc = arrive.index[better].astype(np.int64)
    if few_left(face, shown, len(arc)):
        return arc
    order = np.lexsort([pull[arc], arrive.unit[better]])
    unit = arrive.unit[better][order]
    few = arc[order[ranks(unit) < params.grown_arrivals]]
    return few[np.argsort(pull[few], kind="stable")][: int(shown.sum()) // params.grown_part]


def few_left(face: OptimalFace, shown: npt.NDArray[np.bool_], n_arcs: int) -> bool:
    """True where so many arcs are few beside those that a program has."""
    return n_arcs * face.network.params.grown_rest <= int(shown.sum())


def lists_near(
    face: OptimalFace, layout: Layout, found: Answer, known: int | None
) -> npt.NDArray[np.int32] | None:
    """The lists of a whole placement: the optimum if it is one, else the best found nearby.

    ``known``: see `JointProgram.integral_near`.
    """
    best = layout.program.integral_near(found, face.net.data.problem.params, known)
    if best is not None:
        return lists_of(face, layout, best)
    # No whole flow was found nearby. A flow is whole by itself: arcs that the optimum has more than half
    # of are worth taking in this one, the others cost.
    wish = np.full(len(face.network.tail), SCALE)
    wish[layout.free] = in_parts(0.5 - found.x[: len(layout.free)])
    return lists_of_flow(face, least_flow(face.network, Objective.of_linear(wish), face.flow))


def others_near(face: OptimalFace, layout: Layout, found: Answer) -> list[npt.NDArray[np.int32]]:
    """The lists of placements at other optima, or near them."""
    solutions = layout.program.others_near(found, face.net.data.problem.params)
    lists = (lists_of(face, layout, solution) for solution in solutions)
    return [some for some in lists if some is not None]


def lists_of(
    face: OptimalFace, layout: Layout, solution: npt.NDArray[np.float64]
) -> npt.NDArray[np.int32] | None:
    """The lists of a program's solution, which is whole in its flows."""
    flow = face.network.lower.copy()
    flow[layout.free] = solution[: len(layout.free)]
    return lists_of_flow(face, flow)


def lists_of_flow(face: OptimalFace, flow: Int64) -> npt.NDArray[np.int32] | None:
    """The lists of a flow of the face; None where it is of no placement."""
    moves, failed = disaggregate(face.net, flow)
    return None if len(failed) else lists_after(face.net.data, moves)
