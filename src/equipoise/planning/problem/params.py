"""Every limit of the planner: how large a question each method takes on, and how much effort it spends.

None of them is a time: the same input has the same answer on every machine. Sizes say where a method would
take longer than what it gains is worth; docs/method.md has the measurements.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, dataclass, field, fields
from enum import StrEnum
from typing import Any


class Effort(StrEnum):
    """How much is proved: ``--effort``."""

    QUICK = "quick"
    """Flows alone, their gaps stated."""
    NORMAL = "normal"
    """Whatever proves most in seconds."""
    THOROUGH = "thorough"
    """Whatever helps, for minutes."""

    def reaches(self, other: Effort) -> bool:
        """True where a method of the ``other`` effort is used."""
        order = list(Effort)
        return order.index(self) >= order.index(other)


def limit(default: int | tuple[int, ...], unit: str, meaning: str, thorough: int | None = None) -> Any:
    """A limit of `Params`; ``thorough``: what it is with ``--effort thorough``, the same if not given."""
    return field(default=default, metadata={"unit": unit, "meaning": meaning, "thorough": thorough})


@dataclass(frozen=True)
class Params:
    """The limits, with their defaults."""

    effort: Effort = Effort.NORMAL

    partition_arcs: int = limit(30_000, "arcs", "every partition is a node from the start")
    row_arcs: int = limit(1_000_000, "arcs", "every partition is a node once topics come into play")
    shrinking_arcs: int = limit(2_000_000, "arcs", "partitions that lose replicas are nodes from the start")
    expanded_arcs: int = limit(
        4_000_000, "arcs", "what cannot be disaggregated becomes nodes; beyond it a gap is left"
    )
    tie_arcs: int = limit(300_000, "arcs", "the ids of brokers tell apart what is equally good")
    repaired_arcs: int = limit(300_000, "arcs", "topics that cannot be disaggregated are placed again")
    kinds: int = limit(
        64, "kinds", "of partitions are told apart by their racks; beyond it those above a rack's limit alone"
    )
    apart_arcs: int = limit(
        500_000, "arcs", "a flow is solved in this process; beyond it in others, which Ctrl-C can end"
    )
    dearest: int = limit(
        2**62, "cost x nodes", "a flow is not solved from there on: the solver reckons with 64 bits"
    )
    flow_parts: int = limit(6, "parts", "such a flow is solved in side by side, on any number of cores")
    joining_arcs: int = limit(50, "arcs", "a network is made smaller as long as one in so many goes by it")
    unit_steps: int = limit(
        8, "steps of one", "a cost that rises has on each side of a guess; then wider ones, which are refined"
    )
    price_rounds: int = limit(100, "rounds", "to prove by prices what they led to: some tens are usual")
    flow_cells: int = limit(
        100_000, "topics x brokers", "levels of topics are one flow; beyond it prices lead to it"
    )
    cell_steps: tuple[int, ...] = limit(
        (64, 8, 2), "replicas' worth", "those prices move by in a round, once a first has brought them near"
    )
    cell_reaches: tuple[int, ...] = limit(
        (1, 3, 8), "replicas' worth", "those prices may be off, one after the other; then it is one flow"
    )
    exact_batch: int = limit(1_500_000, "arcs", "what the first that fits cannot place is placed at once")
    order_options: int = limit(
        60_000, "replicas", "lists are ordered by one flow; beyond it brokers' numbers come first"
    )
    exact_leaders: int = limit(
        300_000, "replicas", "leaders of topics, as the last goal, are best for their placement", 2**40
    )
    open_leaders: int = limit(
        30_000, "options", "beyond that they still are, where levels before leave no more open"
    )
    rounding_rounds: int = limit(24, "rounds", "of prices alone, beyond those limits; more gain little")
    rounding_tries: int = limit(20, "flows", "look for leaders that keep to the levels before: one or two do")
    rounding_flows: int = limit(3, "flows", "keep to them before it ends; each later one gains a thousandth")
    rounding_reach: int = limit(6, "leaders' worth", "a change may cost at the prices before it is left out")
    bound_cells: int = limit(
        10_000_000, "topics x brokers", "leaders of topics get a bound over all placements, by prices"
    )
    bound_flow_cells: int = limit(
        100_000, "topics x brokers", "the last prices of that bound are those of a flow"
    )
    bound_flows: int = limit(6, "flows", "find them, with other prices of an election")
    bound_steps: int = limit(3, "leaders", "more or fewer of a cell than is likely cost just their own in it")
    bound_tries: int = limit(16, "prices", "of an election, rising and falling, are tried for it")
    bound_reach: int = limit(8, "leaders' worth", "the other prices move once they are nearly right")
    bound_gain: int = limit(100, "parts of bound or gap", "the next price has to gain one of the less")
    leaving_tries: int = limit(
        4, "choices", "of who has to give leaders away are tried for a bound on elections"
    )
    leaving_part: int = limit(
        64, "leaders",
        "that brokers must give up: for one in so many, or more, it is tried if leaving spares elections",
    )
    failover_tries: int = limit(
        3, "numbers of leaders", "are tried for a bound on `failover`, the plan's first"
    )
    place_choices: int = limit(
        4, "numbers of leaders", "a broker can have, for each of which that bound has a price of its own"
    )
    face_arcs: int = limit(1_000_000, "arcs", "placements and leaders are looked at together")
    small_cells: int = limit(
        2_500, "partitions x brokers", "the 0-1 program of a small cluster decides what is open", 10_000
    )
    load_cells: int = limit(
        1_500, "partitions x brokers", "that program decides levels of disks and networks, a packing", 3_000
    )
    load_work: int = limit(
        3_000, "partitions x brokers x units of CP-SAT's time", "whole columns are searched in there", 15_000
    )
    load_runs: int = limit(5, "plans", "on the own result make levels of loads better, one after the other")
    hand_over_cells: int = limit(
        1_000_000, "partitions x brokers", "a load that is levelled alone is levelled by hand-overs, too"
    )
    mix_hand_over_cells: int = limit(
        10_000, "partitions x brokers", "so are several that are out of reach together"
    )
    load_rates: int = limit(
        64, "bytes", "a hand-over may move for each that it brings into a band, or it is not worth it"
    )
    load_pairs: int = limit(4_000, "pairs of brokers", "are looked at for such hand-overs both ways")
    load_rounds: int = limit(40, "rounds", "the prices of loads outside their bands rise in")
    load_patience: int = limit(8, "rounds", "do not get nearer, and a band is taken to be out of reach")
    load_sweeps: int = limit(3, "sweeps", "over all brokers a round has")
    load_changes: int = limit(10, "changes", "a sweep makes, or prices had better rise than another begin")
    load_alone: int = limit(4, "rounds", "move replicas one way, before they are exchanged, too")
    load_exchangers: int = limit(8, "brokers", "exchange replicas in a round, the farthest from their bands")
    load_exchanges: int = limit(3, "exchanges", "each of them makes in a round")
    load_candidates: int = limit(40, "replicas", "of each side an exchange is looked for among")
    dir_ways: int = limit(2**15, "ways", "every way to place a broker's replicas in its dirs is tried")
    dir_exchanges: int = limit(
        200, "replicas", "of a dir, evenly by size, are tried for an exchange with another dir's"
    )
    price_cells: int = limit(
        20_000_000, "partitions x brokers", "what loads force has prices, which a judge proves again"
    )
    small_pairs: int = limit(
        12_000, "partitions x pairs of brokers", "that program decides `failover` too", 60_000
    )
    small_columns: int = limit(12_000, "columns", "HiGHS is asked for whole columns of that program", 60_000)
    small_nodes: int = limit(50, "nodes of a search tree", "those whole columns are searched among")
    simplex_columns: int = limit(
        5_000, "columns", "linear programs are solved by the simplex method; beyond it by an interior point"
    )
    tree_columns: int = limit(30_000, "columns", "a bound of the small program is proved by cases", 60_000)
    tree_programs: int = limit(2_500, "linear programs", "one proof by cases may take", 15_000)
    tree_share: int = limit(
        4, "parts", "of a proof by cases: with one closed in a third of its effort, it has the rest, too"
    )
    tree_parts: int = limit(
        100, "parts", "of a proof by cases: with one closed by all effort, a bound a little lower is tried"
    )
    tree_tries: int = limit(
        16, "columns", "in a row are no better to divide a case at than another, and it is divided at that"
    )
    tree_work: int = limit(
        10_000_000, "linear programs x factors", "one proof by cases takes: some twenty seconds", 200_000_000
    )
    interior_work: int = limit(
        5, "times", "as much work is a linear program there where it is solved by an interior point"
    )
    load_tree_work: int = limit(
        9_000_000, "linear programs x factors", "one takes where loads are levelled: each goal may need one",
        200_000_000,
    )
    face_columns: int = limit(
        160_000, "columns", "placements and leaders are one program, all of whose columns are there", 400_000
    )
    face_wide_columns: int = limit(
        50_000, "columns", "the same for levels of leaders where a budget keeps placements wide"
    )
    face_at_once: int = limit(
        50_000, "columns", "elections have all columns at once, where half are there anyway: a second or two"
    )
    topics_of_partitions: int = limit(
        50_000, "partitions", "some topics are looked at alone, where all are too many for one program",
        300_000,
    )
    topics_arcs: int = limit(
        100_000, "arcs",
        "those topics have, the least level first; half as many within a budget, half of that if of bytes",
        200_000,
    )
    topics_pivots: int = limit(
        1_000_000_000,
        "simplex iterations x columns",
        "they are looked at where few replicas may move",
        30_000_000_000,
    )
    topics_gain: int = limit(
        10, "parts of what is left", "others are looked at after them as long as one is gained"
    )
    face_work: int = limit(350_000, "columns of all programs", "such a goal is looked at")
    grown_columns: int = limit(
        320_000, "columns", "a program grows to, for elections and where few replicas may move", 800_000
    )
    grown_pivots: int = limit(
        6_000_000_000, "simplex iterations x columns", "its goal is looked at: some seconds", 30_000_000_000
    )
    few_moves: int = limit(
        5, "replicas", "or more for each that may move: then few columns are needed, and the program grows"
    )
    grown_arrivals: int = limit(3, "arrivals", "of one partition are added to a program that grows at a time")
    grown_part: int = limit(5, "columns", "for each that is added at a time")
    grown_rest: int = limit(100, "columns", "for each that could be added: so few are added at once")
    near_nodes: int = limit(20, "nodes of a search tree", "whole columns near an optimum are searched among")
    near_columns: int = limit(300, "columns", "or more of these are searched by CP-SAT")
    near_parts: int = limit(
        10_000, "columns", "are searched by HiGHS where bytes count: CP-SAT takes no parts of them", 40_000
    )
    near_effort: int = limit(10, "units of CP-SAT's time", "one such search takes")
    near_rounds: int = limit(10, "rounds", "before that look for what rows decide by themselves")
    near_cheap: int = limit(
        20_000, "columns", "that cost a part of what may be gained are opened, where bytes count", 60_000
    )
    near_part: int = limit(8, "parts", "of what may be gained: what costs less than one of them")
    near_optima: int = limit(2, "optima", "are looked at beside the first, where it is not whole")
    late_optima: int = limit(
        8, "optima", "are looked at beside the first where a goal comes next that no program decides so"
    )
    spread_replicas: int = limit(
        1_000_000, "replicas", "first followers are chosen with their placement: arcs of the largest flow"
    )
    follower_pairs: int = limit(
        2_000_000, "pairs of brokers", "first followers are chosen for `failover`, and that has a bound"
    )
    free_followers: int = limit(
        300_000, "replicas or pairs of brokers",
        "lists that change anyway get the first followers that are best after a failure",
    )
    offer_cells: int = limit(5_000_000, "topics x brokers", "what level topics would cost is offered")
    offer_rows: int = limit(20_000, "partitions", "what another order of followers would bring is offered")
    other_replicas: int = limit(
        20_000_000, "replicas", "are measured for other lists of one partition, see `explain`"
    )
    budget_nodes: int = limit(50, "nodes of a search tree", "are spent on using ``--max-moves`` up")
    budget_rounds: int = limit(
        4, "smaller budgets", "are tried for counts that take more than ``--max-moves``"
    )
    bytes_sizes: int = limit(64, "sizes", "of partitions up to which they move are tried for ``--max-bytes``")
    bytes_steps: int = limit(256, "steps", "``--max-bytes`` is used up to, in parts of all moves")

    @classmethod
    def of(cls, effort: Effort) -> Params:
        """The limits of an effort."""
        if effort is not Effort.THOROUGH:
            return cls(effort=effort)
        wider = {of.name: of.metadata["thorough"] for of in limits() if of.metadata["thorough"] is not None}
        return cls(effort=effort, **wider)


def limits() -> list[Field[Any]]:
    """The limits among the fields of `Params`, for the docs' table."""
    return [of for of in fields(Params) if of.metadata and of.default is not MISSING]
