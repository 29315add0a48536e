"""Any text at the door: recognised by content, or refused in one line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.formats import FormatError, parse

REFUSED = {
    b"": "x: the file is empty. Was the command that wrote it successful?",
    b" \n\t\n": "x: the file is empty. Was the command that wrote it successful?",
    b"\x7fELF\x02\0\0": "x, byte 5: this is binary data, not text: byte 0x00. "
    "Give the output of a Kafka tool, a JSON or a CSV file",
    b"Topic: pay\xff": "x, byte 10: this is binary data, not text: byte 0xff. "
    "Give the output of a Kafka tool, a JSON or a CSV file",
}


@pytest.mark.parametrize("raw", REFUSED)
def test_what_is_no_text(raw):
    """Empty files and binary junk are one line with the place; leniently they are set aside whole."""
    with pytest.raises(FormatError) as error:
        parse(raw, "x")
    assert str(error.value) == REFUSED[raw]
    (aside,) = parse(raw, "x", lenient=True).quarantined
    assert aside.reason == error.value.problem


def test_an_unknown_text_lists_what_is_known():
    """The first line is shown, and every format that could be given."""
    with pytest.raises(FormatError) as error:
        parse("hello there\n", "notes.txt")
    assert str(error.value).startswith(
        'notes.txt, line 1: the format is not known: "hello there". Known are '
    )
    assert "kafka-topics --describe" in str(error.value)


def test_what_windows_writes():
    """A redirected PowerShell output is UTF-16 with a mark in front."""
    text = "\tTopic: pay\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\r\n"
    for raw in (text.encode("utf-16"), text.encode("utf-8-sig")):
        assert parse(raw, "x").lists.replicas.tolist() == [[1, 2]]


@given(st.binary(max_size=300))
def test_lenient_reading_never_raises_for_junk(raw):
    """Whatever the bytes are, something is set aside or something is read."""
    parse(raw, "x", lenient=True)


@given(st.data())
@pytest.mark.slow
def test_lenient_reading_never_raises_for_damage(data):
    """Real text with bytes cut, doubled or changed is read as far as it goes, or refused as expected."""
    text = bytearray(data.draw(st.sampled_from(WHOLE)))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at : at + data.draw(st.integers(0, 8))] = data.draw(st.binary(max_size=3))
        text = text or bytearray(b"x")
    parse(bytes(text), "x", lenient=True)
    try:
        parse(bytes(text), "x")
    except FormatError as error:
        assert "\n" not in str(error)


WHOLE = (
    b'{"version":1,"partitions":[{"topic":"pay","partition":0,"replicas":[4,2],"log_dirs":["any","/d"]}]}',
    b"Topic: pay\tPartitionCount: 1\tReplicationFactor: 2\tConfigs: a.b=c,d\n"
    b"\tTopic: pay\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: \tAdding Replicas: 2\tRemoving Replicas: \n",
    b'{"brokers":[{"broker":1,"logDirs":[{"logDir":"/d","error":null,"partitions":[{"partition":"p-0","size":1}]}]}]}',
    b'{"controllerid":1,"brokers":[{"id":1}],"topics":[{"topic":"p","partitions":[{"partition":0,"replicas":[{"id":1}]}]}]}',
    b"id,rack,disk\n0,a,2TB\n1,b,1GiB\n",
    b'{"brokerCapacities":[{"brokerId":"-1","capacity":{"DISK":"1","NW_IN":"1","NW_OUT":"1"}}]}',
    b'{"KafkaPartitionState":{"other":[{"topic":"p","partition":0,"leader":1,"replicas":[1],"min-isr":1}]}}',
    b'{"brokers":[{"Broker":1,"Host":"h","Rack":"r","BrokerState":"ALIVE","DiskCapacityMB":1.0}]}',
    b'{"records":[{"topic":"p","partition":0,"followers":[2],"disk":1.0,"networkInbound":1.0,"networkOutbound":2}]}',
    b"Current partition reassignments:\npay-1: replicas: 4,2. adding: 4. removing: 1.\n",
    b"b1:9092 (id: 1 rack: az-a isFenced: false) -> (\n)\n",
    b"ID HOST PORT RACK STATE ENDPOINT_TYPE\n1 b1 9092 az-a unfenced broker\n",
    b"Dynamic configs for topic pay are:\n  retention.ms=86400000 sensitive=false synonyms={}\n",
)
