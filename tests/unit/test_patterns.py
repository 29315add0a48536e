"""Regular expressions of others end, one way or the other."""

from __future__ import annotations

import pytest

from equipoise import patterns
from equipoise.errors import UnusableInput


def test_whole_names_match():
    assert patterns.matches("a.*|b", ["ab", "b", "bc", ""], "--topics") == [True, True, False, False]
    assert patterns.matches("(?!__).*", ["__consumer_offsets", "orders"], "--topics") == [False, True]


@pytest.mark.parametrize("pattern", ["(", "(" * 2000, "a{99999999999}", "[", "*"])
def test_what_is_no_expression_is_refused(pattern: str):
    with pytest.raises(UnusableInput, match=r"^--topics: '.*' is not a regular expression \("):
        patterns.matches(pattern, ["a"], "--topics")


@pytest.mark.filterwarnings("error")
def test_nothing_is_said_of_what_a_later_python_may_read_otherwise():
    """It would stand on standard error with the place in our source."""
    assert patterns.matches("[[a]", ["a", "b"], "--topics") == [True, False]


def test_one_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(patterns, "MOST_S", 0.1)
    with pytest.raises(UnusableInput, match=r"^--topics: '\(a\+\)\+\$' takes more than 0.1 seconds, at 'aaa"):
        patterns.matches("(a+)+$", ["b", "a" * 40 + "b"], "--topics")
