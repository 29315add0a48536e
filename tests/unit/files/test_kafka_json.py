"""Kafka's reassignment JSON as it is written: valid, in order, one partition a line."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from equipoise.formats.kafka_json import reassignment_json, topic_files

PARTITIONS = st.lists(
    st.tuples(
        st.integers(0, 3),
        st.integers(0, 2**31 - 1),
        st.lists(st.integers(0, 2**31 - 1), min_size=1, max_size=4, unique=True),
    ),
    max_size=12,
)
TOPICS = ("a", "b.c-d_e", 'odd "name"\n', "ünïcode")


def table(lists: list[list[int]]) -> np.ndarray:
    """The lists as one array, -1 beyond each end."""
    width = max((len(ids) for ids in lists), default=0)
    return np.array([ids + [-1] * (width - len(ids)) for ids in lists], dtype=np.int32).reshape(
        len(lists), width
    )


@given(PARTITIONS)
def test_what_is_written_is_read_back(rows: list[tuple[int, int, list[int]]]) -> None:
    """Any numbers, lists of any length, names of any characters: the JSON says exactly what was given."""
    topic, partition = ([row[k] for row in rows] for k in (0, 1))
    data = reassignment_json(
        TOPICS,
        np.array(topic, dtype=np.int32),
        np.array(partition, dtype=np.int32),
        table([row[2] for row in rows]),
    )
    assert json.loads(data) == {
        "version": 1,
        "partitions": [{"topic": TOPICS[t], "partition": p, "replicas": ids} for t, p, ids in rows],
    }
    assert len(data.splitlines()) == (len(rows) + 2 if rows else 1)


def test_the_text_itself() -> None:
    """The bytes, so that nobody changes them unawares."""
    data = reassignment_json(
        ("pay",), np.zeros(2, np.int32), np.array([0, 11], np.int32), table([[4, 21], [3]])
    )
    assert data == (
        b'{"version":1,"partitions":[\n'
        b'{"topic":"pay","partition":0,"replicas":[4,21]},\n'
        b'{"topic":"pay","partition":11,"replicas":[3]}\n'
        b"]}\n"
    )


def test_one_file_for_each_topic() -> None:
    """Rows go to the file of their topic; a topic whose partitions have no lists yet has an empty file."""
    files = topic_files(
        ("a", "b", "c"),
        np.array([0, 2, 3, 4]),
        np.array([0, 1, 0, 0], dtype=np.int32),
        table([[1, 2], [2, 1], [], [3]]),
    )
    assert [json.loads(data)["partitions"] for data in files] == [
        [
            {"topic": "a", "partition": 0, "replicas": [1, 2]},
            {"topic": "a", "partition": 1, "replicas": [2, 1]},
        ],
        [],
        [{"topic": "c", "partition": 0, "replicas": [3]}],
    ]
