"""How sure a plan is to be best: the badge never says more than the certificate."""

from __future__ import annotations

from dataclasses import replace

import pytest

from equipoise.cluster import Level
from equipoise.report import certificate

PROVED = Level("replicas", 5, 5, "flow-dual")
PLACEMENT = Level("leaders", 7, 7, "given-placement", "least for where the replicas stand")
TIE = Level("topic-leaders", 3, 0, "closed-form")
LEVEL = Level("leaders", 4, 0, "closed-form")
RACKS = Level.unknown("racks")
GAP = Level("elections", 100, 90, "closed-form")
NONE = Level("moves", 3, 0, "none", "measured, not proved")


@pytest.mark.parametrize(("levels", "badge", "state"), [
    ([], "no proof", "none"),
    ([NONE, NONE], "no proof", "none"),
    ([PROVED], "proved best", "best"),
    ([PROVED, PLACEMENT], "best for its placement", "best"),
    ([PROVED, GAP, PLACEMENT], "at most 10 leadership changes from the best", "near"),
    ([PROVED, LEVEL], "leaders may be more level", "near"),
    ([Level("disk", 3e9, 1e9, "closed-form")], "disk level at most 1.9 GiB from the best", "near"),
    ([PROVED, NONE], "not all proved", "near"),
    ([RACKS, PROVED], "proved best, racks not known", "near"),
    ([RACKS, PROVED, GAP], "at most 10 leadership changes from the best", "near"),
    ([RACKS, NONE], "no proof", "none"),
])  # fmt: skip
def test_badge(levels, badge, state):
    """One badge for each way in which a certificate can fall short."""
    verdict = certificate.verdict(levels)
    assert (verdict["badge"], verdict["state"]) == (badge, state)


def test_each_goal_says_how_it_stands():
    """A goal that is best only for its placement is never called proved."""
    told = [row["told"] for row in certificate.rows([PROVED, PLACEMENT, GAP, NONE, RACKS])]
    assert told == ["proved", "best for this placement", "gap 10 %", "not proved", "not known"]


def test_a_headline_speaks_of_what_was_asked_for():
    """A tie-break with a gap is told in the sentence alone, unless it was asked for by name."""
    verdict = certificate.verdict([PROVED, TIE])
    assert (verdict["badge"], verdict["state"]) == ("proved best", "best")
    assert verdict["sentence"] == "1 of 2 goals are proved best; leaders of each topic may be more level."
    asked = certificate.verdict([PROVED, TIE], ["replicas", "topic-leaders"])
    assert asked["badge"] == "leaders of each topic may be more level"
    # costs end every list, asked for or not
    assert certificate.verdict([PROVED, GAP], ["replicas"])["badge"] == "proved best"


def test_of_a_part_of_a_cluster_no_best_is_claimed():
    """What is proved is best for the part."""
    assert certificate.rows([PROVED], partial=True)[0]["told"] == "best for this part"
    verdict = certificate.verdict([PROVED], partial=True)
    assert (verdict["badge"], verdict["state"]) == ("best for this part", "near")
    assert verdict["sentence"].startswith("Of a part of the cluster alone, as if it were all there is: ")


def test_what_is_known_of_other_placements_is_said():
    """Beside what is proved of this one."""
    (row,) = certificate.rows([replace(PLACEMENT, global_bound=6)])
    assert row["told"] == "best for this placement"
    assert row["note"].endswith("stand; no placement allows less than 6")
    assert "allows" not in certificate.rows([replace(PLACEMENT, global_bound=0)])[0]["note"]


def test_an_unreached_bound_is_explained_as_one():
    """Where the bound is not reached, the words do not claim that no plan scores lower."""
    reached, open_ = certificate.proofs(
        [
            Level("x", 1, 1, "integer-program"),
            Level("y", 3, 3, "integer-program"),
            Level("z", 2, 1, "integer-program"),
        ]
    )
    assert "found none that scores lower" in reached["words"]
    assert "stopped" in open_["words"]
    assert (reached["where"], open_["where"]) == ("where it is reached", "where it is not")
    (alone,) = certificate.proofs([Level("x", 1, 1, "integer-program")])
    assert alone["where"] == ""


def test_loads_are_told_in_their_units():
    """What lies outside the bands of disks or rates is told as sizes and rates, beside the whole number."""
    kind = "linear-program"
    levels = [Level("disk", 3 << 30, 0, kind), Level("network-in", 5 * 10**7, 0, kind)]
    assert [row["note"] for row in certificate.rows(levels)] == ["3.0 GiB", "50 MB/s"]
