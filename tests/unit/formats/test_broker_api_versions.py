"""``kafka-broker-api-versions``: racks in the header lines of both layouts."""

from equipoise.formats import parse, recognise
from equipoise.formats.fragment import BrokerFacts

TEXT = """b1.example:9092 (id: 1 rack: az-a) -> (
\tProduce(0): 0 to 9 [usable: 9],
\tFetch(1): 0 to 13 [usable: 13]
)
b2.example:9092 (id: 2 rack: null) -> (
\tProduce(0): 0 to 9 [usable: 9]
)
b3.example:9092 (id: 3 rack: az b isFenced: false) -> (
)
b4.example:9092 (id: 4 rack: null isFenced: true) -> (
)
"""


def test_racks_of_every_broker():
    """``null`` is no rack; from 4.0 on a fenced broker is not up."""
    assert recognise(TEXT) == "kafka-broker-api-versions"
    fragment = parse(TEXT, "versions.txt")
    assert fragment.brokers == {
        1: BrokerFacts(rack="az-a", is_up=True),
        2: BrokerFacts(is_up=True),
        3: BrokerFacts(rack="az b", is_up=True),
        4: BrokerFacts(is_up=False, state="fenced"),
    }
    assert fragment.brokers_role == "up"


def test_the_largest_id_there_is():
    """One more is none, and what is left is not the whole list."""
    line = "b4.example:9092 (id: {} rack: null) -> (\n)\n"
    assert 2147483647 in parse(TEXT + line.format(2147483647), "versions.txt").brokers
    assert parse(TEXT + line.format(2147483648), "versions.txt", lenient=True).brokers_role == ""


def test_a_broker_that_did_not_answer():
    """It is in the cluster's list still, and an error stands in place of its versions."""
    error = "b5.example:9092 (id: 5 rack: az-a) -> ERROR: org.apache.kafka.common.errors.TimeoutException\n"
    fragment = parse(TEXT + error, "versions.txt")
    assert fragment.brokers[5] == BrokerFacts(rack="az-a", is_up=False, state="without an answer")
    assert fragment.brokers[1].is_up
