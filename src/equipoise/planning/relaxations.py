"""The nearest ways out of a request that one partition cannot satisfy: each is tried before it is named."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from equipoise.cluster import Brokers, Cluster, build_cluster, measures
from equipoise.errors import UnusableInput
from equipoise.planning.networks.leadable import with_leaders
from equipoise.planning.networks.network import Infeasible
from equipoise.planning.networks.place import place
from equipoise.planning.problem import Problem, build_problem
from equipoise.planning.request import Request

RULES: dict[str, Any] = {
    "leaders_only": False,
    "stay_in_rack": False,
    "rack_rule": "spread",
    "no_leaders_on": (),
    "cordon": (),
    "max_changes_per_partition": None,
    "replace": (),
    "drain": (),
    "brokers": None,
    "replication_factor": None,
}
"""Options that can make a request impossible, from the easiest to give up; with what stands for none."""
MOST_NAMED = 20
"""Brokers in one sentence."""

Freed = Callable[[Request, Sequence[int]], Request]
"""A request without its rule for some brokers."""


@dataclass(frozen=True)
class Alone:
    """One partition as a cluster of its own, and what is asked of it."""

    cluster: Cluster
    request: Request

    @classmethod
    def of(cls, problem: Problem, row: int) -> Alone:
        """A row of a problem; what is asked of all partitions together is left out."""
        whole = problem.cluster
        request = replace(
            problem.request, topics=None, exclude_topics=None, create=(), max_moves=None, max_bytes=None
        )
        if whole.rf[row] == 0:  # to be created, beside any other that stays as it is
            topic, factor = whole.topics[whole.topic_idx[row]], int(problem.rf[row])
            row = int(np.argmax(whole.rf > 0))
            other = whole.topics[whole.topic_idx[row]]
            create = ((topic, 1 + (topic == other), factor),)
            request = replace(request, create=create, exclude_topics=re.escape(other))
        topic = whole.topics[whole.topic_idx[row]]
        held = np.unique(whole.ids_of(whole.replicas))
        successors = {new for _, new in request.replace if new not in held}
        racks = {int(i): rack for i, rack in zip(whole.brokers.ids, whole.brokers.racks, strict=True)}
        # A successor that holds nothing is there for the replacement alone; it keeps its rack.
        known = Brokers.of([i for i in racks if i not in successors], racks)
        given = dict(request.racks) | {i: rack for i in successors if (rack := racks[i]) is not None}
        one = build_cluster(whole.name, known, [topic], [0], whole.ids_of(whole.replicas[[row]]))
        return cls(one, replace(request, racks=tuple(given.items())))

    def changes(self, request: Request) -> int | None:
        """The fewest replicas that change, None where the rules leave no place for them."""
        try:
            problem = build_problem(self.cluster, replace(request, max_changes_per_partition=None))
            lists = with_leaders(problem, place(problem, ("moves",)).lists)
        except (Infeasible, UnusableInput):
            return None
        return measures.data_moves(problem.cluster.replicas, lists)

    def allows(self, request: Request) -> bool:
        """True where the partition can satisfy a request."""
        changes, most = self.changes(request), request.max_changes_per_partition
        return changes is not None and (most is None or changes <= most)

    def conflicting(self) -> list[str]:
        """A smallest set of rules that conflict: without any one of them the others leave a place."""
        request, given = self.request, given_rules(self.request)
        for name in list(given):
            without = left_out(request, [name])
            if not self.allows(without):
                request = without
                given.remove(name)
        return given

    def ways_out(self) -> list[str]:
        """What to ask instead, one sentence for each way, nearest first."""
        request = self.request
        gone = [int(i) for i in self.cluster.brokers.ids if int(i) in excluded(self.cluster, request)]
        ways = [
            *self.looser(),
            *self.freed(gone, kept, "keep {}"),
            *self.freed(sorted(request.cordon), uncordoned, "take {} out of --cordon"),
            *self.freed(sorted(request.no_leaders_on), leading, "take {} out of --no-leaders-on"),
            *self.fewer_replicas(),
            *self.more_brokers(),
        ]
        return ways or self.without_rules()

    def looser(self) -> Iterator[str]:
        """Rules that can be relaxed without naming brokers."""
        request = self.request
        if request.rack_rule == "strict" and self.allows(replace(request, rack_rule="spread")):
            limit = build_problem(self.cluster, replace(request, rack_rule="spread")).limit
            yield f"allow {limit.max()} per rack (--rack-rule spread)"
        for name in ("stay_in_rack", "leaders_only"):
            if getattr(request, name) and self.allows(left_out(request, [name])):
                yield f"leave out {option(name)}"
        needed = self.changes(request)
        if needed is not None and request.max_changes_per_partition is not None:
            yield f"allow {needed} (--max-changes-per-partition)"

    def freed(self, brokers: Sequence[int], freed: Freed, words: str) -> Iterator[str]:
        """Any one of some brokers freed of a rule, or as few as it takes."""
        some = [b for b in brokers if self.allows(freed(self.request, [b]))]
        if some:
            yield words.format(f"one of brokers {listed(some)}" if len(some) > 1 else f"broker {some[0]}")
        elif brokers and self.allows(freed(self.request, brokers)):
            needed = list(brokers)
            for broker in brokers:
                fewer = [b for b in needed if b != broker]
                if self.allows(freed(self.request, fewer)):
                    needed = fewer
            yield words.format(f"brokers {listed(needed)}")

    def fewer_replicas(self) -> Iterator[str]:
        """The highest replication factor below the one asked for that can be had."""
        for factor in range(self.factor() - 1, 0, -1):
            if self.allows(lowered(self.request, factor)):
                yield f"lower the replication factor to {factor}"
                return

    def more_brokers(self) -> Iterator[str]:
        """As few new brokers as it takes, in one rack or each in a rack of its own."""
        racks = sorted({rack for rack in self.cluster.brokers.racks if rack is not None})
        for number in range(1, self.factor() + 1):
            good = [rack for rack in (*racks, None) if self.allows(self.grown(number, rack))]
            where = "" if len(good) > len(racks) else words_for(good, number)
            if good:
                yield f"add {'a broker' if number == 1 else f'{number} brokers'}{where} (--add)"
                return

    def grown(self, number: int, rack: str | None) -> Request:
        """The request with new brokers, in a rack or (None) each in a new one."""
        first = int(self.cluster.brokers.ids.max()) + 1
        ids = range(first, first + number)
        has_racks = self.cluster.brokers.has_racks
        new = [(b, rack or (f"rack of {b}" if has_racks else None)) for b in ids]
        return replace(self.request, add=(*self.request.add, *new))

    def factor(self) -> int:
        problem = build_problem(self.cluster, self.request)
        return int(problem.rf[problem.movable].max())

    def without_rules(self) -> list[str]:
        """The smallest sets of options without which it can be had."""
        given = given_rules(self.request)
        for number in range(1, len(given) + 1):
            enough = [
                some for some in combinations(given, number) if self.allows(left_out(self.request, some))
            ]
            if enough:
                return [f"leave out {' and '.join(map(option, some))}" for some in enough]
        return []


def excluded(cluster: Cluster, request: Request) -> set[int]:
    """Brokers of the cluster that may hold nothing afterwards."""
    problem = build_problem(cluster, request)
    return {int(i) for i in problem.cluster.brokers.ids[~problem.eligible]}


def given_rules(request: Request) -> list[str]:
    return [name for name, none in RULES.items() if getattr(request, name) != none]


def left_out(request: Request, names: Sequence[str]) -> Request:
    """The request without some options."""
    return replace(request, **{name: RULES[name] for name in names})


def kept(request: Request, brokers: Sequence[int]) -> Request:
    """Brokers neither drained nor replaced, and named where those that stay are."""
    named = request.brokers
    return replace(
        request,
        brokers=None if named is None else (*named, *((b, None) for b in brokers)),
        drain=tuple(b for b in request.drain if b not in brokers),
        replace=tuple(pair for pair in request.replace if pair[0] not in brokers),
    )


def uncordoned(request: Request, brokers: Sequence[int]) -> Request:
    return replace(request, cordon=tuple(b for b in request.cordon if b not in brokers))


def leading(request: Request, brokers: Sequence[int]) -> Request:
    return replace(request, no_leaders_on=tuple(b for b in request.no_leaders_on if b not in brokers))


def lowered(request: Request, factor: int) -> Request:
    """A replication factor for the one partition, created or not."""
    create = tuple((topic, partitions, factor) for topic, partitions, _ in request.create)
    return replace(request, create=create, replication_factor=None if create else factor)


def option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def words_for(racks: Sequence[str | None], number: int) -> str:
    """Where new brokers may be; None stands for racks of their own."""
    named = " or ".join(rack for rack in racks if rack is not None)
    own = f"in {'a rack of its own' if number == 1 else 'racks of their own'}" if None in racks else ""
    return " " + " or ".join(part for part in (named and f"in rack {named}", own) if part)


def listed(brokers: Sequence[int]) -> str:
    """``4, 7``, cut short where there are many."""
    more = ", ..." if len(brokers) > MOST_NAMED else ""
    return ", ".join(str(b) for b in brokers[:MOST_NAMED]) + more
