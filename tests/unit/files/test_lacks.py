"""A part of a cluster is told from the whole by what its sources give away, and planned only as a part."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from equipoise.cluster import Cluster
from equipoise.errors import UnusableInput
from equipoise.files.lacks import explained
from equipoise.files.sources import merge, parse_file
from equipoise.planning import Request, build_problem

WHOLE = (
    "Topic: pay\tPartitionCount: 4\tReplicationFactor: 2\tConfigs: \n"
    "\tTopic: pay\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n"
    "\tTopic: pay\tPartition: 1\tLeader: 2\tReplicas: 2,3\tIsr: 2,3\n"
    "\tTopic: pay\tPartition: 2\tLeader: 3\tReplicas: 3,1\tIsr: 3\n"
    "\tTopic: pay\tPartition: 3\tLeader: 3\tReplicas: 3,1\tIsr: 3\n"
)
LINES = WHOLE.splitlines(keepends=True)
UNHEALTHY = "".join(LINES[3:])
"""As ``--under-replicated-partitions`` prints it."""
DIRS = (
    '{"brokers":[{"broker":1,"logDirs":[{"logDir":"/d","partitions":[{"partition":"pay-0","size":7},'
    '{"partition":"pay-4","size":7},{"partition":"log-0","size":1},{"partition":"log-1","size":1}]}]}]}'
)
KCAT = (
    '{"controllerid":1,"brokers":[],"topics":[{"topic":"pay","partitions":[{"partition":0,"leader":1,'
    '"replicas":[{"id":1}]}]},{"topic":"log","error":"Broker: Leader not available","partitions":[]}]}'
)


def cluster(set_aside: list | None = None, **sources: str) -> Cluster:
    lenient = set_aside is not None
    fragments = [parse_file(text.encode(), name, lenient=lenient) for name, text in sources.items()]
    return merge(fragments, "orders", set_aside=set_aside)


def lacks(**sources: str) -> list[str]:
    """What shows that the sources tell of a part."""
    return [lack.sentence for lack in cluster(**sources).lacks]


def reassignment(*numbers: int, topic: str = "pay") -> str:
    rows = (f'{{"topic":"{topic}","partition":{k},"replicas":[1,2]}}' for k in numbers)
    return f'{{"version":1,"partitions":[{",".join(rows)}]}}'


@pytest.mark.parametrize(("sources", "told"), [
    ({"topics.txt": WHOLE}, []),
    ({"urp.txt": UNHEALTHY}, [
        "topic pay lacks 2 of 4 partitions (0, 1)",
        "urp.txt has no line with the PartitionCount of topic pay",
    ]),
    ({"cut.txt": "".join(LINES[:3])}, ["topic pay lacks 2 of 4 partitions (2, 3)"]),
    ({"lines.txt": "".join(LINES[1:])}, ["lines.txt has no line with the PartitionCount of topic pay"]),
    # two outputs that make up a whole
    ({"one.txt": "".join(LINES[:3]), "two.txt": "".join(LINES[3:])}, []),
    # a reassignment is often of what somebody chose: gaps alone give it away
    ({"r.json": reassignment(0, 1, 2)}, []),
    ({"r.json": reassignment(1, 2)}, ["topic pay lacks 1 of 3 partitions (0)"]),
    ({"r.json": reassignment(20)}, ["topic pay lacks 20 of 21 partitions (0, 1, 2, 3, 4 and 15 more)"]),
    # other sources name what no list has
    ({"topics.txt": WHOLE, "dirs.json": DIRS}, ["dirs.json names 1 topic without a list (log)"]),
    ({"topics.txt": WHOLE, "dirs.json": DIRS.replace("log-", "pay-")},
     ["dirs.json names 1 partition without a list (pay-4)"]),
    ({"topics.txt": WHOLE, "configs.txt": "Dynamic configs for topic logs are:\n  retention.ms=5000\n"},
     ["configs.txt names 1 topic without a list (logs)"]),
    ({"kcat.json": KCAT}, ["kcat.json names 1 topic without a list (log)"]),
    ({"kcat.json": KCAT, "log.json": reassignment(0, topic="log")}, []),
    ({"topics.txt": WHOLE, "overridden.txt": LINES[0].replace("pay", "log")},
     ["overridden.txt names 1 topic without a list (log)"]),
])  # fmt: skip
def test_what_gives_a_part_away(sources: dict[str, str], told: Sequence[str]) -> None:
    """Gaps in numbers, fewer partitions than promised, no line of the topic, what other sources name."""
    assert lacks(**sources) == told


def test_a_part_is_refused_unless_it_is_asked_for() -> None:
    """The message says what is missing and what to do; with ``partial`` it is the first warning."""
    part = cluster(**{"urp.txt": UNHEALTHY})
    with pytest.raises(UnusableInput) as refusal:
        build_problem(part, Request())
    assert str(refusal.value) == (
        "orders: this is a part of a cluster: topic pay lacks 2 of 4 partitions (0, 1); urp.txt has no line "
        "with the PartitionCount of topic pay. Give all that belongs to it, or plan the part alone with "
        "--partial"
    )
    first = next(line for line in build_problem(part, Request(partial=True)).warnings if "--partial" in line)
    assert first.startswith("a part of a cluster is planned (--partial): what brokers hold in all is not")
    assert first.endswith("urp.txt has no line with the PartitionCount of topic pay")
    said = build_problem(cluster(topics=WHOLE), Request(partial=True)).warnings  # somebody knows better
    assert next(line for line in said if "--partial" in line).endswith("is said of this part alone")


def test_a_partition_with_two_lists_is_never_guessed() -> None:
    """Where reading goes on neither is taken, within a file or between two; the same list twice is one."""
    other, aside = LINES[1].replace("1,2", "1,3"), []
    assert cluster(aside, **{"t.txt": WHOLE + other}).partition.tolist() == [1, 2, 3]
    aside = []
    assert cluster(aside, **{"a.txt": WHOLE, "b.json": reassignment(1)}).partition.tolist() == [0, 2, 3]
    assert [piece.text for piece in aside] == ["pay-1 [1, 2]"]
    aside = []
    assert cluster(aside, **{"t.txt": WHOLE + LINES[1]}).partition.tolist() == [0, 1, 2, 3]


def test_what_was_set_aside_explains_what_is_missing(tmp_path: Path) -> None:
    """Piece by piece: one broken line is one partition, and a file that cannot be read any number of them."""

    def is_explained(*texts: str) -> bool:
        aside: list = []
        fragments = [parse_file(text.encode(), f"{k}.txt", lenient=True) for k, text in enumerate(texts)]
        found = merge(fragments, "orders", set_aside=aside)
        assert found.lacks
        return explained(found.lacks, fragments, aside)

    broken = LINES[3].replace("Replicas: 3", "Replicas: x")
    assert is_explained("".join([*LINES[:3], broken, LINES[4]]))
    assert not is_explained("".join([*LINES[:2], broken, LINES[4]]))
    assert is_explained("".join(LINES[:2]), '{"brokers": [')
    assert not is_explained(UNHEALTHY)
