"""Bin packing by what a broker can bear: disk, and the network that size and retention imply.

"Constraint Based Kafka Partition Balancing", sections "Basic Model" and "Objectives": each broker's
capacity holds, each replica is placed, none beside its own kind; a 0-1 variable a broker says that it
is at capacity. A replica of size s under a retention of t seconds takes s / t bytes a second. The text
names no objective beyond using least resources; here as few brokers as can be are at capacity (above
their share of the total by more than the tolerance), and of those packings one that keeps most in place.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.cluster.brokers import IntArray
from equipoise.cluster.rates import inbound
from equipoise.planning.problem.problem import Problem
from equipoise.planning.published.helpers import broker_names, lists_of, matrix_of, movable_rows, sizes
from equipoise.planning.published.interface import NoPlan
from equipoise.planning.published.mixed_integer import held_now
from equipoise.planning.published.programs import Program
from equipoise.planning.published.settings import Settings

name = "capacity"

Float = npt.NDArray[np.float64]
UNITS = {"disk": " GiB", "network": " MiB/s"}


def run(problem: Problem, settings: Settings) -> IntArray:
    """The packing; kept replicas keep their order, new ones come last by id."""
    lists, rows = lists_of(problem), movable_rows(problem)
    chosen, _ = build(problem, settings).solve(settings.time_limit_s)
    placed = chosen[: len(rows) * problem.cluster.n_brokers].reshape(len(rows), -1)
    for row, held in zip(rows, placed, strict=True):
        brokers = np.flatnonzero(held).tolist()
        stay = [broker for broker in lists[row] if broker in brokers]
        lists[row] = [*stay, *(broker for broker in brokers if broker not in stay)]
    return matrix_of(lists)


def build(problem: Problem, settings: Settings) -> Program:
    """``x`` (partition by partition, broker by broker), then ``y`` (one a broker)."""
    rows, n_brokers = movable_rows(problem), problem.cluster.n_brokers
    if len(rows) * n_brokers > settings.max_variables:
        raise NoPlan(f"its program would have {len(rows) * n_brokers} variables")
    kept = held_now(problem)[rows].astype(np.float64)
    partition, broker = np.indices(kept.shape)
    x, y = partition * n_brokers + broker, kept.size + np.arange(n_brokers)
    at_capacity = np.full(n_brokers, -(kept.sum() + 1))  # one broker fewer outweighs every replica kept
    names = [f"x{row}_{k}" for row in rows for k in range(n_brokers)] + [f"y{k}" for k in range(n_brokers)]
    program = Program(names, np.concatenate([kept.ravel(), at_capacity]))
    for what, load, capacity in loads(problem):
        share, limit = shares(problem, load, capacity)
        # One row says both: load + (share - limit) y is at most
        # share, so y = 0 leaves the share and y = 1 the limit.
        program.add(f"No broker above its {what}, nor above its share unless at capacity",
                    np.concatenate([broker.ravel(), np.arange(n_brokers)]), np.concatenate([x.ravel(), y]),
                    -np.inf, share, np.concatenate([np.repeat(load[rows], n_brokers), share - limit]),
                    names=broker_names(problem), unit=UNITS[what], most=limit)
    program.add("Every replica placed", partition, x, problem.rf[rows], problem.rf[rows])
    program.add("None on brokers that may hold none, nor beside itself",
                np.arange(x.size), x, 0, np.tile(problem.eligible, len(rows)))
    return program


def loads(problem: Problem) -> list[tuple[str, Float, Float]]:
    """(what, load of one replica, capacity of each broker): disk in GiB, network in MiB a second.

    Where neither a source nor size and retention tell a rate, the partition counts for its disk alone.
    """
    size, cluster = sizes(problem), problem.cluster
    rate = inbound(cluster)
    known = [("disk", size / 2**30, cluster.brokers.disk_bytes / 2**30)]
    if not np.isnan(rate).all():
        known.append(("network", np.nan_to_num(rate) / 2**20, cluster.brokers.bytes_in_per_s / 2**20))
    return known


def shares(problem: Problem, load: Float, capacity: Float) -> tuple[Float, Float]:
    """What a broker holds in a level cluster and the tolerance more, and what it can hold at most.

    Both less what it holds of partitions that may not change.
    """
    tolerance = (problem.request.tolerance or (5.0, 5.0))[1]
    total = float((problem.rf * load).sum())
    weight = problem.eligible * (capacity if not np.isnan(capacity[problem.eligible]).any() else 1.0)
    weight = np.where(problem.eligible, weight, 0.0)
    share = total * weight / weight.sum() * (1 + tolerance / 100)
    limit = np.where(np.isnan(capacity), total, capacity) * problem.eligible
    fixed = held_now(problem)[~problem.movable].T @ load[~problem.movable]
    return np.maximum(np.minimum(share, limit) - fixed, 0), np.maximum(limit - fixed, 0)
