"""``kcat -L -J``: lists in preference order, leaders, and the brokers that are up."""

import pytest

from equipoise.formats import FormatError, json_rows, parse, recognise

TEXT = """{"originating_broker":{"id":1,"name":"b1:9092/1"},"query":{"topic":"*"},"controllerid":1,
 "brokers":[{"id":1,"name":"b1:9092"},{"id":2,"name":"b2:9092"}],
 "topics":[{"topic":"pay","partitions":[
   {"partition":0,"leader":1,"replicas":[{"id":1},{"id":2}],"isrs":[{"id":1},{"id":2}]},
   {"partition":1,"leader":-1,"error":"Broker: Leader not available","replicas":[{"id":3}],"isrs":[]}]},
  {"topic":"gone","error":"Broker: Unknown topic","partitions":[]},
  {"topic":"log","partitions":[{"partition":7,"leader":2,"replicas":[{"id":2},{"id":1}],"isrs":[{"id":2}]}]}]}
"""


@pytest.fixture(params=["objects", "arrow"], autouse=True)
def reader(request, monkeypatch):
    """Small and large text go through different readers: every test here runs on both."""
    monkeypatch.setattr(json_rows, "ARROW_FROM_BYTES", 0 if request.param == "arrow" else 1 << 40)


def test_lists_leaders_and_brokers():
    """A partition without a leader has -1; a topic with an error has no partitions, and is named."""
    assert recognise(TEXT) == "kcat -L -J"
    fragment = parse(TEXT, "kcat.json")
    lists = fragment.lists
    assert [lists.label(k) for k in range(len(lists))] == ["pay-0", "pay-1", "log-7"]
    assert lists.replicas.tolist() == [[1, 2], [3, -1], [2, 1]]
    assert lists.leader.tolist() == [1, -1, 2]
    assert sorted(fragment.brokers) == [1, 2]
    assert fragment.brokers_role == "up"
    assert fragment.untold == ("gone",)


def test_a_broken_replica_is_named():
    """The place leads through topic, partition and replica."""
    with pytest.raises(FormatError) as error:
        parse(TEXT.replace('{"id":3}', '{"id":"b3"}'), "kcat.json")
    assert str(error.value) == (
        'kcat.json, topics[0].partitions[1].replicas[0].id: "b3" is not a whole number from 0 on'
    )


def test_a_partition_twice_is_named():
    """The value says which partition, the place which entry."""
    with pytest.raises(FormatError) as error:
        parse(TEXT.replace('"partition":1,', '"partition":0,'), "kcat.json")
    assert str(error.value) == (
        "kcat.json, partition entry 2: pay-0 [3]: the partition is given twice, before at partition entry 1 "
        "with another list. Keep one of the two"
    )
