"""Why each partition changes, where loads are levelled."""

from __future__ import annotations

from collections.abc import Sequence

from equipoise.cluster.brokers import IntArray
from equipoise.planning.loads.weights import FILL, IN_RACK, Int64, Load, loads_of
from equipoise.planning.problem.problem import Problem
from equipoise.planning.telling.explain import THEN, Explainer

WORDS = {
    "count": "replicas",
    "leaders": "leaders",
    "disk": "disk",
    "network-in": "inbound traffic",
    "leaders-in": "inbound traffic of leaders",
    "replication-out": "replication traffic",
    "network-out": "outbound traffic",
    "cpu": "CPU",
}


def load_reasons(problem: Problem, lists: IntArray) -> dict[int, str]:
    """A sentence for each changed row: the rule, or else the load, that it serves."""
    return dict(LoadExplainer(problem, lists).sentences())


class LoadExplainer(Explainer):
    """The reasons of counts, with loads where those are levelled."""

    def __init__(self, problem: Problem, lists: IntArray) -> None:
        super().__init__(problem, lists)
        self.loads = [(load, load.held(self.before)) for load in loads_of(problem)]

    def levelling(self, gone: list[int], come: list[int]) -> str:
        for load, held in self.loads:
            if not load.of_leaders and (words := apart(load, held, self.ids, gone, come)):
                return words
        for load, held in self.loads:
            if load.of_leaders and (words := apart(load, held, self.ids, gone, come)):
                return words
        return f"makes room: broker {self.ids[come[0]]} can bear it"

    def receiving(self, come: list[int]) -> str:
        for load, held in self.loads:
            if not load.of_leaders and (words := apart(load, held, self.ids, [], come)):
                return words
        return self.alone_in_rack(come) or self.lighter(come) or self.giving(come)

    def lighter(self, come: list[int]) -> str:
        """Said of one that bears less than its share, although within the band."""
        for load, held in self.loads:
            if load.of_leaders or load.name.startswith(FILL):
                continue
            for b in come:
                if held[b] < load.share[b]:
                    return f"broker {self.ids[b]} has {lacks(load, held, b)} than its share"
        return ""

    def leading(self, old: int, new: int, *, nearer: bool) -> str:
        if self.problem.leads[old]:
            for load, held in self.loads:
                if load.of_leaders and (words := apart(load, held, self.ids, [old], [new])):
                    return self.with_leader(words, load, held, new)
        return super().leading(old, new, nearer=nearer)

    def with_leader(self, words: str, load: Load, held: Int64, new: int) -> str:
        """The words on a leader that goes with why it is ``new`` that leads instead."""
        target = self.leading_instead(new)
        # How full a broker may be is a limit, of which nobody has a share.
        if held[new] < load.share[new] and not load.name.startswith(FILL):
            target = f"broker {self.ids[new]} has {lacks(load, held, new)} than its share"
        return words if words == target else THEN.join(filter(None, (words, target)))


def apart(load: Load, held: Int64, ids: Sequence[int], gone: list[int], come: list[int]) -> str:
    """Who of them has more than its band allows, or less; "" where nobody has."""
    if load.name.startswith(FILL):
        full = [b for b in gone if held[b] > load.high[b]]
        option = "--rack-capacity" if load.name == IN_RACK else "--max-fill"
        return f"broker {ids[full[0]]} is fuller than {option} allows" if full else ""
    for b in gone:
        if held[b] > load.high[b]:
            return f"broker {ids[b]} has {percent(load, held, b)} more {WORDS[load.name]} than its share"
    for b in come:
        if held[b] < load.low[b]:
            return f"broker {ids[b]} has {lacks(load, held, b)} than its share"
    return ""


def lacks(load: Load, held: Int64, broker: int) -> str:
    """How far a broker is below its share: ``31 % less disk``."""
    less = "fewer" if load.counts else "less"
    return f"{percent(load, held, broker)} {less} {WORDS[load.name]}"


def percent(load: Load, held: Int64, broker: int) -> str:
    """How far a broker is from its share: ``31 %``."""
    share = load.share[broker]
    return f"{100 * abs(held[broker] - share) / share:.3g} %"
