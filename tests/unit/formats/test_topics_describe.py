"""Every layout of ``kafka-topics --describe`` gives the same columns, and every broken line is named."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.formats import FormatError, parse, recognise

V2_0 = (
    "Topic:pay\tPartitionCount:2\tReplicationFactor:3\tConfigs:min.insync.replicas=2,cleanup.policy=compact,delete\n"
    "\tTopic: pay\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\n"
    "\tTopic: pay\tPartition: 1\tLeader: none\tReplicas: 2,3,4\tIsr: \n"
)
V2_4 = V2_0.replace("Topic:pay", "Topic: pay").replace("Count:", "Count: ").replace("Factor:", "Factor: ")
V2_8 = V2_4.replace("\tPartitionCount", "\tTopicId: 4f0Xu2mQTy6Zr8bq0m1vXw\tPartitionCount")
V3_8 = V2_8.replace("Isr: 1,2,3\n", "Isr: 1,2,3\tElr: N/A\tLastKnownElr: N/A\n").replace(
    "Isr: \n", "Isr: \tElr: 2,3\tLastKnownElr: 4\n"
)
MARKED = V2_0.replace("compact,delete\n", "compact,delete\tMarkedForDeletion:true\n")
VENDOR = V2_8.replace("Isr: 1,2,3\n", "Isr: 1,2,3\tOffline: \tObservers: 3\n")
LAYOUTS = {"2.0": V2_0, "2.4": V2_4, "2.8": V2_8, "3.8": V3_8, "marked": MARKED, "vendor": VENDOR}


def rows(text, **options):
    lists = parse(text, "topics.txt", **options).lists
    return {
        lists.label(k): ([int(i) for i in lists.replicas[k] if i >= 0], int(lists.leader[k]))
        for k in range(len(lists))
    }


@pytest.mark.parametrize("blanks", ["tabs", "spaces", "windows"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_tells_the_same(layout, blanks):
    """Lists, leaders and min ISR do not depend on the version, nor on tabs that became spaces."""
    text = LAYOUTS[layout]
    if blanks == "spaces":
        text = text.replace("\t", "    ")
    if blanks == "windows":
        text = text.replace("\n", "\r\n")
    assert recognise(text) == "kafka-topics --describe"
    assert rows(text) == {"pay-0": ([1, 2, 3], 1), "pay-1": ([2, 3, 4], -1)}
    configs = parse(text, "topics.txt").topic_configs
    assert configs == {"pay": {"min.insync.replicas": "2", "cleanup.policy": "compact,delete"}}


def test_a_move_in_flight_is_told_apart():
    """Adding and removing replicas are kept beside the union that the list shows."""
    fragment = parse(
        "\tTopic: pay\tPartition: 1\tLeader: 2\tReplicas: 4,2,3,1\tIsr: 2,3,1\t"
        "Adding Replicas: 4\tRemoving Replicas: 1\tElr: N/A\tLastKnownElr: N/A\n",
        "topics.txt",
    )
    assert fragment.lists.replicas.tolist() == [[4, 2, 3, 1]]
    assert fragment.in_flight.label(0) == "pay-1"
    assert fragment.in_flight.adding.tolist() == [[4]]
    assert fragment.in_flight.removing.tolist() == [[1]]


def test_lines_without_topic_lines_are_enough():
    """``--under-replicated-partitions`` prints partition lines alone."""
    only_partitions = "".join(line + "\n" for line in V3_8.splitlines() if "Partition:" in line)
    assert rows(only_partitions) == {"pay-0": ([1, 2, 3], 1), "pay-1": ([2, 3, 4], -1)}


def test_other_output_around_it_is_passed_over():
    """A shell prompt and a log line do no harm."""
    text = (
        "$ kafka-topics.sh --describe\n[2026-01-01 10:00:00,000] WARN slow (org.apache.kafka.Client)\n" + V2_8
    )
    assert set(rows(text)) == {"pay-0", "pay-1"}


BROKEN = {
    "Partition: one":
        'topics.txt, line 2: Partition "one" is not a number from 0 on. Is the output complete?',
    "Replicas: 1,x,3":
        'topics.txt, line 2: Replicas "1,x,3" is not a list of broker ids. Is the output complete?',
    "Replicas: 1,1,3": "topics.txt, line 2: pay-0 [1, 1, 3]: broker 1 is twice in the list",
    "Replicas: ": "topics.txt, line 2: pay-0 []: the replica list is empty",
    "Leader: 9": "topics.txt, line 2: pay-0 [1, 2, 3]: leader 9 is not in the list",
    "Isr: 1,7,9": "topics.txt, line 2: pay-0 [1, 2, 3]: broker 7 of the Isr is not in the list",
    "Isr: 2,2": "topics.txt, line 2: pay-0 [1, 2, 3]: broker 2 is twice in the Isr",
    "Leader: boss": 'topics.txt, line 2: Leader "boss" is not a broker id. Is the output complete?',
    "Replicas: 99999999999": 'topics.txt, line 2: Replicas "99999999999" is not a list of broker ids. '
    "Is the output complete?",
}


@pytest.mark.parametrize("value", BROKEN)
def test_a_broken_line_is_named(value):
    """The error has the file, the line and the value; leniently the line is set aside alone."""
    key = value.split(":")[0] + ":"
    old = next(part for part in V2_4.splitlines()[1].split("\t") if part.startswith(key))
    text = V2_4.replace(f"\t{old}", f"\t{value}", 1)
    with pytest.raises(FormatError) as error:
        parse(text, "topics.txt")
    assert str(error.value) == BROKEN[value]
    assert rows(text, lenient=True) == {"pay-1": ([2, 3, 4], -1)}
    (aside,) = parse(text, "topics.txt", lenient=True).quarantined
    assert (aside.source, aside.line) == ("topics.txt", 2)


def test_a_partition_twice_names_both_lines():
    """The second of two lines for one partition is the fault, wherever the first one is."""
    text = V2_4.replace("PartitionCount: 2", "PartitionCount: 3") + V2_4.splitlines()[1] + "\n"
    with pytest.raises(FormatError) as error:
        parse(text, "topics.txt")
    assert str(error.value) == (
        "topics.txt, line 4: pay-0 [1, 2, 3]: the partition is given twice, before at line 2. "
        "Keep one of the two"
    )
    assert rows(text, lenient=True) == {"pay-0": ([1, 2, 3], 1), "pay-1": ([2, 3, 4], -1)}


def test_output_that_was_cut_off_is_noticed():
    """What a topic promises is told, for those who see all sources; half a line is an error at once."""
    part = parse("".join(V2_4.splitlines(keepends=True)[:2]), "topics.txt")
    assert part.partition_counts == {"pay": (2, 1)}
    with pytest.raises(FormatError) as error:
        parse(V2_4.replace("PartitionCount: 2", "PartitionCount: 1"), "topics.txt")
    assert str(error.value) == (
        "topics.txt, line 1: topic pay has PartitionCount 1, but there are lines for 2. "
        "Was the topic made larger meanwhile? Describe it again"
    )
    with pytest.raises(FormatError) as error:
        parse(V2_4[: V2_4.rindex("\tIsr")], "topics.txt")
    assert str(error.value) == "topics.txt, line 3: no Isr for pay-1. Is the output complete?"


@pytest.mark.parametrize("prefix", ["topics.txt:", "./fleet/a:b/topics.txt:", "{}:", "topics.txt:{}:"])
def test_what_grep_puts_in_front_of_a_line(prefix):
    """``grep -H`` and ``grep -n``: names and numbers are no part of the line, whose place stays the same."""
    text = "".join(prefix.format(k) + line for k, line in enumerate(V2_4.splitlines(keepends=True), 1))
    assert rows(text) == rows(V2_4)
    with pytest.raises(FormatError, match="line 3: no Isr"):
        parse(text[: text.rindex("\tIsr")], "topics.txt")


def test_what_grep_paints():
    """``grep --color=always``, with names and numbers painted too."""
    painted = V2_4.replace("Topic", "\x1b[01;31m\x1b[KTopic\x1b[m\x1b[K")
    assert rows(painted) == rows(V2_4)
    named = "\x1b[35m\x1b[Ktopics.txt\x1b[m\x1b[K\x1b[36m\x1b[K:\x1b[m\x1b[K"
    assert rows("".join(named + line for line in painted.splitlines(keepends=True))) == rows(V2_4)


TOPICS = st.from_regex(r"[a-zA-Z0-9._-]{1,20}", fullmatch=True)
LISTS = st.lists(st.integers(0, 10**6), min_size=1, max_size=5, unique=True)


@given(st.dictionaries(st.tuples(TOPICS, st.integers(0, 10**6)), LISTS, min_size=1, max_size=30), st.data())
@pytest.mark.slow
def test_what_is_printed_is_read(assignment, data):
    """Any assignment that is printed line by line in any order comes back, regular and odd lines mixed."""
    lines = []
    for (topic, partition), ids in data.draw(st.permutations(list(assignment.items()))):
        joined = ",".join(map(str, ids))
        extra = data.draw(st.sampled_from(["", "\tElr: \tLastKnownElr: ", "\tOffline: "]))
        lines.append(
            f"\tTopic: {topic}\tPartition: {partition}\tLeader: {ids[-1]}\tReplicas: {joined}\tIsr: {extra}\n"
        )
    expected = {f"{topic}-{partition}": (ids, ids[-1]) for (topic, partition), ids in assignment.items()}
    assert rows("".join(lines)) == expected


def test_columns_have_their_types():
    """Everything is int32, and a list that is shorter than others is padded with -1."""
    lists = parse(V2_4.replace("1,2,3\tIsr: 1,2,3", "1,2\tIsr: 1,2"), "topics.txt").lists
    assert lists.replicas.dtype == lists.leader.dtype == lists.topic_idx.dtype == np.int32
    assert lists.replicas.tolist() == [[1, 2, -1], [2, 3, 4]]
