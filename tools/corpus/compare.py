"""What is better and what is worse in the second of two files, case by case."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

Line = dict[str, Any]
Lines = dict[str, Line]
Side = Literal["better", "worse", "allowed", "other"]

STRENGTH = {
    "none": 0, "unknown": 0, "given-placement": 1, "integer-program": 2,
    "flow-dual": 3, "linear-program": 3, "branch-and-bound": 3, "closed-form": 3,
}  # fmt: skip
"""Of each kind of proof: nothing; of one placement alone; a search that cannot be checked; checked."""
FAILED = ("crashed", "limit")
ROUNDING = 1e-9
"""Relative difference below which two figures are the same."""
MANY_REPLICAS, SOME = 300_000, 1.03
"""Beyond so many replicas the leaders of topics may be so much worse, where the gap is stated."""


@dataclass(frozen=True)
class Finding:
    """One difference; ``goal`` is empty where it is of the whole case."""

    side: Side
    what: str
    goal: str
    before: object
    after: object


@dataclass(frozen=True)
class Verdict:
    """All differences of one case."""

    name: str
    findings: tuple[Finding, ...]

    def has(self, side: Side) -> bool:
        return any(finding.side == side for finding in self.findings)

    @property
    def worse(self) -> bool:
        return self.has("worse")


def compared(before: Lines, after: Lines) -> list[Verdict]:
    """A verdict on every case of ``before``; one that ``after`` lacks is worse."""
    return [Verdict(name, tuple(findings(line, after.get(name)))) for name, line in before.items()]


def findings(before: Line, after: Line | None) -> Iterator[Finding]:
    if after is None:
        yield Finding("worse", "case", "", "there", "missing")
    elif before.get("input") != after.get("input"):
        yield Finding("worse", "input", "", before.get("input"), after.get("input"))
    elif before["exit"] != after["exit"]:
        yield Finding(side_of_exits(before["exit"], after["exit"]), "exit", "", *told(before, after))
    elif before["exit"] == "planned":
        yield from of_goals(before, after)
        if before.get("again") is not after.get("again") and None not in (
            before.get("again"),
            after.get("again"),
        ):
            yield Finding(side(after["again"]), "second plan is empty", "", before["again"], after["again"])


def side_of_exits(before: str, after: str) -> Side:
    """A plan where none was may be a mend, or a rule that is forgotten: somebody has to look."""
    if before in FAILED:
        return "other" if after in FAILED else "better"
    return "worse" if after in FAILED or before == "planned" else "other"


def told(before: Line, after: Line) -> tuple[str, str]:
    return tuple(f"{line['exit']} {line.get('message', '')}".strip() for line in (before, after))  # type: ignore[return-value]


def side(is_better: bool) -> Side:
    return "better" if is_better else "worse"


def of_goals(before: Line, after: Line) -> Iterator[Finding]:
    """Goals in order up to the first whose value differs: later ones are of plans as good at that."""
    names = [[level["goal"] for level in line["goals"]] for line in (before, after)]
    if names[0] != names[1]:
        yield Finding("worse", "goals", "", *(", ".join(each) for each in names))
        return
    for old, new in zip(before["goals"], after["goals"], strict=True):
        if None in (old["value"], new["value"]):
            yield from of_unknown(old, new, before["racks"])
            continue
        yield from of_proof(old, new)
        if not same(old["value"], new["value"]):
            yield Finding(side_of_values(old, new, before), "value", old["goal"], old["value"], new["value"])
            return


def of_unknown(old: Line, new: Line, racks: int) -> Iterator[Finding]:
    """A value that is not known: right for the goals of racks in a cluster without any."""
    if old["value"] is not None or new["value"] is not None:
        right = old["goal"] in ("racks", "rack-leaders", "rack-replicas") and not racks
        found: Side = "other" if right else side(new["value"] is not None)
        yield Finding(found, "value", old["goal"], old["value"], new["value"])


def side_of_values(old: Line, new: Line, before: Line) -> Side:
    if new["value"] < old["value"]:
        return "better"
    excepted = old["goal"] == "topic-leaders" and before["replicas"] > MANY_REPLICAS
    near = new["value"] <= SOME * old["value"]
    return "allowed" if excepted and near and claim(new) is not None else "worse"


def of_proof(old: Line, new: Line) -> Iterator[Finding]:
    """Bounds that hold for every plan, and how they are known."""
    bounds = [claim(level) for level in (old, new)]
    least = [-math.inf if bound is None else bound for bound in bounds]
    if not same(*least):
        yield Finding(side(least[1] > least[0]), "bound", old["goal"], *bounds)
    strength = [STRENGTH[level["proof"]] for level in (old, new)]
    if strength[0] != strength[1]:
        yield Finding(side(strength[1] > strength[0]), "proof", old["goal"], old["proof"], new["proof"])


def claim(level: Line) -> float | None:
    """What no plan is below that is as good at the goals before; None where nothing is claimed."""
    if STRENGTH[level["proof"]] > STRENGTH["given-placement"]:
        return float(level["lower_bound"])
    return None if level["anywhere"] is None else float(level["anywhere"])


def same(one: float, other: float) -> bool:
    return one == other or math.isclose(one, other, rel_tol=ROUNDING)
