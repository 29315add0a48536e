"""The corpus: what counts as worse, the cases, and calls that are ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest
from tools.corpus.cases import cases
from tools.corpus.clusters import Shape, cluster_of, topic_sizes
from tools.corpus.compare import Line, compared
from tools.corpus.planning import described
from tools.corpus.processes import Limits, called_apart


def level(goal: str, value: float | None, bound: float, proof: str = "flow-dual", **more: Any) -> Line:
    return {"goal": goal, "value": value, "lower_bound": bound, "proof": proof, "anywhere": None} | more


def line(*goals: Line, **more: Any) -> Line:
    return {
        "exit": "planned",
        "input": "a",
        "racks": 3,
        "replicas": 300,
        "goals": goals,
        "again": True,
    } | more


def sides(before: Line, after: Line | None) -> list[tuple[str, str, str]]:
    found = compared({"case": before}, {} if after is None else {"case": after})
    return [(finding.side, finding.what, finding.goal) for finding in found[0].findings]


def test_a_case_is_the_same_as_itself():
    assert sides(line(level("moves", 3, 3)), line(level("moves", 3, 3))) == []


def test_the_first_goal_that_differs_decides():
    """Later goals are of other plans then: neither their values nor their bounds can be held against it."""
    before = line(level("moves", 3, 2), level("leaders", 0, 0), level("elections", 5, 5))
    after = line(level("moves", 2, 2), level("leaders", 9, 1, "none"), level("elections", 9, 0))
    assert sides(before, after) == [("better", "value", "moves")]
    assert sides(after, before) == [("worse", "value", "moves")]


def test_a_lower_bound_that_falls_is_worse():
    assert sides(line(level("moves", 3, 3)), line(level("moves", 3, 2))) == [("worse", "bound", "moves")]


def test_a_weaker_proof_is_worse_and_another_of_the_same_strength_is_not():
    proved, searched = level("disk", 3, 3, "linear-program"), level("disk", 3, 3, "integer-program")
    assert sides(line(proved), line(searched)) == [("worse", "proof", "disk")]
    assert sides(line(proved), line(level("disk", 3, 3, "branch-and-bound"))) == []


def test_the_bound_of_one_placement_claims_nothing_of_others():
    """What counts beside it is the bound of any placement."""
    placed = level("topic-leaders", 5, 5, "given-placement", anywhere=4)
    assert sides(line(placed), line(level("topic-leaders", 5, 4))) == [("better", "proof", "topic-leaders")]
    assert sides(line(placed), line(placed | {"anywhere": None})) == [("worse", "bound", "topic-leaders")]


@pytest.mark.parametrize(
    ("replicas", "value", "bound", "side"),
    [(300_001, 103, 90, "allowed"), (300_001, 104, 90, "worse"), (300_000, 103, 90, "worse")],
)
def test_leaders_of_topics_may_be_a_little_worse_on_the_largest_clusters(replicas, value, bound, side):
    before = line(level("topic-leaders", 100, bound), replicas=replicas)
    found = sides(before, line(level("topic-leaders", value, bound)))
    assert found == [(side, "value", "topic-leaders")]


def test_but_the_gap_has_to_be_stated():
    before = line(level("topic-leaders", 100, 0, "none"), replicas=400_000)
    after = line(level("topic-leaders", 101, 0, "none"))
    assert sides(before, after) == [("worse", "value", "topic-leaders")]


def test_what_is_no_longer_known_is_worse_but_for_racks_where_there_are_none():
    known, unknown = level("racks", 0, 0, "closed-form"), level("racks", None, 0, "unknown")
    assert sides(line(known), line(unknown)) == [("worse", "value", "racks")]
    assert sides(line(known, racks=0), line(unknown)) == [("other", "value", "racks")]


@pytest.mark.parametrize(
    ("after", "what"),
    [
        (None, "case"),
        (line(input="b"), "input"),
        (line(exit="limit"), "exit"),
        (line(level("moves", 0, 0)), "goals"),
        (line(again=False), "second plan is empty"),
    ],
)
def test_a_case_that_is_lost_is_worse(after, what):
    assert sides(line(), after) == [("worse", what, "")]


def test_a_plan_where_none_was_has_to_be_looked_at():
    assert sides(line(exit="impossible"), line()) == [("other", "exit", "")]
    assert sides(line(exit="crashed"), line()) == [("better", "exit", "")]


def test_there_are_more_than_500_cases_and_each_is_drawn_the_same_again():
    found = cases()
    assert len({case.name for case in found}) == len(found) >= 500
    for case in found[:300:25]:
        assert described(*case.draw()) == described(*case.draw())


@pytest.mark.parametrize("topics", ["equal", "pareto", "tiny", "huge"])
@pytest.mark.parametrize("racks", ["none", "equal", "unequal", "bad"])
def test_a_cluster_has_the_shape_that_is_asked_for(racks, topics):
    """One replica in each rack where racks are kept; not so where they are bad."""
    shape = Shape(1_000, 10, racks, topics)
    assert topic_sizes(shape, np.random.default_rng(1)).sum() == 1_000
    cluster = cluster_of(shape, np.random.default_rng(1))
    assert (cluster.n_partitions, cluster.n_brokers, set(cluster.rf.tolist())) == (1_000, 10, {3})
    racks_used = np.sort(cluster.brokers.rack_idx[cluster.replicas], axis=1)
    assert (np.diff(racks_used, axis=1) > 0).all() == (racks in ("equal", "unequal"))


@pytest.mark.slow
def test_cases_are_planned_once_and_again_is_empty(tmp_path):
    """A file that is there is gone on with."""
    out = tmp_path / "corpus.jsonl"
    command = [sys.executable, "-m", "tools.corpus", "plan", "--out", str(out), "--only", "^theme/one/0$"]
    told = [subprocess.run(command, check=True, capture_output=True, text=True).stderr for _ in range(2)]
    assert ["1 cases to plan, 0 are there" in told[0], "0 cases to plan, 1 are there" in told[1]] == [
        True
    ] * 2
    (planned,) = map(json.loads, out.read_text().splitlines())
    assert (planned["exit"], planned["again"]) == ("planned", True)
    assert planned["goals"] and planned["lists"] and "target" not in planned


@pytest.mark.parametrize(
    ("work", "how"),
    [
        (lambda send: send(1), ""),
        (lambda send: os.kill(os.getpid(), signal.SIGTERM), "crashed: killed by SIGTERM"),
        (lambda send: time.sleep(60), "limit"),
        (lambda send: sum(iter(int, 1)), "limit"),
    ],
)
@pytest.mark.slow
def test_a_call_ends_by_itself_or_is_ended(work, how):
    """Also one that waits for nothing, and one that never stops to count."""
    ended = called_apart(work, Limits(cpu_s=1, wall_s=2))
    assert (ended.how, ended.sent) == (how, [1] if how == "" else [])
