"""Shares, bands and spreads: what charts and terminal are drawn from."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from equipoise.judge.levels import costs
from equipoise.report.figures import band, level_after_failure, measure


def test_figures_agree_with_the_judge(growth):
    """Page, terminal and plan.json name the same costs."""
    figures = measure(growth)
    assert {key: getattr(figures, key) for key in costs(growth.cluster, growth.target)} == costs(
        growth.cluster, growth.target
    )


def test_band_follows_weight_and_eligibility(growth):
    """A broker of double weight has double the share; one to be emptied has none."""
    plan = replace(growth, eligible=np.array([True, True, True, True, False]), certificate=())
    held = measure(plan).after
    low, high = band(plan, held, "replicas")
    share = held.replicas[:4].sum() / 5
    assert low.tolist() == np.floor([share, share, 2 * share, share, 0]).tolist()
    assert high.tolist() == np.ceil([share, share, 2 * share, share, 0]).tolist()


def test_brokers_that_may_not_lead_have_no_band_of_leaders(growth):
    """--no-leaders-on leaves a broker out of the leaders' share, not out of the replicas'."""
    after = measure(growth).after
    assert band(growth, after, "leaders")[1][3] == 0
    assert band(growth, after, "replicas")[1][3] > 0


@pytest.mark.parametrize(("request_", "column", "width"), [
    ({}, "replicas", 0.0),
    ({"tolerance": (10.0, 30.0)}, "replicas", 40.0),
    ({"tolerance": (10.0, 30.0)}, "leaders", 0.0),
    ({"balance": ("disk",)}, "size_bytes", 10.0),
    ({"balance": ("disk",), "tolerance": (1.0, 2.0)}, "size_bytes", 3.0),
])  # fmt: skip
def test_tolerance_widens_what_was_to_be_levelled(removal, request_, column, width):
    """The tolerance asked for is drawn around that measure alone; loads have 5 % by default."""
    from equipoise.report.figures import tolerance

    assert sum(tolerance(replace(removal, request=request_), column)) == width


def test_a_whole_share_has_a_band_of_one_number(many_changes):
    """1,200 replicas on 40 brokers: exactly 30, not 30 to 31."""
    low, high = band(many_changes, measure(many_changes).after, "replicas")
    assert set(low) == set(high) == {30.0}


def test_spread_counts_brokers_to_be_emptied_only_while_they_hold_something(removal):
    """Broker 19 is part of the spread before and, once empty, not after."""
    figures = measure(removal)
    assert figures.before.in_use.sum() == 20
    assert figures.after.in_use.sum() == 19


def test_level_after_a_failure(removal):
    """10 leaders on the 18 survivors of 19 brokers: one each is enough; one broker has no survivor."""
    after = measure(removal).after
    assert level_after_failure(removal, after) == 1
    assert level_after_failure(replace(removal, eligible=np.arange(20) == 3), after) == 0
