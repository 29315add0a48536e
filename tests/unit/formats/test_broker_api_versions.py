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
        4: BrokerFacts(is_up=False),
    }
    assert fragment.brokers_role == "up"
