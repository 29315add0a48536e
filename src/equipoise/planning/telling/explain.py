"""Why each partition changes, in one sentence: what leaves a broker, and what is told of where it goes."""

from __future__ import annotations

import numpy as np

from equipoise.cluster import measures
from equipoise.cluster.brokers import IntArray
from equipoise.cluster.cluster import BoolArray
from equipoise.planning.basis.distinct import Int64, distinct_rows
from equipoise.planning.goals import goals_before, weighs
from equipoise.planning.goals.consumers import Consumers, consumers_of
from equipoise.planning.goals.failover import Failover
from equipoise.planning.goals.moves import Moves
from equipoise.planning.problem import shares as measure
from equipoise.planning.problem.problem import Problem
from equipoise.planning.rules.assume_alive import up_in
from equipoise.planning.rules.replace import successors

WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")

THEN = "; "
"""Between why something leaves, and why it comes to where it does."""

SPREAD = "first followers are spread, for when a broker fails"


def cause(sentence: str) -> str:
    """Of a sentence what does not tell where something goes."""
    return sentence.partition(THEN)[0]


def reasons(problem: Problem, lists: IntArray) -> dict[int, str]:
    """A sentence for each changed row: the rule, or else the level, that it serves."""
    return dict(Explainer(problem, lists).sentences())


class Explainer:
    """The state before, put next to the lists after.

    What is told of brokers is in lists: of numbers that are read one by one, arrays would make objects.
    """

    def __init__(self, problem: Problem, lists: IntArray) -> None:
        self.problem, self.lists, self.before = problem, lists, problem.cluster.replicas
        self.ids = problem.cluster.brokers.ids.tolist()
        n = problem.cluster.n_brokers
        held = measures.replicas_per_broker(self.before, n)
        low, high = measure.replica_band(problem, lists)
        self.above, self.below = beyond(held, high), beyond(low, held)
        self.room = beyond(high, held, problem.eligible)
        led = measures.leaders_per_broker(self.before, n)
        low, high = measure.leader_band(problem, lists)
        self.leads_above, self.leads_below = beyond(led, high), beyond(low, led)
        self.may_lead = beyond(high, led, problem.leads)
        goals = problem.goals
        self.spreads = Failover.name in goals and Moves.name not in goals_before(goals, Failover.name)
        self.spreads &= not weighs(problem)  # where loads are levelled no replica moves for it
        self.replaced = successors(problem)
        self.alive = up_in(problem)
        self.open_in_rack = np.bincount(problem.rack_idx[problem.receives], minlength=problem.n_racks)
        self.changed = measures.changed_rows(self.before, lists)
        old, new = self.before[self.changed], lists[self.changed]
        self.nearer = self.read_nearer()
        self.gives = set(np.unique(missing_from(new, old)).tolist())
        self.gives_leads = set(np.unique(old[old[:, 0] != new[:, 0], 0]).tolist())

    def read_nearer(self) -> BoolArray:
        """``(n_changed,)``: changes after which less is read across racks, where that is a goal."""
        if Consumers.name not in self.problem.goals or weighs(self.problem):
            return np.zeros(len(self.changed), dtype=bool)
        read = consumers_of(self.problem)
        old, new = self.before[self.changed, 0], self.lists[self.changed, 0]
        return np.asarray(read.part(self.changed, new) < read.part(self.changed, old))

    def sentences(self) -> list[tuple[int, str]]:
        """Row and sentence of every change, rows ascending."""
        before, after = self.before[self.changed], self.lists[self.changed]
        gone, come = missing_from(after, before), missing_from(before, after)
        held, kept = (
            measures.replicas_per_rack(lists, self.problem.rack_idx, self.problem.n_racks)
            for lists in (before, after)
        )
        eased = (held > self.problem.limit[self.changed][:, None]) & (kept < held)
        rack = np.where(eased.any(axis=1), eased.argmax(axis=1), -1)
        reorder = (come < 0).all(axis=1) | (before[:, 0] < 0)  # only then the sentence is about leaders
        facts = np.column_stack(
            [
                gone,
                come,
                np.where(reorder, before[:, 0], 0),
                np.where(reorder, after[:, 0], 0),
                rack,
                np.where(rack < 0, 0, held[np.arange(len(held)), rack]),
                (after >= 0).sum(axis=1) - (before >= 0).sum(axis=1),
                self.spreads & (measures.position(come, 1) >= 0),
                reorder & self.nearer,
            ]
        )
        # Rows that change alike have the same reason, and there are far fewer of those.
        kinds, kind_of = distinct_rows(facts)
        said = [self.sentence(kind, gone.shape[1]) for kind in kinds.tolist()]
        return [(row, said[kind]) for row, kind in zip(self.changed.tolist(), kind_of.tolist(), strict=True)]

    def sentence(self, kind: list[int], width: int) -> str:
        gone = [b for b in kind[:width] if b >= 0]
        come = [b for b in kind[width:-7] if b >= 0]
        old, new, rack, crowd, growth, inherits, nearer = kind[-7:]
        if old < 0:
            return self.with_target("the partition is created", come)
        for b in gone:
            if self.ids[b] in self.replaced:
                return f"broker {self.ids[b]} is replaced by {self.replaced[self.ids[b]]}"
        for b in gone:
            if not self.problem.eligible[b]:
                return self.with_target(f"broker {self.ids[b]} is drained", come)
        if growth:
            word = "raised" if growth > 0 else "lowered"
            return self.with_target(f"the replication factor is {word} by {abs(growth)}", come)
        if rack >= 0 and come:
            name = self.problem.cluster.brokers.rack_names[rack]
            return self.with_target(f"rack {name} held {spelled(crowd)} replicas", come)
        if come:
            if inherits and not any(self.above[b] for b in gone):
                return SPREAD
            return self.with_target(self.levelling(gone, come), come)
        if old != new:
            return self.leading(old, new, nearer=bool(nearer))
        return SPREAD

    def with_target(self, why: str, come: list[int]) -> str:
        """The reason, and a fact of who receives, where the reason names none of them."""
        if any(f"broker {self.ids[b]} " in why for b in come):
            return why
        return THEN.join(filter(None, (why, self.receiving(come))))

    def receiving(self, come: list[int]) -> str:
        """Why it comes to one of these, "" where nothing sets them apart."""
        for b in come:
            if self.below[b]:
                return f"broker {self.ids[b]} holds {self.below[b]:,} below its share"
        rooms = (f"broker {self.ids[b]} has room for {self.room[b]:,} more" for b in come if self.room[b])
        return self.alone_in_rack(come) or next(rooms, "") or self.giving(come)

    def giving(self, come: list[int]) -> str:
        """Said of one that has what it should, and gives as much away as it gets."""
        return next((f"broker {self.ids[b]} gives others away" for b in come if b in self.gives), "")

    def alone_in_rack(self, come: list[int]) -> str:
        """Said of one that alone in its rack may receive."""
        problem = self.problem
        for b in come:
            rack = problem.rack_idx[b]
            if problem.n_racks > 1 and problem.receives[b] and self.open_in_rack[rack] == 1:
                name = problem.cluster.brokers.rack_names[rack]
                return f"broker {self.ids[b]} is the only one in rack {name} that may receive"
        return ""

    def levelling(self, gone: list[int], come: list[int]) -> str:
        for b in gone:
            if self.above[b]:
                return f"broker {self.ids[b]} holds {self.above[b]:,} above its share"
        for b in come:
            if self.below[b]:
                return f"broker {self.ids[b]} holds {self.below[b]:,} below its share"
        if gone and not self.problem.leads[gone[0]]:
            return self.barred(gone[0])
        return f"levels the topic: broker {self.ids[come[0]]} takes what others have more of"

    def leading(self, old: int, new: int, *, nearer: bool) -> str:
        if not self.problem.leads[old]:
            why = self.barred(old)
        elif self.leads_above[old]:
            why = f"broker {self.ids[old]} leads {self.leads_above[old]:,} above its share"
        else:
            why = ""
        if self.leads_below[new]:
            target = f"broker {self.ids[new]} leads {self.leads_below[new]:,} below its share"
            return THEN.join(filter(None, (why, target)))
        if nearer:
            rack = self.problem.cluster.brokers.rack_names[self.problem.rack_idx[new]]
            near = f"more of it is read in rack {rack}, where broker {self.ids[new]} is"
            return THEN.join(filter(None, (why, near)))
        if why:
            return THEN.join(filter(None, (why, self.leading_instead(new))))
        return f"passes leadership on from broker {self.ids[old]}, to where it is missing"

    def leading_instead(self, new: int) -> str:
        """Why one leads that leads enough, "" where nothing sets it apart."""
        if self.may_lead[new]:
            return f"broker {self.ids[new]} may lead {self.may_lead[new]:,} more"
        return f"broker {self.ids[new]} gives other leads away" if new in self.gives_leads else ""

    def barred(self, broker: int) -> str:
        """Why a broker may not lead."""
        return f"broker {self.ids[broker]} {'may lead nothing' if self.alive[broker] else 'is not alive'}"


def beyond(held: Int64, limit: Int64, where: BoolArray | bool = True) -> list[int]:
    """``(n_brokers,)``: by how much one figure passes another, 0 where it does not."""
    return [int(number) for number in np.where(where, np.maximum(held - limit, 0), 0)]


def spelled(count: int) -> str:
    """``two``, as in a sentence; figures from ten on."""
    return WORDS[count] if count < len(WORDS) else str(count)


def missing_from(others: IntArray, lists: IntArray) -> IntArray:
    """Brokers of ``lists`` that ``others`` do not have, row by row; -1 elsewhere."""
    missing = lists.copy()
    for k in range(others.shape[1]):
        missing[lists == others[:, k : k + 1]] = -1
    return missing
