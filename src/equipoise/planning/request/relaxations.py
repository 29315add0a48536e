"""The nearest ways out of a request that one partition cannot satisfy: each is tried before it is named."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from equipoise.cluster import Brokers, Cluster, build_cluster, measures
from equipoise.cluster.brokers import IntArray
from equipoise.errors import UnusableInput
from equipoise.planning.flow.network import Infeasible
from equipoise.planning.goals.moves import Moves
from equipoise.planning.networks.leadable import with_leaders
from equipoise.planning.networks.place import place
from equipoise.planning.problem.problem import Problem
from equipoise.planning.problem.request import Request
from equipoise.planning.request.laying import build_problem
from equipoise.planning.rules import BUDGETS, EASIEST_FIRST, RULES, within_budgets
from equipoise.planning.rules.ways import is_given, left_out


@dataclass(frozen=True)
class Alone:
    """One partition as a cluster of its own, and what is asked of it: the `rules.ways.Trial` of its rules."""

    cluster: Cluster
    request: Request

    @classmethod
    def of(cls, problem: Problem, row: int) -> Alone:
        """A row of a problem; what is asked of all partitions together is left out."""
        whole = problem.cluster
        shared = [budget.name for budget in BUDGETS if not budget.of_each]
        request = left_out(problem.request, ["topics", "exclude-topics", "create", *shared])
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
        down = dict(zip(racks, whole.brokers.down, strict=True))
        known = Brokers.of([i for i in racks if i not in successors], racks, down=down)
        given = dict(request.racks) | {i: rack for i in successors if (rack := racks[i]) is not None}
        one = build_cluster(whole.name, known, [topic], [0], whole.ids_of(whole.replicas[[row]]))
        return cls(one, replace(request, racks=tuple(given.items())))

    def laid(self, request: Request) -> Problem:
        """Another request, laid over the cluster."""
        return build_problem(self.cluster, request)

    def changes(self, request: Request) -> int | None:
        """The fewest replicas that change, None where the rules leave no place for them."""
        fewest = self.fewest(request)
        return None if fewest is None else measures.data_moves(*fewest)

    def allows(self, request: Request) -> bool:
        """True where the partition can satisfy a request."""
        fewest = self.fewest(request)
        return fewest is not None and within_budgets(self.laid(request), fewest[1])

    def fewest(self, request: Request) -> tuple[IntArray, IntArray] | None:
        """The lists before, and those with the fewest changes, whatever the budgets; None without any."""
        try:
            problem = self.laid(left_out(request, [budget.name for budget in BUDGETS]))
            return problem.cluster.replicas, with_leaders(problem, place(problem, (Moves.name,)).lists)
        except (Infeasible, UnusableInput):
            return None

    def conflicting(self) -> list[str]:
        """A smallest set of options that conflict: without any one of them the others leave a place."""
        request, given = self.request, given_options(self.request)
        for option in list(given):
            without = left_out(request, [option])
            if not self.allows(without):
                request = without
                given.remove(option)
        return given

    def ways_out(self) -> list[str]:
        """What to ask instead, one sentence for each way, nearest first."""
        ways = [way for rule in RULES for way in rule.ways_out(self)]
        ways.sort(key=lambda way: way.step)
        return [way.words for way in ways] or self.without_rules()

    def without_rules(self) -> list[str]:
        """The smallest sets of options without which it can be had."""
        given = given_options(self.request)
        for number in range(1, len(given) + 1):
            enough = [
                some for some in combinations(given, number) if self.allows(left_out(self.request, some))
            ]
            if enough:
                return [f"leave out {together(some)}" for some in enough]
        return []


def given_options(request: Request) -> list[str]:
    """Options that are given and can be left out, from the easiest to give up."""
    return [option for option in EASIEST_FIRST if is_given(request, option)]


def together(options: Sequence[str]) -> str:
    """``--drain and --cordon``."""
    return " and ".join(f"--{option}" for option in options)
