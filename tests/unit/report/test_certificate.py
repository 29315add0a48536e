"""How sure a plan is to be best: the badge never says more than the certificate."""

from __future__ import annotations

from dataclasses import replace

import pytest

from equipoise.cluster import Level
from equipoise.report import certificate

PROVED = Level("replicas", 5, 5, "flow-dual")
PLACEMENT = Level("topic-leaders", 7, 7, "given-placement", "least for where the replicas stand")
GAP = Level("elections", 100, 90, "closed-form")
NONE = Level("moves", 3, 0, "none", "measured, not proved")


@pytest.mark.parametrize(("levels", "badge", "state"), [
    ([], "no proof", "none"),
    ([NONE, NONE], "no proof", "none"),
    ([PROVED], "proved best", "best"),
    ([PROVED, PLACEMENT], "best for its placement", "best"),
    ([PROVED, GAP, PLACEMENT], "within 10 % of best", "near"),
    ([PROVED, NONE], "not all proved", "near"),
])  # fmt: skip
def test_badge(levels, badge, state):
    """One badge for each way in which a certificate can fall short."""
    verdict = certificate.verdict(levels)
    assert (verdict["badge"], verdict["state"]) == (badge, state)


def test_each_goal_says_how_it_stands():
    """A goal that is best only for its placement is never called proved."""
    told = [row["told"] for row in certificate.rows([PROVED, PLACEMENT, GAP, NONE])]
    assert told == ["proved", "best for this placement", "gap 10 %", "not proved"]


def test_what_is_known_of_other_placements_is_said():
    """Beside what is proved of this one."""
    (row,) = certificate.rows([replace(PLACEMENT, anywhere=6)])
    assert row["told"] == "best for this placement"
    assert row["note"].endswith("stand; within 14 % of any placement's best (6 or more)")


def test_an_unreached_bound_is_explained_as_one():
    """Where the bound is not reached, the words do not claim that no plan scores lower."""
    reached, open_ = certificate.rows(
        [Level("x", 1, 1, "integer-program"), Level("x", 2, 1, "integer-program")]
    )
    assert "found none that scores lower" in reached["proof_words"]
    assert "stopped" in open_["proof_words"]
