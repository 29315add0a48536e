"""The moves of ``plan.json``: the text says what the summary says, whatever the plan."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from equipoise.cluster import Brokers, Plan, build_cluster
from equipoise.files import move_lines
from equipoise.files.plan_directory import plan_json, summary


def odd_plan() -> Plan:
    """Lists of all lengths, one partition to be created, one that stays, sentences made and missing."""
    cluster = build_cluster(
        "odd",
        Brokers.of([1, 22, 333, 2_000_000_000]),
        ["a", "a", "b", "ünïcode", 'odd "name"\n'],
        [0, 11, 0, 7, 2_000_000_000],
        [[1, 22, 333], [22], [], [1, 22], [333, 1]],
        size_bytes=[0.0, 2.0**50, np.nan, 1e18, 3.0],
        allow_empty_lists=True,
    )
    lists = np.array([[1, 22, -1], [22, 1, 333], [1, 22, -1], [22, 1, -1], [2_000_000_000, 1, -1]])
    why = {3: 'to "level",\n{"topic":"leaders"}', 4: "it said so"}
    target = cluster.brokers.index_of(lists)
    target[0] = cluster.replicas[0]
    return Plan(cluster, target, np.ones(4, dtype=bool), why=why)


@pytest.mark.parametrize("block", [1, 3, 20_000])
@pytest.mark.parametrize("batch", [None, [-1, 0, 0, 12, 1]])
def test_the_text_says_what_the_summary_says(
    block: int, batch: list[int] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lists, sizes, quotes within sentences, batches: the same moves, each on one line, in any blocks."""
    monkeypatch.setattr(move_lines, "BLOCK", block)
    plan = replace(odd_plan(), batch=None if batch is None else np.array(batch))
    data = plan_json(plan)
    assert json.loads(data) == summary(plan)
    assert data.count(b'\n{"topic":') == len(plan.changed) == 4
