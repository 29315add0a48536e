"""The question as a linear program, and what HiGHS' prices of its conditions mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.planning.flow.network import Int64
from equipoise.planning.linear.highs import Answer
from equipoise.planning.linear.rows import Rows
from equipoise.planning.programs.joint.bound import Multipliers, cheapest_of, in_parts
from equipoise.planning.programs.joint.linear_program import JointProgram, at_least
from equipoise.planning.programs.joint.pieces import Pieces, pieces, taken
from equipoise.planning.programs.joint.question import Near, Question, Term

BoolArray = npt.NDArray[np.bool_]
FAR = 2**31
"""Above what any arc or count comes to."""


@dataclass(frozen=True, eq=False)
class Layout:
    """The program, and which of its conditions are which."""

    program: JointProgram
    free: Int64
    """The arcs of its first columns."""
    present: Int64
    """The candidates of those that follow."""
    doubtful: Int64
    """Those among ``present`` of whom it is open if they stand there: the first of the bounded conditions."""
    n_before: int
    """Conditions of equality in front of those of the items."""
    counted: Int64
    """The count of each item, -1 for arcs."""
    cut: list[tuple[Pieces, Int64]]
    """Of arcs and of counts by turns, each with the columns of its steps."""
    paid: int
    """What the goal costs besides its columns."""
    names: tuple[Int64, Int64]
    """A number for each column and each row, the same in every program of the question."""

    def value(self, found: Answer) -> int:
        """The least whole number that the goal can be within the program."""
        return at_least(found) + self.paid

    def around(self, found: Answer, near: Near) -> Near | None:
        """Where the optimum is; None if what it costs there is exact, so that no other steps are better."""
        arcs, counts = near.arcs.copy(), near.counts.copy()
        exact = True
        for k, (cut, columns) in enumerate(self.cut):
            x = cut.least + np.bincount(cut.step.owner, found.x[columns], len(cut.item))
            exact &= bool(np.all((x <= cut.step.exact_below) & (x >= cut.step.exact_above)))
            (counts if k % 2 else arcs)[cut.item] = np.rint(x)
        return None if exact else Near(arcs, counts)


class JointSheet:
    """Columns as they are listed, and the conditions of items: what is convex is its least and its steps."""

    def __init__(self, n_columns: int, n_conditions: int) -> None:
        self.n_columns, self.n_conditions = n_columns, n_conditions
        self.entries: list[tuple[Int64, Int64, Int64 | int]] = []
        self.least: list[Int64] = []
        self.width: list[Int64] = []
        self.counted: list[Int64] = []
        self.cut: list[tuple[Pieces, Int64]] = []
        self.names: list[Int64] = []
        self.n_items = 1
        """One more, for what is no step and has a name below `FAR`."""

    def add(self, cut: Pieces, counted: Int64, n_items: int) -> tuple[Int64, Int64]:
        """List steps of some of so many items; returns their columns and the conditions of their items."""
        item = self.n_conditions + np.arange(len(cut.item))
        step = self.n_columns + np.arange(len(cut.step.owner))
        self.n_conditions, self.n_columns = self.n_conditions + len(item), self.n_columns + len(step)
        self.entries.append((item[cut.step.owner], step, -1))
        self.least.append(cut.least)
        self.width.append(cut.step.width)
        self.counted.append(counted)
        self.cut.append((cut, step))
        # so that a step keeps its name where costs are cut anew
        self.names.append((self.n_items + cut.item)[cut.step.owner] * FAR + cut.begin)
        self.n_items += n_items
        return step, item


def program_of(asked: Question, shown: BoolArray) -> Layout:
    """The program of a question, of the arcs ``shown`` (``(n_arcs,)``) and of those who may lead by them.

    Columns are the free arcs, then the candidates, then steps of what is convex. Flow is kept at every
    node, and every row has one leader; who leads stands there, racks and brokers lead within their room,
    and goals before keep their values.
    """
    face, counts = asked.face, asked.counts
    network, present = face.network, np.flatnonzero(~asked.who.arrives | shown[asked.who.arc])
    who = asked.who.of(present)
    open_ = shown & asked.open_arcs
    # Arcs that are not shown carry their least, so the program's plans are
    # plans of the whole face: its optimum may be too high, never too low.
    free, still = np.flatnonzero(open_), np.where(open_, 0, network.lower)
    n_nodes, n_rows, n_led = len(network.supply), len(face.net.data.rows), counts.n_led
    # One place more than arcs: who stands for certain has arc -1, and reads there that it has no column.
    column = np.full(len(network.tail) + 1, -1, dtype=np.int64)
    column[free] = np.arange(len(free))
    leads = len(free) + np.arange(len(who.row))
    sheet = JointSheet(len(free) + len(who.row), n_nodes + n_rows)

    def costs(term: Term) -> tuple[Int64, Int64, int]:
        """The term's columns, what they cost, and what is paid in any case."""
        units = network.params.unit_steps
        of_arcs = pieces(term.arcs, network.lower, network.upper, asked.near.arcs, units, asked.open_arcs)
        of_counts = pieces(
            term.counts, counts.lower, counts.upper, asked.near.counts, units, asked.open_counts
        )
        taken, item = sheet.add(of_arcs, np.full(len(of_arcs.item), -1), len(network.tail))
        sheet.entries.append((item, column[of_arcs.item], 1))
        led, item = sheet.add(of_counts, of_counts.item, len(counts.lower))
        number = np.full(len(counts.lower), -1, dtype=np.int64)
        number[of_counts.item] = item
        for part in who.counts:
            some = number[part] >= 0
            sheet.entries.append((number[part[some]], leads[some], 1))
        each = [term.arcs.linear[free], term.leading(who, 1), of_arcs.step.slope, of_counts.step.slope]
        paid = term.arcs.offset + int((term.arcs.linear * still).sum())
        paid += of_arcs.at_least + of_counts.at_least
        return np.concatenate([column[free], leads, taken, led]), np.concatenate(each), paid

    goal = costs(asked.goal)
    held = [(costs(term), value) for term, value in asked.held.values()]
    supply = network.supply - np.bincount(network.tail, still, n_nodes)
    supply += np.bincount(network.head, still, n_nodes)
    sides = np.concatenate([supply, np.ones(n_rows), *sheet.least])
    equal = Rows.of(
        (sheet.n_conditions, sheet.n_columns),
        sides,
        sides,
        (network.tail[free], column[free], 1),
        (network.head[free], column[free], -1),
        (n_nodes + who.row, leads, 1),
        *sheet.entries,
    )
    # Whoever has no free arc stands there in every plan of the program, and needs no condition.
    doubtful = np.flatnonzero(column[who.arc] >= 0)
    arc, come, nth = column[who.arc[doubtful]], who.arrives[doubtful], np.arange(len(doubtful))
    terms = [term for term, _ in asked.held.values()]
    room_of = zip(held, terms, strict=True)
    kept = [(value - paid + of.slack) / of.part for ((_, _, paid), value), of in room_of]
    first = len(doubtful)
    arriving, room = arrivals_within(asked, column, still, first + n_led + len(held))
    no_least = np.full(len(held) + len(room), -np.inf)
    bounded = Rows.of(
        (first + n_led + len(no_least), sheet.n_columns),
        np.concatenate([np.full(first, -np.inf), counts.lower[:n_led], no_least]),
        np.concatenate([np.where(come, 0, 1), counts.upper[:n_led], kept, room]),
        # who is open to stand there leads at most as often as its arc brings it, or does not take it away
        (nth, leads[doubtful], 1),
        (nth[come], arc[come], -1),
        (nth[~come], arc[~come], 1),
        (first + who.counts[0], leads, 1),
        (first + who.counts[1], leads, 1),
        *(
            (np.full(len(c), first + n_led + k), c, v / of.part)
            for k, (((c, v, _), _), of) in enumerate(zip(held, terms, strict=True))
        ),
        *arriving,
    )
    cost = np.zeros(sheet.n_columns, dtype=np.int64)
    cost[goal[0]] = goal[1]
    lower, upper = np.zeros_like(cost), np.ones_like(cost)
    lower[: len(free)], upper[: len(free)] = network.lower[free], network.upper[free]
    upper[len(free) + len(who.row) :] = np.concatenate(sheet.width)
    flow = np.clip(asked.begun.flow, network.lower, network.upper)
    leading = who.broker == asked.begun.leaders[who.row]
    amounts = asked.near.arcs, asked.near.counts
    steps_taken = (taken(cut, amounts[k % 2]) for k, (cut, _) in enumerate(sheet.cut))
    near = np.concatenate([flow[free], leading, *steps_taken])
    rows, n_equal = Rows.stacked(equal, bounded), sheet.n_conditions
    program = JointProgram(asked.goal.part, cost, lower, upper, near, len(free), n_equal, rows)
    counted = np.concatenate(sheet.counted)
    n_arcs, n_all = len(network.tail), len(asked.who.row)
    columns = np.concatenate([free, n_arcs + present, *sheet.names])
    others = np.arange(n_led + len(no_least))
    names = np.concatenate([np.arange(n_equal), n_equal + present[doubtful], n_equal + n_all + others])
    named = columns, names
    return Layout(program, free, present, doubtful, n_nodes + n_rows, counted, sheet.cut, goal[2], named)


def arrivals_within(
    asked: Question, column: Int64, still: Int64, first: int
) -> tuple[list[tuple[Int64, Int64, int]], Int64]:
    """Entries of the conditions that budgets set, numbered from ``first``, and the room of each.

    ``column`` of each arc, -1 for those that carry what is ``still`` there, ``(n_arcs,)``.
    """
    budgets = asked.budgets
    if budgets is None:
        return [], np.zeros(0, dtype=np.int64)
    number = np.cumsum(budgets.binds) - 1
    room, entries = budgets.room[budgets.binds], []
    for condition, arc in budgets.entries(number):
        np.subtract.at(room, condition, still[arc])
        open_ = column[arc] >= 0
        entries.append((first + condition[open_], column[arc[open_]], 1))
    return entries, room


def multipliers(asked: Question, layout: Layout, found: Answer) -> Multipliers:
    """The program's prices of its conditions as whole numbers.

    Whoever is not in the program has to pay for standing what makes it as dear as the best who is.
    """
    n_open, n_led = len(layout.doubtful), asked.counts.n_led
    # HiGHS' price is what a unit more of a row's side would cost; ours is what a unit pays for being in the
    # row. So signs turn, but for nodes, whose price `pull` takes off what leaves them.
    of_equal, of_bounded = np.split(found.of_rows, [layout.program.n_equal])
    led = np.zeros(len(asked.counts.lower))
    led[:n_led] = -of_bounded[n_open : n_open + n_led]
    of_counts = layout.counted >= 0
    np.subtract.at(led, layout.counted[of_counts], of_equal[layout.n_before :][of_counts])
    kept, arrivals = np.split(-of_bounded[n_open + n_led :], [len(asked.held)])
    finer = np.array([term.fine / term.part for term, _ in asked.held.values()])
    dearest = [term.dearest for term, _ in asked.held.values()]
    held = np.clip(in_parts(kept * finer, asked.scale), 0, np.array(dearest, dtype=np.int64))
    budgets = np.zeros(0 if asked.budgets is None else len(asked.budgets.room), dtype=np.int64)
    if asked.budgets is not None:
        budgets[asked.budgets.binds] = np.maximum(in_parts(arrivals, asked.scale), 0)
    stands = np.zeros(len(asked.who.row), dtype=np.int64)
    stands[layout.present[layout.doubtful]] = np.maximum(in_parts(-of_bounded[:n_open], asked.scale), 0)
    price = Multipliers(
        dict(zip(asked.held, held.tolist(), strict=True)),
        in_parts(of_equal[: len(asked.face.network.supply)], asked.scale),
        in_parts(led, asked.scale),
        stands,
        budgets,
    )
    leading = price.leading(asked)
    cheapest = cheapest_of(asked, layout.present, leading)
    absent = np.delete(np.arange(len(stands)), layout.present)
    # What is paid for standing is given back on the arc of arrival.
    # So the arcs alone tell `worthwhile` whom the program lacks.
    stands[absent] = np.maximum(cheapest[asked.who.row[absent]] - leading[absent], 0)
    return price
