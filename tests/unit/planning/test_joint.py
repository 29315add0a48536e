"""Placements and leaders at once: the elections are the fewest that any plan needs, without the program."""

from __future__ import annotations

import pytest
from tests.reference.exact import optimum
from tests.scenarios.strategies import case

from equipoise.errors import ImpossibleRequest, UnusableInput
from equipoise.planning import build_problem, flows, integer, make_plan


@pytest.mark.parametrize("theme", ["one", "rules"])
def test_the_program_finds_the_fewest_elections(theme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small clusters planned as if they were large: where it is asked, it reaches the optimum."""
    monkeypatch.setattr(integer, "is_small", lambda problem: False)
    monkeypatch.setattr(flows, "ROUNDS", 0)
    asked: list[int] = []
    fewest = flows.fewest_elections
    monkeypatch.setattr(flows, "fewest_elections", lambda *of: asked.append(1) or fewest(*of))
    answered = 0
    for seed in range(150):
        drawn = case(theme, seed)
        asked.clear()
        try:
            plan = make_plan(drawn.cluster(), drawn.request)
        except (UnusableInput, ImpossibleRequest):
            continue
        if asked:
            best = optimum(build_problem(drawn.cluster(), drawn.request))
            elections = next(level for level in plan.certificate if level.goal == "elections")
            assert best is not None
            answered += 1
            assert elections.value == elections.lower_bound == best.values["elections"], (theme, seed)
    assert answered >= 5
