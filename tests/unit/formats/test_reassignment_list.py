"""``kafka-reassign-partitions --list``: what is in flight."""

import pytest

from equipoise.formats import FormatError, parse, recognise

TEXT = """Current partition reassignments:
pay-by-card-1: replicas: 4,2,3,1. adding: 4. removing: 1.
log-0: replicas: 1,2,3. adding: 3.
old-7: replicas: 1,2. removing: 2.
"""


def test_what_is_added_and_removed():
    """Either part may be missing."""
    assert recognise(TEXT) == "kafka-reassign-partitions --list"
    table = parse(TEXT, "list.txt").in_flight
    assert [table.label(k) for k in range(len(table))] == ["pay-by-card-1", "log-0", "old-7"]
    assert table.adding.tolist() == [[4], [3], [-1]]
    assert table.removing.tolist() == [[1], [-1], [2]]


def test_the_largest_id_there_is():
    assert parse("log-0: replicas: 1. adding: 2147483647.\n", "list.txt").in_flight.adding.max() == 2147483647


def test_nothing_in_flight():
    """The sentence that says so is a source of no moves."""
    text = "No partition reassignments found.\n"
    assert recognise(text) == "kafka-reassign-partitions --list"
    assert len(parse(text, "list.txt").in_flight) == 0


@pytest.mark.parametrize(
    "line",
    [
        "log-x: replicas: 1,2. adding: 3.",
        "log-1: replicas: 1,2. adding: 99999999999999999999.",
        "log-1: replicas: 1,2. adding: 2147483648.",
    ],
)
def test_a_broken_line_is_named(line):
    """The error has file, line and value, also for an id that no broker can have."""
    with pytest.raises(FormatError) as error:
        parse(TEXT + line + "\n", "list.txt")
    assert str(error.value) == f'list.txt, line 5: "{line}" is not a reassignment'
