"""Clusters of any size from a shape and a seed, by NumPy alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Brokers, Cluster, build_cluster

Float64 = npt.NDArray[np.float64]
Int64 = npt.NDArray[np.int64]
CHUNK = 10_000
"""Partitions placed at a time: each draws a number for every broker."""
SHARES = {"equal": (1, 1, 1), "bad": (1, 1, 1), "unequal": (5, 3, 2)}
"""Brokers of the three racks, in proportion."""
MEAN_BYTES, MEAN_RATE = 2e9, 4e5


@dataclass(frozen=True)
class Shape:
    """What a cluster looks like before anything is asked of it."""

    partitions: int
    brokers: int
    racks: str = "equal"
    """``none``; ``equal``; ``unequal``: 50, 30 and 20 % of the brokers; ``bad``: equal, and not kept."""
    topics: str = "pareto"
    """``equal``: 20 partitions each; ``pareto``; ``tiny``: 2 each; ``huge``: one has a third of all."""
    spread: int = 40
    """Brokers have held a share of their own, up to so many percent above or below the mean."""
    factor: int = 3
    known: bool = False
    """Sizes and rates are known."""

    @property
    def label(self) -> str:
        more = "-known" if self.known else ""
        look = f"{self.racks}-{self.topics}-{self.spread}{more}"
        return f"{self.partitions}x{self.brokers}x{self.factor}-{look}"


def rack_of(shape: Shape, broker: int) -> str | None:
    """The rack of a broker, also of one that is added after the others."""
    if shape.racks == "none":
        return None
    if shape.racks != "unequal":
        return f"r{broker % 3}"
    return "r" + "0010120101"[broker % 10]  # five, three and two of any ten


def cluster_of(shape: Shape, rng: np.random.Generator) -> Cluster:
    """The cluster of a shape; brokers are numbered from 0."""
    racks = {broker: rack_of(shape, broker) for broker in range(shape.brokers)}
    sizes = topic_sizes(shape, rng)
    topic = np.repeat(np.arange(len(sizes)), sizes)
    number = np.arange(shape.partitions) - (np.cumsum(sizes) - sizes)[topic]
    names = np.array([f"t{k:05d}" for k in range(len(sizes))], dtype=object)[topic]
    figures = {}
    if shape.known:
        figures["size_bytes"] = drawn(rng, MEAN_BYTES, shape.partitions)
        figures["bytes_in_per_s"] = drawn(rng, MEAN_RATE, shape.partitions)
        figures["bytes_out_per_s"] = drawn(rng, 2 * MEAN_RATE, shape.partitions)
    brokers = Brokers.of(np.arange(shape.brokers), racks)
    return build_cluster("corpus", brokers, names, number, replicas(shape, rng), **figures)


def topic_sizes(shape: Shape, rng: np.random.Generator) -> Int64:
    """Partitions of each topic, at least 1, with the shape's partitions as their sum."""
    n = shape.partitions
    if shape.topics == "huge":
        first = max(1, n // 3)
        return np.r_[first, even(n - first, max(1, n // 20))] if n > 1 else np.array([1])
    if shape.topics != "pareto":
        return even(n, max(1, n // (2 if shape.topics == "tiny" else 20)))
    share = rng.pareto(1.2, max(1, n // 20)) + 0.02
    sizes = np.maximum(1, (share / share.sum() * n).astype(np.int64))
    sizes[0] += max(0, n - sizes.sum())
    cut: Int64 = np.diff(np.minimum(np.cumsum(sizes), n), prepend=0)
    return cut[cut > 0]


def even(n: int, parts: int) -> Int64:
    """``n`` in ``parts`` that differ by 1 at most; no part is empty."""
    ends: Int64 = np.linspace(0, n, min(n, parts) + 1).astype(np.int64)
    return ends[1:] - ends[:-1]


def drawn(rng: np.random.Generator, mean: float, n: int) -> Float64:
    """Whole lognormal figures."""
    return np.round(rng.lognormal(np.log(mean), 1.0, n))


def replicas(shape: Shape, rng: np.random.Generator) -> Int64:
    """``(n_partitions, factor)`` brokers."""
    share = 1 + shape.spread / 100 * rng.uniform(-1, 1, shape.brokers)
    starts = range(0, shape.partitions, CHUNK)
    return np.concatenate([placed(shape, rng, share, min(CHUNK, shape.partitions - at)) for at in starts])


def placed(shape: Shape, rng: np.random.Generator, share: Float64, n: int) -> Int64:
    """Brokers of ``n`` partitions, drawn by their share; one in each rack first, where racks are kept.

    The largest of the logarithm plus Gumbel noise is a draw in proportion (Gumbel-max).
    """
    key = np.log(share) + rng.gumbel(size=(n, shape.brokers))
    if shape.racks in ("equal", "unequal"):
        rack = np.array([rack_of(shape, broker) for broker in range(shape.brokers)])
        for name in np.unique(rack):
            mine = np.flatnonzero(rack == name)
            best = mine[key[:, mine].argmax(axis=1)]
            key[np.arange(n), best] += 1e3 + rng.random(n)  # before all others, racks in any order
    best = np.argsort(-key, axis=1, kind="stable")[:, : shape.factor]
    return rng.permuted(best, axis=1)
