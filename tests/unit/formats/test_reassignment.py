"""Reassignment JSON alone and inside what Kafka's tool prints, small and large, sound and broken."""

import subprocess
import sys

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.formats import FormatError, json_rows, parse, reassignment, recognise
from equipoise.formats.faults import Faults
from equipoise.formats.kafka_json import reassignment_json

PAY = (
    '{"version":1,"partitions":[{"topic":"pay","partition":0,"replicas":[4,2,3],"log_dirs":["any","/data/d1","any"]},'
    '{"topic":"pay","partition":1,"replicas":[2,3]}]}'
)
GENERATED = """Current partition replica assignment
{"version":1,"partitions":[{"topic":"pay","partition":0,"replicas":[1,2],"log_dirs":["any","any"]}]}

Proposed partition reassignment configuration
{"version":1,"partitions":[{"topic":"pay","partition":0,"replicas":[3,1],"log_dirs":["any","any"]}]}
"""
EXECUTED = """Current partition replica assignment

{"version":1,"partitions":[{"topic":"pay","partition":0,"replicas":[1,2],"log_dirs":["any","any"]}]}

Save this to use as the --reassignment-json-file option during rollback
Successfully started partition reassignment for pay-0
"""


@pytest.fixture(params=["objects", "arrow"], autouse=True)
def reader(request, monkeypatch):
    """Small and large text go through different readers: every test here runs on both."""
    monkeypatch.setattr(json_rows, "ARROW_FROM_BYTES", 0 if request.param == "arrow" else 1 << 40)


def lists(text, **options):
    table = parse(text, "pay.json", **options).lists
    return {table.label(k): [i for i in table.replicas[k].tolist() if i >= 0] for k in range(len(table))}


def test_lists_and_log_dirs():
    """Order is kept, "any" is no directory, and a list without log_dirs has none."""
    table = parse(PAY, "pay.json").lists
    assert table.replicas.tolist() == [[4, 2, 3], [2, 3, -1]]
    assert table.dirs == ("/data/d1",)
    assert table.dir_idx.tolist() == [[-1, 0, -1], [-1, -1, -1]]
    assert table.where(1) == "partitions[1]"


@pytest.mark.slow
def test_columns_do_without_pandas():
    """Arrow loads it wherever it can, and that takes as long as reading a hundred thousand partitions."""
    script = (
        "import sys; from equipoise.formats import json_rows, parse; json_rows.ARROW_FROM_BYTES = 0; "
        f"parse({PAY!r}, 'pay.json'); assert 'pyarrow' in sys.modules and 'pandas' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@pytest.mark.parametrize("text", [GENERATED, EXECUTED])
def test_of_tool_output_the_current_state_counts(text):
    """``--generate`` and ``--execute`` print the state first; that is what is planned from."""
    assert recognise(text) == "reassignment JSON"
    assert lists(text) == {"pay-0": [1, 2]}


def test_of_tool_output_the_proposal_can_be_asked_for():
    """A judge of ``--generate`` wants the second object."""
    table = reassignment.parse(GENERATED.encode(), Faults("generated.txt"), proposed=True).lists
    assert table.replicas.tolist() == [[3, 1]]


def test_a_proposal_is_read_as_it_is_written():
    """What breaks a rule is for the judge to say: repeats, empty lists and doubles stay."""
    text = (
        b'{"partitions":[{"topic":"pay","partition":0,"replicas":[1,1]},'
        b'{"topic":"pay","partition":0,"replicas":[]}]}'
    )
    assert reassignment.parse(text, Faults("x"), proposed=True).lists.replicas.tolist() == [[1, 1], [-1, -1]]


def test_layout_does_not_matter():
    """Keys in another order, indented JSON, no version, keys that nobody knows."""
    text = (
        '{\n "comment": 7,\n "partitions": [\n  {"replicas": [ 4, 2 ],\n'
        '   "partition": 3, "x": {}, "topic": "a.b"}\n ]\n}\n'
    )
    assert lists(text) == {"a.b-3": [4, 2]}


def test_nothing_to_reassign_is_no_fault():
    """An empty list of partitions is what an empty plan looks like."""
    assert lists('{"version":1,"partitions":[]}') == {}


ENTRY = '{"topic":"pay","partition":0,"replicas":[1,2]}'
BROKEN = {
    '{"topic":"pay","partition":1,"replicas":[]}': "partitions[1]: pay-1 []: the replica list is empty",
    '{"topic":"pay","partition":1,"replicas":[5,5]}':
        "partitions[1]: pay-1 [5, 5]: broker 5 is twice in the list",
    '{"topic":"pay","partition":1}': 'partitions[1]: "replicas" is missing',
    '{"topic":"pay","partition":1,"replicas":[1,"x"]}':
        'partitions[1].replicas[1]: "x" is not a whole number from 0 on',
    '{"topic":"pay","partition":1,"replicas":[-1]}':
        "partitions[1].replicas[0]: -1 is not a whole number from 0 on",
    '{"topic":"pay","partition":1,"replicas":7}': "partitions[1].replicas: 7 is not a list",
    '{"topic":"pay","partition":"1","replicas":[1]}':
        'partitions[1].partition: "1" is not a whole number from 0 on',
    '{"topic":"pay","partition":1.5,"replicas":[1]}':
        "partitions[1].partition: 1.5 is not a whole number from 0 on",
    '{"topic":"pay","partition":99999999999,"replicas":[1]}':
        "partitions[1].partition: 99999999999 is not a whole "
    "number from 0 on",
    '{"topic":["pay"],"partition":1,"replicas":[1]}': 'partitions[1].topic: ["pay"] is not a string',
    '{"topic":"p a y","partition":1,"replicas":[1]}':
        'partitions[1]: p a y-1 [1]: "p a y" is not a topic name',
    "7": "partitions[1]: 7 is not a JSON object",
    ENTRY:
        "partitions[1]: pay-0 [1, 2]: the partition is given twice, before at partitions[0]. "
        "Keep one of the two",
}


@pytest.mark.parametrize("entry", BROKEN)
def test_a_broken_entry_is_named(entry):
    """The error has file, place and value; leniently that entry alone is set aside."""
    text = f'{{"version":1,"partitions":[{ENTRY},{entry}]}}'
    with pytest.raises(FormatError) as error:
        parse(text, "pay.json")
    assert str(error.value) == f"pay.json, {BROKEN[entry]}"
    fragment = parse(text, "pay.json", lenient=True)
    assert fragment.lists.replicas.tolist() == [[1, 2]]
    (aside,) = fragment.quarantined
    assert aside.place.startswith("partitions[1]")


def test_places_stay_right_after_a_fault():
    """Entries behind one that was set aside keep their own number."""
    text = f'{{"partitions":[7,{ENTRY},{ENTRY}]}}'
    places = [aside.place for aside in parse(text, "pay.json", lenient=True).quarantined]
    assert places == ["partitions[0]", "partitions[2]"]


WHOLE = {
    PAY[:90]: "pay.json, line 1 column 91: this is not JSON: unexpected end of data after "
    'licas":[4,2,3],"log_dirs":["an. Is the file complete?',
    PAY.replace(
        '"partition":1,', '"partition":1;'
    ): "pay.json, line 1 column 141: this is not JSON: unexpected "
    """character, expected ',' or '}' after },{"topic":"pay","partition":1. """
    "Mend or remove what stands there",
    PAY.replace(
        '"version":1', '"version":2'
    ): "pay.json, version: version 2 is not known. Kafka writes version 1",
    '{"version":1,"partitions":{}}': "pay.json, partitions: {} is not a list",
    PAY.replace('["any","/data/d1","any"]', '["any"]'): "pay.json, partitions[0]: 1 log_dirs for 3 replicas. "
    'Give one for each replica, "any" where it is free',
    PAY.replace("/data/d1", "d1"): 'pay.json, partitions[].log_dirs: log dir "d1" is not an absolute path',
    '{"version":1,"topics":[{"topic":"pay"}]}': 'pay.json: JSON of no known kind, with "version", "topics". '
    "A list of topics says nothing of replicas; give the state of the cluster",
}


@pytest.mark.parametrize("text", WHOLE)
def test_a_file_that_cannot_be_used(text):
    """What breaks the whole file is one line with a place; leniently the file is set aside for it."""
    with pytest.raises(FormatError) as error:
        parse(text, "pay.json")
    assert str(error.value).startswith(WHOLE[text])
    assert "\n" not in str(error.value)
    fragment = parse(text, "pay.json", lenient=True)
    assert fragment.lists is None
    assert len(fragment.quarantined) == 1


TOPICS = st.from_regex(r"[a-zA-Z0-9._-]{1,20}", fullmatch=True)
LISTS = st.lists(st.integers(0, 2**31 - 1), min_size=1, max_size=5, unique=True)


@pytest.mark.slow
@given(st.dictionaries(st.tuples(TOPICS, st.integers(0, 2**31 - 1)), LISTS, max_size=30))
def test_what_kafka_would_write_is_read(assignment):
    """Any assignment survives being written as JSON and read."""
    entries = [{"topic": t, "partition": p, "replicas": ids} for (t, p), ids in assignment.items()]
    text = orjson.dumps({"version": 1, "partitions": entries})
    assert lists(text) == {f"{t}-{p}": ids for (t, p), ids in assignment.items()}


@given(st.dictionaries(st.tuples(TOPICS, st.integers(0, 2**31 - 1)), LISTS, max_size=30))
@pytest.mark.slow
def test_what_is_written_is_read_and_written_the_same(assignment):
    """Reading a file of our own and writing it again gives the same bytes."""
    entries = [{"topic": t, "partition": p, "replicas": ids} for (t, p), ids in assignment.items()]
    first = parse(orjson.dumps({"partitions": entries}), "a").lists
    text = reassignment_json(first.topics, first.topic_idx, first.partition, first.replicas)
    again = parse(text, "b").lists
    assert text == reassignment_json(again.topics, again.topic_idx, again.partition, again.replicas)
