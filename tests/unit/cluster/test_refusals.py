"""What brokers, clusters and plans refuse: each sentence as a whole, and none without its case."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from equipoise.cluster import Brokers, Cluster, Plan, build_cluster
from equipoise.cluster.log_dirs import DirPlan, LogDirs
from equipoise.cluster.proofs import Told

DIRS = LogDirs([1, 1, 2], ("/a", "/b", "/a"), np.full(3, np.nan), np.ones(3, dtype=bool), [0, 0], [0, 2])
SOURCE = Path(__file__).parents[3] / "src" / "equipoise" / "cluster"
THREE = Brokers.of([1, 2, 3])
ALL = np.ones(3, dtype=bool)


def cluster(**facts: object) -> Cluster:
    """Topics "a" (partitions 0 and 1) and "b" (partition 0) on brokers 1, 2, 3, but for ``facts``."""
    good = build_cluster("c", THREE, ["a", "a", "b"], [0, 1, 0], [[1, 2], [2, 3], [3]])
    return replace(good, **facts)  # type: ignore[arg-type]


def built(lists: list[list[int]], **facts: object) -> Cluster:
    """Partitions of topic "t" with these replica lists, from broker ids."""
    return build_cluster("c", THREE, ["t"] * len(lists), range(len(lists)), lists, **facts)  # type: ignore[arg-type]


def padded(*lists: list[int]) -> np.ndarray:
    return np.array(lists, dtype=np.int32)


def with_dirs(cluster: Cluster, target: np.ndarray) -> Plan:
    """A plan that changes no list, with these log dirs."""
    return Plan(cluster, cluster.replicas, ALL, dirs=DirPlan(target))


Case = tuple[Callable[[], object], str]
CASES: dict[str, Case] = {
    "ids out of order": (
        lambda: replace(THREE, ids=np.array([1, 3, 2])),
        "broker ids must be one ascending column without repeats",
    ),
    "an id twice": (
        lambda: replace(THREE, ids=np.array([1, 2, 2])),
        "broker ids must be one ascending column without repeats",
    ),
    "ids in two columns": (
        lambda: replace(THREE, ids=np.array([[1, 2, 3]])),
        "broker ids must be one ascending column without repeats",
    ),
    "a capacity too few": (
        lambda: replace(THREE, disk_bytes=np.ones(2)),
        "disk_bytes has shape (2,), the broker ids (3,)",
    ),
    "a weight too many": (
        lambda: replace(THREE, weight=np.ones(4)),
        "weight has shape (4,), the broker ids (3,)",
    ),
    "no weight": (lambda: Brokers.of([1, 2], weight={2: 0.0}), "broker weights must be positive numbers"),
    "endless weight": (
        lambda: Brokers.of([1, 2], weight={2: np.inf}),
        "broker weights must be positive numbers",
    ),
    "unknown weight": (
        lambda: Brokers.of([1, 2], weight={1: np.nan}),
        "broker weights must be positive numbers",
    ),
    "a rack too few": (lambda: replace(THREE, racks=("x", "y")), "2 racks for 3 brokers"),
    "a state too many": (lambda: replace(THREE, down=(None,) * 4), "4 states for 3 brokers"),
    "an ISR for other rows": (
        lambda: cluster(isr=padded([0], [1]), isr_told=np.ones(3, dtype=bool)),
        "isr must have shape (3, width), not (2, 1)",
    ),
    "lists for other rows": (
        lambda: cluster(replicas=padded([0, 1])),
        "replicas must have shape (3, max_rf), not (1, 2)",
    ),
    "lists in one column": (
        lambda: cluster(replicas=np.array([0, 1, 2])),
        "replicas must have shape (3, max_rf), not (3,)",
    ),
    "a size too few": (lambda: cluster(size_bytes=np.ones(2)), "size_bytes must have shape (3,), not (2,)"),
    "a leader too many": (lambda: cluster(leader=np.zeros(4)), "leader must have shape (3,), not (4,)"),
    "topics out of order": (
        lambda: cluster(topics=("b", "a")),
        "topic names must be ascending without repeats",
    ),
    "a topic name twice": (
        lambda: cluster(topics=("a", "a")),
        "topic names must be ascending without repeats",
    ),
    "a topic beyond the last": (
        lambda: cluster(topic_idx=np.array([0, 0, 2])),
        "topic_idx points outside the topics",
    ),
    "a topic before the first": (
        lambda: cluster(topic_idx=np.array([-1, 0, 1])),
        "topic_idx points outside the topics",
    ),
    "topics of rows out of order": (
        lambda: cluster(topic_idx=np.array([0, 1, 0])),
        "rows must be in (topic, partition) order",
    ),
    "partitions out of order": (
        lambda: cluster(partition=np.array([1, 0, 0])),
        "rows must be in (topic, partition) order",
    ),
    "a partition twice": (
        lambda: build_cluster("c", THREE, ["b", "a", "b"], [7, 7, 7], [[1], [2], [3]]),
        "partition b-7 is given twice",
    ),
    "two partitions twice": (
        lambda: build_cluster("c", THREE, ["a", "a", "b", "b"], [2, 2, 3, 3], [[1], [2], [3], [1]]),
        "partition a-2 is given twice",
    ),
    "no list at all": (lambda: built([[], []]), "partition t-0 has no replicas"),
    "one list without replicas": (lambda: built([[1], []]), "partition t-1 has no replicas"),
    "a broker beyond the last": (
        lambda: cluster(replicas=padded([0, 1], [1, 3], [2, -1])),
        "a replica points outside the brokers",
    ),
    "a position below -1": (
        lambda: cluster(replicas=padded([0, 1], [1, -2], [2, -1])),
        "a replica points outside the brokers",
    ),
    "a gap": (
        lambda: cluster(replicas=padded([0, -1, 1], [1, 2, -1], [2, -1, -1])),
        "partition a-0 has a gap in its replica list",
    ),
    "a broker twice": (
        lambda: built([[1, 2], [3, 2, 3]]),
        "partition t-1 has a broker twice in its replica list",
    ),
    "a broker twice at the end of the only list": (
        lambda: built([[1, 2, 2]]),
        "partition t-0 has a broker twice in its replica list",
    ),
    "broker 0 where it is not there": (
        lambda: built([[1], [0]]),
        "partition t-1 has a replica on unknown broker 0",
    ),
    "several brokers that are not there": (
        lambda: built([[1], [2, 8, 9], [7]]),
        "partition t-1 has a replica on unknown broker 8",
    ),
    "a broker that is not there": (
        lambda: build_cluster("c", THREE, ["b", "a"], [5, 6], [[1, 9], [2, 3]]),
        "partition b-5 has a replica on unknown broker 9",
    ),
    "a word without a sentence": (lambda: Told("Words", {"BARE": "bare"}), "bare has no sentence"),
    "log dirs of different lengths": (
        lambda: replace(DIRS, usable=np.ones(2, dtype=bool)),
        "columns of log dirs differ in length",
    ),
    "a log dir twice": (
        lambda: replace(DIRS, paths=("/a", "/a", "/a")),
        "log dirs must be ascending by broker and path without repeats",
    ),
    "replicas in log dirs, one column too short": (
        lambda: replace(DIRS, at=np.array([0])),
        "columns of replicas in log dirs differ in length",
    ),
    "a replica in no log dir": (lambda: replace(DIRS, at=[0, 3]), "a replica points outside the log dirs"),
    "a log dir before the first": (
        lambda: replace(DIRS, at=[-1, 2]),
        "a replica points outside the log dirs",
    ),
    "a log dir with a partition before the first": (
        lambda: replace(DIRS, row=[-1, 0]),
        "a replica points outside the log dirs",
    ),
    "a replica in two log dirs": (
        lambda: replace(DIRS, at=[0, 1]),
        "replicas in log dirs must be ascending, each of them in one dir",
    ),
    "a log dir with a partition that is not there": (
        lambda: cluster(dirs=replace(DIRS, row=[0, 7])),
        "a replica in a log dir points outside the partitions",
    ),
    "a plan of log dirs where none are known": (
        lambda: with_dirs(cluster(), padded([0, 2], [-1, -1], [-1, -1])),
        "log dirs are not those of the plan's lists",
    ),
    "a plan with a log dir that is not there": (
        lambda: with_dirs(cluster(dirs=DIRS), padded([0, 5], [-1, -1], [-1, -1])),
        "a replica points outside the log dirs",
    ),
    "a plan with a log dir of another broker": (
        lambda: with_dirs(cluster(dirs=DIRS), padded([0, 1], [-1, -1], [-1, -1])),
        "a replica is in a log dir of another broker",
    ),
    "a plan with a broker twice": (
        lambda: Plan(cluster(), padded([0, 1], [2, 2], [2, -1]), ALL),
        "partition a-1 has a broker twice in its replica list",
    ),
    "a plan that leaves a list empty": (
        lambda: Plan(cluster(allow_empty_lists=True), padded([0, 1], [2, 1], [-1, -1]), ALL),
        "partition b-0 has no replicas",
    ),
}


@pytest.mark.parametrize(("make", "sentence"), list(CASES.values()), ids=list(CASES))
def test_each_broken_rule_has_its_sentence(make: Callable[[], object], sentence: str) -> None:
    """The first rule that is broken is named with its place and figures, and nothing else is said."""
    with pytest.raises((ValueError, TypeError)) as refused:
        make()
    assert str(refused.value) == sentence


def sentences(path: Path) -> Iterator[str]:
    """What each check of a module says, as a pattern: texts of ``raise`` and of ``first(...)``."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "first"
        texts = node.args if called else [node.exc.args[0]] if isinstance(node, ast.Raise) else []  # type: ignore
        for text in texts:
            if isinstance(text, ast.Constant):
                yield re.escape(str(text.value))
            elif isinstance(text, ast.JoinedStr) and "what" not in ast.unparse(text):
                yield "".join(
                    re.escape(part.value) if isinstance(part, ast.Constant) else ".+"
                    for part in text.values  # type: ignore
                )


def test_no_check_is_without_a_case() -> None:
    """Whatever a module of this room can say when it refuses is said in a case above."""
    said = {(path.name, pattern) for path in SOURCE.glob("*.py") for pattern in sentences(path)}
    assert len(said) >= 12
    for name, pattern in said:
        assert any(re.search(pattern + "$", sentence) for _, sentence in CASES.values()), (name, pattern)


def test_what_is_planned_may_be_empty_only_where_it_is_to_be_created() -> None:
    """A list may be empty in a state from which partitions are still to be created, narrow or wide."""
    assert built([[], []], allow_empty_lists=True).rf.tolist() == [0, 0]
    assert built([[1], []], allow_empty_lists=True).rf.tolist() == [1, 0]
    with pytest.raises(ValueError, match="has a gap"):
        cluster(replicas=padded([-1, 1], [1, 2], [2, -1]), allow_empty_lists=True)


def test_a_plan_may_leave_log_dirs_to_kafka() -> None:
    """-1 is no dir: of no broker, whatever stands in the lists there."""
    known = cluster(dirs=DIRS)
    assert with_dirs(known, padded([0, -1], [-1, -1], [-1, -1])).dirs is not None


def test_nothing_is_refused_where_there_is_nothing() -> None:
    """No broker and no partition are a cluster too, and so are brokers without partitions."""
    empty = build_cluster("c", Brokers.of([]), [], [], [])
    assert (empty.n_brokers, empty.n_partitions, empty.topics) == (0, 0, ())
    assert build_cluster("c", THREE, [], [], []).topic_start.tolist() == [0]
