"""The brokers file that people write, in its many shapes, and the racks option."""

import pytest

from equipoise.formats import FormatError, parse, recognise
from equipoise.formats.brokers_file import parse_racks
from equipoise.formats.fragment import BrokerFacts

FULL = {
    0: BrokerFacts(rack="a", disk_bytes=2e12, bytes_in_per_s=1e9, cpu_percent=80, weight=2.0),
    1: BrokerFacts(rack="b, left"),
}
SHAPES = {
    "csv": 'id,rack,disk,network_in,weight,cpu\n0,a,2TB,1GB/s,2,80%\n1,"b, left",,,,\n',
    "other order, remarks": "# ours\nNetwork-In;Disk Bytes;Broker;RACK;weight;host;CPU\n"
    '1000000000;2e12;0;a;2;h0;80\n\n;;1;"b, left";;;\n',
    "tabs": "broker_id\track\tweight\tdisk_capacity\tnw_in\tcpu_percent\n0\ta\t2\t2TB\t1GB\t80\n1\tb, left\n",
    "object by id": '{"0": {"rack": "a", "disk": "2TB", "network_in": 1e9, "weight": 2, "cpu": 80},'
    ' "1": {"rack": "b, left"}}',
    "list": '[{"rack": "a", "id": 0, "disk": 2000000000000, "networkIn": 1000000000, "weight": 2, "cpu": 80},'
    ' {"id": 1, "rack": "b, left", "disk": null}]',
    "under brokers": '{"brokers": [{"broker": 0, "rack": "a", "disk": 2e12,'
    ' "network_in": "1GB", "weight": 2, "cpu": "80%"},'
    ' {"broker": 1, "rack": "b, left"}]}',
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_tells_the_same(shape):
    """Order of columns, ways to write a size, CSV or JSON: the same facts, and the whole cluster."""
    assert recognise(SHAPES[shape]) == "brokers file"
    fragment = parse(SHAPES[shape], "brokers")
    assert fragment.brokers == FULL
    assert fragment.brokers_role == "all"


RACKS = ["0,a\n1,b\n", "0\ta\r\n1\tb\r\n", '{"0": "a", "1": "b"}', "# zones\n0:a\n1:b", "0 a\n1 b\n"]


@pytest.mark.parametrize("text", RACKS)
def test_pairs_tell_racks_alone(text):
    """Pairs of broker and rack do not say that there is no other broker."""
    assert recognise(text) == "brokers file"
    fragment = parse(text, "racks")
    assert {broker: facts.rack for broker, facts in fragment.brokers.items()} == {0: "a", 1: "b"}
    assert fragment.brokers_role == ""


@pytest.mark.parametrize("text", [*RACKS, "0:a,1:b", "0=a, 1=b", "broker,rack\n0,a\n1,b\n"])
def test_the_racks_option(text):
    """Given in line or as the text of a file."""
    assert parse_racks(text) == {0: "a", 1: "b"}


BROKEN = {
    "id,rack\nseven,a\n": 'brokers.csv, line 2: "seven" is not a broker id',
    "id,rack\n-1,a\n": 'brokers.csv, line 2: "-1" is not a broker id',
    "id,rack\n0,a\n0,b\n": "brokers.csv, line 3: broker 0 is given twice. Keep one of the two",
    "id,rack\n0,a,9\n": "brokers.csv, line 2: 3 cells under 2 headings",
    "id,disk\n0,much\n": "brokers.csv, line 2: broker 0: 'much' is not a size such as 1048576, 20MB "
    "or 1.5GiB",
    "id,disk\n0,0\n": "brokers.csv, line 2: broker 0: disk_bytes 0 is not a positive number",
    "0,a\nb\n": 'brokers.csv, line 2: "b" is not broker,rack',
    '{"0": "a", "x": "b"}': 'brokers.csv, "x": "x" is not a broker id',
    '[{"id": 0}, {"id": 0}]': "brokers.csv, brokers[1]: broker 0 is given twice. Keep one of the two",
    '[{"id": 0}, 7]': 'brokers.csv, brokers[1]: "" is not a broker id',
}


@pytest.mark.parametrize("text", BROKEN)
def test_a_broken_line_is_named(text):
    """The error has file, place and value; leniently the rest is kept."""
    with pytest.raises(FormatError) as error:
        parse(text, "brokers.csv")
    assert str(error.value) == BROKEN[text]
    fragment = parse(text, "brokers.csv", lenient=True)
    assert len(fragment.quarantined) == 1
    assert fragment.brokers_role == "", "a file with gaps does not list the whole cluster"


def test_a_carriage_return_within_a_line():
    """No CSV has one there; it must not end the reading of the text as another format."""
    with pytest.raises(FormatError, match="the format is not known"):
        parse("x\ry", "brokers.csv")


@pytest.mark.parametrize("text", ["", "nonsense", "a:0"])
def test_racks_that_cannot_be_read(text):
    """The option is named in the error."""
    with pytest.raises(FormatError) as error:
        parse_racks(text)
    assert str(error.value).startswith("--racks")
