"""Loads brought into their bands together: bytes beside the proved bound, moves beside what counts force."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

import numpy as np

from bench.examples import FLEET
from bench.instances import SEED, Shape, cluster_of
from bench.processes import children_cpu_s
from bench.row import Measure, Row, Rows, passed
from equipoise.cluster import Cluster, Plan, build_cluster
from equipoise.files.sources import read_sources
from equipoise.planning import Request, build_problem, make_plan
from equipoise.planning.loads.bounds import Bounds
from equipoise.planning.loads.weights import loads_of
from equipoise.wording import plural

MEAN_BYTES = 1e9
EVERYTHING = ("count", "leaders", "disk", "network-in", "network-out")
LEVELS = ("replicas", "leaders", "disk", "network-in", "network-out")


def with_loads(state: Cluster, sigma: float) -> Cluster:
    """The cluster with lognormal sizes, and rates that go with them."""
    rng = np.random.default_rng(SEED + 1)  # in which no partition alone is more than a broker may bear
    n = state.n_partitions
    size = np.round(rng.lognormal(np.log(MEAN_BYTES), sigma, n))
    return build_cluster(
        "bench",
        state.brokers,
        np.array(state.topics, dtype=object)[state.topic_idx],
        state.partition,
        state.ids_of(state.replicas),
        size_bytes=size,
        bytes_in_per_s=np.round(size / 1e4 * rng.lognormal(0, 0.5, n)),
        bytes_out_per_s=np.round(size / 5e3 * rng.lognormal(0, 0.5, n)),
    )


def together(sigma: float, percent: int, ratio: float, scratch: Path) -> Rows:
    """Five loads of 20,000 partitions on 60 brokers in 3 racks, which differ by up to 40 %."""
    state = with_loads(cluster_of(Shape(20_000, 60, spread=0.4)), sigma)
    plan, cpu_s = timed(state, Request(balance=tuple(f"{load}:{percent}:{percent}" for load in EVERYTHING)))
    values = {level.goal: level.value or 0 for level in plan.certificate}
    bounds = {level.goal: level.lower_bound or 0 for level in plan.certificate}
    outside = sum(values[goal] > 0 for goal in LEVELS)
    of_bytes = values["bytes"] / max(1, bounds["bytes"])
    of_counts = values["moves"] / max(1, forced_by_counts(state, percent))
    work = f"five loads within {percent} %, 20,000 x 60, 3 racks, sigma {sigma:g}"
    aim, good = f"all bands, bytes {ratio:g} ×", outside == 0 and of_bytes <= ratio
    if percent >= 10:
        aim, good = f"{aim}, moves 1.3 × of counts, 10 CPU s", good and of_counts <= 1.3 and cpu_s <= 10
    figure = f"{values['bytes'] / 1e12:.2f} TB, {values['moves']:,.0f} moves, {cpu_s:.1f} CPU s"
    told = f"bytes {of_bytes:.3f} ×, moves {of_counts:.2f} × of counts"
    told = f"{plural(outside, 'load')} outside, {told}" if outside else told
    return [Row(work, aim, figure, told, "", passed(good))]


def forced_by_counts(state: Cluster, percent: int) -> int:
    """The fewest moves that the band of counts alone asks for."""
    problem = build_problem(state, Request(balance=(f"count:{percent}:{percent}",)))
    (count,) = loads_of(problem)
    return Bounds(problem).cost(count, np.ones_like(count.weight), 0)


def disks(scratch: Path) -> Rows:
    """The published counts of 40 brokers (Wix Engineering, "4 steps for kafka rebalance"), with sizes."""
    state = with_loads(read_sources([FLEET / "growth"]), 1.5)
    plan, cpu_s = timed(state, Request(balance=("disk:1:1",)))
    values = {level.goal: level.value or 0 for level in plan.certificate}
    bound = max(level.lower_bound or 0 for level in plan.certificate if level.goal == "bytes")
    of_bytes = values["bytes"] / max(1, bound)
    good = values["disk"] == 0 and of_bytes <= 1.01 and cpu_s <= 15
    figure = f"{values['bytes'] / 1e12:.2f} TB, {values['moves']:,.0f} moves, {cpu_s:.1f} CPU s"
    work = "disks within 1 %, 87,859 x 40, sigma 1.5"
    return [Row(work, "all bands, bytes 1.01 ×, 15 CPU s", figure, f"{of_bytes:.4f} ×", "", passed(good))]


def timed(state: Cluster, request: Request) -> tuple[Plan, float]:
    """The plan and the CPU seconds that it took, user and system, its solvers' processes included."""
    start = time.process_time() + children_cpu_s()
    plan = make_plan(state, request)
    return plan, time.process_time() + children_cpu_s() - start


ROWS: dict[str, Measure] = {
    "loads/10": partial(together, 1.5, 10, 1.08),
    "loads/10-even": partial(together, 1.0, 10, 1.08),
    "loads/10-skewed": partial(together, 1.8, 10, 1.08),
    "loads/2": partial(together, 1.5, 2, 1.05),
    "loads/2-even": partial(together, 1.0, 2, 1.05),
    "loads/2-skewed": partial(together, 1.8, 2, 1.05),
    "loads/disk": disks,
}
