"""Who a broker is that samples name by an address."""

from __future__ import annotations

import pytest

from equipoise.errors import UnusableInput
from equipoise.pipeline.readers.samples.addresses import by_address, mapping_of, resolved

INFOS = [("1", "b1:9092"), ("2", "b2:9092"), ("3", "host:9092"), ("4", "host:9192"), ("x", "b5:9092")]
TOLD = by_address(INFOS)


@pytest.mark.parametrize(
    ("address", "broker"),
    [
        ("b1:9092", 1),
        ("b2:9404", 2),  # the exporter beside it
        ("host:9192", 4),
        ("host:9404", None),  # two brokers have this host
        ("10.0.0.7:9404", 7),
        ("other:1", 9),
        ("eu-kafka-12", 12),
        ("eu-pool-a-3.eu-kafka-brokers.ns.svc.cluster.local:9404", 3),
        ("ip-10-0-0-8", None),
        ("ip-10-0-0-8:9404", None),
        ("broker-8:9404", None),  # the number of a machine is no id
        ("b5", None),
    ],
)  # fmt: skip
def test_who_it_is(address: str, broker: int | None) -> None:
    """A mapping first, then what brokers tell of themselves, then the number of a pod; nobody is guessed."""
    assert resolved(address, {"10.0.0.7:9404": 7, "other": 9}, TOLD) == broker


def test_a_mapping() -> None:
    """A line an address."""
    assert mapping_of(b"\xef\xbb\xbfaddress,broker\nb1:9404,1\n\nb2, 2\n") == {"b1:9404": 1, "b2": 2}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("b1,1\n", "does not begin with the header address,broker"),
        ("address,broker\nb1,one\n", "line 2 is not an address and a broker id"),
        ("address,broker\nb1\n", "line 2 is not an address and a broker id"),
    ],
)
def test_a_broken_mapping(text: str, said: str) -> None:
    """It is named with its line."""
    with pytest.raises(UnusableInput, match=said):
        mapping_of(text.encode())
