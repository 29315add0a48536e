"""Numbers as a reader sees them."""

from __future__ import annotations

import math

import pytest

from equipoise.planning.goals import ALL_GOALS
from equipoise.report import words


@pytest.mark.parametrize(("value", "text"), [
    (0, "0 B"), (1023, "1,023 B"), (1536, "1.5 KiB"), (150 * 2**30, "150 GiB"), (3 * 2**60, "3,072.0 PiB"),
    (math.nan, "–"), (None, "–"),
])  # fmt: skip
def test_size(value, text):
    """Bytes in binary units, three figures."""
    assert words.size(value) == text


@pytest.mark.parametrize(("seconds", "text"), [
    (0, "0 s"), (0.25, "0.2 s"), (59, "59 s"), (61, "1 min"), (3600, "1 h"), (3725, "1 h 2 min"),
    (200_000, "2 days 7 h"), (math.nan, "–"),
])  # fmt: skip
def test_duration(seconds, text):
    """At most two units."""
    assert words.duration(seconds) == text


@pytest.mark.parametrize(
    ("fraction", "text"), [(0, "0 %"), (1e-6, "<0.01 %"), (0.00773, "0.77 %"), (2.5, "250 %")]
)
def test_a_gap_is_never_rounded_to_nothing(fraction, text):
    """What is not proved never reads as 0."""
    assert words.percent(fraction) == text


def test_numbers_and_throttles():
    """Thousands are separated, digits only where a number is not whole, throttles as they are given."""
    assert (words.number(11005), words.number(1.25, 2), words.number(math.nan)) == ("11,005", "1.25", "–")
    assert words.plural(1, "data move") == "1 data move"
    assert (words.rate(5e7), words.rate(1.5e9), words.rate(800)) == ("50 MB/s", "1.5 GB/s", "800 B/s")


def test_every_goal_has_words():
    """No goal that can be asked for is shown by its bare name."""
    assert set(ALL_GOALS) <= set(words.GOALS)


@pytest.mark.parametrize(("goal", "value", "apart", "text"), [
    ("moves", 12_345, None, "12,345"), ("bytes", 797_704_126_501, None, "743 GiB"),
    ("network-in", 2**20, None, "1.0 MiB/s"), ("cpu", 2_500_000, None, "2.5 %"),
    ("leaders-in", 2**20, None, "1.0 MiB/s"), ("replication-out", 2**20, None, "1.0 MiB/s"),
    ("fill-cpu", 2_500_000, None, "2.5 %"), ("fill-rack", 2**30, None, "1.0 GiB"),
    ("replicas", 88_148, 222, "222 apart"), ("topics", 5_240, None, "squared 5,240"),
])  # fmt: skip
def test_a_goal_has_one_form(goal, value, apart, text):
    """Counts, bytes, and squares as how far brokers are apart; uncounted squares say what they are."""
    assert words.written(goal, value, apart) == text


def test_how_far_a_load_may_be_from_the_best_has_its_unit():
    """Bytes, bytes a second, parts of a CPU, and log dirs where replicas are counted."""
    found = [words.may_be_better(goal, 3 * 2**20) for goal in ("disk", "leaders-in", "cpu")]
    assert found == [
        "disk level at most 3.0 MiB from the best",
        "leaders' inbound level at most 3.0 MiB/s from the best",
        "cpu level at most 3.15 % from the best",
    ]
    assert words.may_be_better("log-dir-moves", 4) == "moves between log dirs at most 4 from the best"


def test_every_goal_of_squares_is_known_as_one():
    """By its own words; all others count something."""
    assert set(words.SQUARED) == {
        "replicas", "topics", "leaders", "topic-leaders", "failover", "positions", "rack-leaders",
        "rack-replicas",
    }  # fmt: skip
