"""A large plan carried out on the model of a cluster: is the schedule what happens, and how good is it?"""

from __future__ import annotations

import resource
from collections.abc import Mapping
from typing import Any

import numpy as np

from equipoise.cluster import Brokers, Plan, build_cluster
from equipoise.execution.driver import drive
from equipoise.execution.instructions import Confirm
from equipoise.execution.machine import Machine
from equipoise.execution.moves import Options, job_of
from equipoise.execution.simulated import SimulatedCarrier, SimulatedCluster, pace
from equipoise.scheduling import schedule

RATE = 50_000_000
MEAN_BYTES = 100_000_000


class Unseen:
    """Nobody looks on, nothing is kept."""

    def append(self, entry: Mapping[str, Any]) -> None: ...

    def confirm(self, question: Confirm) -> bool:
        return True

    def say(self, text: str) -> None: ...

    def show(self, machine: Machine, now: float) -> None: ...

    def wish(self, machine: Machine) -> str | None:
        return None


def random_moves(n: int, n_brokers: int, seed: int = 3) -> Plan:
    """Every one of ``n`` partitions moves one of its three replicas to a random other broker."""
    rng = np.random.default_rng(seed)
    four = rng.integers(0, n_brokers, (n, 4), dtype=np.int32)
    while len(twice := np.flatnonzero((np.diff(np.sort(four, axis=1), axis=1) == 0).any(axis=1))):
        four[twice] = rng.integers(0, n_brokers, (len(twice), 4), dtype=np.int32)
    cluster = build_cluster(
        "large",
        Brokers.of(np.arange(n_brokers)),
        [f"t{row // 100:05d}" for row in range(n)],
        np.arange(n) % 100,
        four[:, :3],
        size_bytes=rng.lognormal(np.log(MEAN_BYTES) - 0.5, 1, n),
        cluster_id="large",
    )
    target = four[:, :3].copy()
    target[np.arange(n), rng.integers(0, 3, n)] = four[:, 3]
    return Plan(cluster, target, np.ones(n_brokers, dtype=bool))


def carry_out(n: int, n_brokers: int) -> tuple[float, float, float]:
    """How much longer the simulated run takes than the lower bound and than the schedule (shares), and
    the megabytes that all of it needed."""
    plan = random_moves(n, n_brokers)
    waves = schedule(plan, throttle=RATE)
    looks = pace(waves)
    model = SimulatedCluster.like(plan.cluster, cluster_id="large", grain_s=looks / 10)
    options = Options(throttle=RATE, max_inflight=waves.max_inflight, poll_s=looks, stuck_after_s=1e9)
    end = drive(Machine(job_of(waves, "plan"), options), SimulatedCarrier(model), Unseen(), Unseen())
    assert (end.outcome, end.reasons) == ("finished", ())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return model.now / waves.bound_seconds - 1, model.now / waves.seconds - 1, peak
