"""A large plan, scheduled and carried out on the model."""

from __future__ import annotations

import numpy as np
import pytest
from stories import Log, Recorder, Watcher

from equipoise.cluster import Brokers, Plan, build_cluster
from equipoise.execution.driver import drive
from equipoise.execution.machine import Machine
from equipoise.execution.moves import Options, job_of
from equipoise.execution.simulated import SimulatedCarrier, SimulatedCluster, pace
from equipoise.scheduling import schedule

RATE = 50_000_000


@pytest.mark.slow
def test_a_large_plan_takes_as_long_as_predicted_and_little_more_than_it_must() -> None:
    """6,000 copies among 24 brokers: admission as links come free ends within 5 % of the bound."""
    n, n_brokers = 6_000, 24
    rng = np.random.default_rng(3)
    four = np.argsort(rng.random((n, n_brokers)), axis=1)[:, :4].astype(np.int32)
    cluster = build_cluster(
        "large",
        Brokers.of(np.arange(n_brokers)),
        [f"t{i // 50:03d}" for i in range(n)],
        np.arange(n) % 50,
        four[:, :3],
        size_bytes=rng.lognormal(18, 1, n),
        cluster_id="large",
    )
    target = four[:, :3].copy()
    target[np.arange(n), rng.integers(0, 3, n)] = four[:, 3]
    waves = schedule(Plan(cluster, target, np.ones(n_brokers, dtype=bool)), throttle=RATE, max_inflight=120)
    poll = pace(waves)
    model = SimulatedCluster.like(cluster, cluster_id="large", grain_s=poll / 10)
    options = Options(throttle=RATE, max_inflight=waves.max_inflight, poll_s=poll, stuck_after_s=1e9)
    log = Log()
    end = drive(Machine(job_of(waves, "plan"), options), SimulatedCarrier(model), log, Watcher())
    assert (end.outcome, end.reasons) == ("finished", ())
    assert waves.gap < 0.05
    assert model.now < 1.05 * waves.seconds < 1.05**2 * waves.bound_seconds
    assert model.now < 1.05 * waves.bound_seconds
    assert not any(model.settings.values())
    wanted = [tuple(row) for row in cluster.ids_of(target).tolist()]
    assert [model.replicas[name] for name in sorted(model.replicas)] == wanted


def test_a_recorder_is_a_simulated_carrier() -> None:
    """A guard: what the stories watch is the same carrier that the large plan uses."""
    assert issubclass(Recorder, SimulatedCarrier)
