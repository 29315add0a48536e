"""Three small plans, each with its story, and the copies that their page data is compared with."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from equipoise.cluster import Brokers, Level, Plan, build_cluster

GOLDEN = Path(__file__).parents[2] / "golden" / "report"
UPDATE = "UPDATE_GOLDEN"
"""Set this environment variable to write the copies anew; then read the difference before keeping it."""


@pytest.fixture
def golden() -> Callable[[str, Any], None]:
    """Compares plain data with ``tests/golden/report/NAME.json``."""

    def compare(name: str, data: Any) -> None:
        path = GOLDEN / f"{name}.json"
        text = json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
        if os.environ.get(UPDATE):
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8"), f"{path.name} differs; {UPDATE}=1 writes it anew"

    return compare


def removal_plan(order: list[int] | None = None) -> Plan:
    """Broker 19 leaves (killerwhile, "Kafka Partitions Assignment Optimizer", Demonstration): one data move.

    ``order`` shuffles the rows that the cluster is built from.
    """
    rows = order or list(range(10))
    lists = [[7, 18], [8, 19], [9, 10], [0, 11], [1, 12], [2, 13], [3, 14], [4, 15], [5, 16], [6, 17]]
    brokers = Brokers.of(np.arange(20), {i: "ab"[i % 2] for i in range(20)})
    cluster = build_cluster(
        "removal",
        brokers,
        ["x.y.z.t"] * 10,
        rows,
        [lists[k] for k in rows],
        files=("topics.txt",),
        missing=("sizes", "rates", "configs", "capacities"),
    )
    target = cluster.replicas.copy()
    target[1] = [8, 1]
    proved = tuple(
        Level(goal, value, value, "flow-dual")
        for goal, value in (("racks", 0), ("replicas", 0), ("moves", 1), ("elections", 0))
    )
    return Plan(
        cluster,
        target,
        np.arange(20) != 19,
        certificate=proved,
        why={1: "broker 19 is drained"},
        request={"drain": [19]},
    )


def growth_plan() -> Plan:
    """Everything at once: sizes, weights, a broker without leaders, a higher replication factor, a new
    partition, a goal that is not proved, findings and warnings, and text that would break a careless page."""
    brokers = Brokers.of([1, 2, 3, 4, 5], {1: "a", 2: "a", 3: "b", 4: "b", 5: "<c>"}, weight={3: 2.0})
    lists = [[1, 3], [1, 4], [2, 3], [1, 3], []]
    cluster = build_cluster(
        "growth </script>",
        brokers,
        ["<b>hot</b>"] * 4 + ["new & shiny"],
        [0, 1, 2, 3, 0],
        lists,
        size_bytes=[1e9, 2e9, np.nan, 3e6, np.nan],
        missing=("rates",),
        cluster_id="Zk3",
        files=("a & b.txt",),
        notes=("<b>hot</b> has partitions of replication factors 2 and 3",),
        allow_empty_lists=True,
    )
    target = np.array([[3, 1, -1], [1, 4, 5], [2, 5, -1], [3, 1, -1], [5, 4, -1]]) - 1
    target[target < 0] = -1
    certificate = (
        Level("replicas", 3, 3, "flow-dual"),
        Level("moves", 2, 2, "closed-form"),
        Level("topic-leaders", 12, 11, "integer-program", "stopped at the time limit"),
    )
    return Plan(
        cluster,
        target,
        np.ones(5, dtype=bool),
        certificate=certificate,
        why={
            0: "broker 1 led 2 above its share",
            1: "a third replica is wanted",
            2: "broker 3 holds 1 above its share",
        },
        request={"add": [[5, "<c>"]], "no_leaders_on": [4]},
        warnings=("a budget <binds>",),
    )


@pytest.fixture
def removal() -> Plan:
    return removal_plan()


@pytest.fixture
def removal_shuffled() -> Plan:
    """The same cluster and plan, read from rows in another order."""
    return removal_plan([3, 1, 4, 0, 5, 9, 2, 6, 8, 7])


@pytest.fixture
def growth() -> Plan:
    return growth_plan()


@pytest.fixture
def nothing_to_do() -> Plan:
    """A cluster without racks or sizes that is level already, planned by a strategy that proves nothing."""
    cluster = build_cluster(
        "level", Brokers.of([1, 2, 3]), ["t"] * 3, [0, 1, 2], [[1, 2], [2, 3], [3, 1]], missing=("racks",)
    )
    measured = (Level("replicas", 0, 0, "none", "measured, not proved"),)
    return Plan(cluster, cluster.replicas, np.ones(3, dtype=bool), strategy="greedy", certificate=measured)


@pytest.fixture
def many_changes() -> Plan:
    """600 partitions on 40 brokers, each led by another of its brokers; every third also moves."""
    partition = np.arange(600)
    before = np.column_stack([partition % 40, (partition + 1) % 40])
    cluster = build_cluster("many", Brokers.of(np.arange(40)), ["t"] * 600, partition, before)
    target = cluster.replicas[:, ::-1].copy()
    target[::3, 1] = (target[::3, 1] + 2) % 40
    return Plan(cluster, target, np.ones(40, dtype=bool), why={k: f"reason {k % 2}" for k in range(600)})


@pytest.fixture
def emptied(many_changes: Plan) -> Plan:
    """As many changes, but brokers 0 and 1 must be emptied."""
    return replace(many_changes, eligible=np.arange(40) > 1)
