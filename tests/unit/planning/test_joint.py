"""Placements and leaders at once: the elections are the fewest that any plan needs, without the program."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.reference.exact import optimum
from tests.scenarios.strategies import case

from equipoise.errors import ImpossibleRequest, UnusableInput
from equipoise.planning import build_problem, flows, integer, make_plan
from equipoise.planning.joint import Joint, fewest_elections


@pytest.mark.parametrize("theme", ["one", "rules", "created"])
def test_the_program_finds_the_fewest_elections(theme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small clusters planned as if they were large: where it is asked, it reaches the optimum."""
    monkeypatch.setattr(integer, "is_small", lambda problem: False)
    monkeypatch.setattr(flows, "TRIES", 0)
    bounds: list[int] = []

    def fewest(*of: Any) -> Joint | None:
        joint = fewest_elections(*of)
        bounds.extend([joint.level.value] if joint else [])
        return joint

    monkeypatch.setattr(flows, "fewest_elections", fewest)
    answered = 0
    for seed in range(150):
        drawn = case("one" if theme == "created" else theme, seed)
        if theme == "created":
            drawn = replace(drawn, request=replace(drawn.request, create=(("new", 3, 1),)))
        bounds.clear()
        try:
            plan = make_plan(drawn.cluster(), drawn.request)
        except (UnusableInput, ImpossibleRequest):
            continue
        if bounds:
            best = optimum(build_problem(drawn.cluster(), drawn.request))
            elections = next(level for level in plan.certificate if level.goal == "elections")
            assert best is not None
            answered += 1
            assert [elections.value, *bounds] == [best.values["elections"]] * 2, (theme, seed)
    assert answered >= 5
