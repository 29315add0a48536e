"""Lets the tests of this folder share the storyteller, and the cluster and plan that commands find."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from equipoise.cluster import Brokers, Plan, build_cluster
from equipoise.execution import carrier
from equipoise.execution.simulated import SimulatedCarrier, SimulatedCluster
from equipoise.files.plan_directory import write_plan
from equipoise.scheduling import schedule

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> SimulatedCluster:
    """The cluster that every command finds, whatever server it is given."""
    from commands import BEFORE

    cluster = SimulatedCluster({0: "a", 1: "b", 2: "c", 3: "a"}, cluster_id="orders")
    for number, replicas in enumerate(BEFORE.values()):
        cluster.create("pay", number, replicas, 5_000_000)

    @contextmanager
    def cluster_at(bootstrap_server: str, command_config: Path | None) -> Iterator[SimulatedCluster]:
        yield cluster

    for verb in ("apply", "status", "cancel", "rollback"):
        monkeypatch.setattr(f"equipoise.cli.{verb}.cluster_at", cluster_at)
    monkeypatch.setattr(carrier, "Carrier", SimulatedCarrier)
    return cluster


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A plan directory: one copy of 5 MB at 1 MB/s, one reorder."""
    from commands import AFTER, BEFORE

    cluster = build_cluster(
        "orders",
        Brokers.of([0, 1, 2, 3], {0: "a", 1: "b", 2: "c", 3: "a"}),
        ["pay"] * 3,
        [0, 1, 2],
        list(BEFORE.values()),
        size_bytes=[5e6] * 3,
        cluster_id="orders",
    )
    plan = Plan(
        cluster,
        np.array(list(AFTER.values()), dtype=np.int32),
        np.ones(4, dtype=bool),
        why={0: "broker 0 has too many", 2: "broker 2 leads too many"},
    )
    write_plan(plan, tmp_path / "plan", schedule=schedule(plan, throttle=1e6, max_inflight=7))
    return tmp_path / "plan"
