"""``kafka-cluster list-endpoints``: racks and fencing from a padded table."""

import pytest

from equipoise.formats import FormatError, parse, recognise
from equipoise.formats.fragment import BrokerFacts

TEXT = """ID         HOST                 PORT       RACK       STATE      ENDPOINT_TYPE
1          b1.example           9092       az-a       unfenced   broker
2          b2.example           9092       null       fenced     broker
100        c1.example           9093       null                  controller
"""


def test_racks_and_states():
    """``null`` is no rack, a fenced broker is not up, controllers are no brokers."""
    assert recognise(TEXT) == "kafka-cluster list-endpoints"
    fragment = parse(TEXT, "endpoints.txt")
    assert fragment.brokers == {
        1: BrokerFacts(rack="az-a", is_up=True),
        2: BrokerFacts(is_up=False, state="fenced"),
    }
    assert fragment.brokers_role == "up"


def test_a_list_with_a_line_left_out_is_not_the_whole_list():
    """A broker in a line that could not be read would pass for one that is missing."""
    assert parse(TEXT + "three b3\n", "endpoints.txt", lenient=True).brokers_role == ""


def test_the_largest_id_there_is():
    """One more is none."""
    line = "{} b4.example 9092 az-a unfenced broker\n"
    assert 2147483647 in parse(TEXT + line.format(2147483647), "endpoints.txt").brokers
    with pytest.raises(FormatError, match="is not an endpoint"):
        parse(TEXT + line.format(2147483648), "endpoints.txt")


def test_a_line_that_is_no_endpoint():
    """The line is named."""
    with pytest.raises(FormatError) as error:
        parse(TEXT + "three b3\n", "endpoints.txt")
    assert str(error.value) == 'endpoints.txt, line 5: "three b3" is not an endpoint'
