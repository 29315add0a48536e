"""Why each partition changes, where loads are levelled."""

from __future__ import annotations

import numpy as np

from equipoise.cluster.brokers import IntArray
from equipoise.planning.explain import Explainer
from equipoise.planning.loads.weights import Load, loads_of
from equipoise.planning.problem.problem import Problem

WORDS = {"disk": "on disk", "network-in": "of inbound traffic", "network-out": "of outbound traffic"}
STEPS = ("", "k", "M", "G", "T", "P", "E")


def reasons(problem: Problem, lists: IntArray) -> dict[int, str]:
    """A sentence for each changed row: the rule, or else the load, that it serves."""
    return dict(LoadExplainer(problem, lists).sentences())


class LoadExplainer(Explainer):
    """The reasons of counts, with loads where those are levelled."""

    def __init__(self, problem: Problem, lists: IntArray) -> None:
        super().__init__(problem, lists)
        self.loads = [(load, load.held(self.before)) for load in loads_of(problem)]

    def levelling(self, gone: list[int], come: list[int]) -> str:
        for load, held in self.loads:
            if not load.of_leaders:
                for b in (b for b in gone if held[b] > load.high[b]):
                    return self.outside(load, b, int(held[b] - load.high[b]), "above")
                for b in (b for b in come if held[b] < load.low[b]):
                    return self.outside(load, b, int(load.low[b] - held[b]), "below")
        return f"makes room: broker {self.ids[come[0]]} can bear it"

    def leading(self, old: int, new: int) -> str:
        for load, held in self.loads:
            if load.of_leaders and self.problem.leads[old]:
                if held[old] > load.high[old]:
                    return self.outside(load, old, int(held[old] - load.high[old]), "above")
                if held[new] < load.low[new]:
                    return self.outside(load, new, int(load.low[new] - held[new]), "below")
        return super().leading(old, new)

    def outside(self, load: Load, broker: int, by: int, side: str) -> str:
        per = "" if load.goal == "disk" else "/s"
        return f"broker {self.ids[broker]} is {amount(by)}{per} {side} its band {WORDS[load.goal]}"


def amount(size: float) -> str:
    """Bytes in decimal units, three digits: ``12300000000`` → ``12.3 GB``."""
    step = int(np.clip(np.log10(max(size, 1)) // 3, 0, len(STEPS) - 1))
    return f"{size / 1000**step:.3g} {STEPS[step]}B"
