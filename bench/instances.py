"""Seeded clusters to measure on: anyone who runs this gets the same ones."""

from __future__ import annotations

import json
from dataclasses import astuple, dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Brokers, Cluster, build_cluster
from equipoise.formats.kafka_json import reassignment_json

SEED = 20_240_601
INPUTS = Path(__file__).parent / "out" / "inputs"
"""Where the files of clusters are kept from one run to the next."""
UNEQUAL = "0010120101"
"""Racks of 50, 30 and 20 % of the brokers; see `Shape.in_ten`."""
MEAN_BYTES = 2e9


@dataclass(frozen=True)
class Shape:
    """What a cluster looks like before anything is asked of it."""

    partitions: int
    brokers: int
    racks: int = 3
    """1: none."""
    topics: int = 10
    sizes: str = "even"
    """Of topics: ``even``; ``pareto``; ``huge``: one has a third of all partitions."""
    new: int = 0
    """Brokers that hold nothing yet."""
    factor: int = 3
    spread: float = 0.1
    """Brokers have held a share of their own, up to so much above or below the mean."""
    in_ten: str = ""
    """Racks of each ten brokers, in their order; empty: racks take turns."""
    keeps_racks: bool = True
    """At most one replica of a partition in each rack."""
    known: bool = False
    """Sizes of replicas are known."""
    sigma: float = 1.0
    """Of their logarithm."""


def cluster(partitions: int, brokers: int, racks: int, topics: int, *, new: int = 0, rf: int = 3) -> Cluster:
    """Partitions spread unevenly over all brokers but the ``new`` ones; with racks, one replica in each."""
    return cluster_of(Shape(partitions, brokers, racks, topics, new=new, factor=rf))


def cluster_of(shape: Shape) -> Cluster:
    """The cluster of a shape; brokers are numbered from 0."""
    rng = np.random.default_rng(SEED)
    rack = racks_of(shape)
    names = {} if shape.racks == 1 else {broker: f"zone-{rack[broker]}" for broker in range(shape.brokers)}
    kept = shape.racks > 1 and shape.keeps_racks
    replicas = one_in_each_rack(shape, rng, rack) if kept else anywhere(shape, rng)
    topic = topics_of(shape, rng)
    number = np.arange(shape.partitions) - np.searchsorted(topic, np.arange(shape.topics))[topic]
    topics = np.array([f"topic-{t:05d}" for t in range(shape.topics)], dtype=object)[topic]
    drawn = np.round(rng.lognormal(np.log(MEAN_BYTES), shape.sigma, shape.partitions))
    sizes = drawn if shape.known else None
    brokers = Brokers.of(np.arange(shape.brokers), names)
    return build_cluster("bench", brokers, topics, number, replicas, size_bytes=sizes)


def racks_of(shape: Shape) -> npt.NDArray[np.int64]:
    """The rack of each broker, ``(n_brokers,)``."""
    at = np.arange(shape.brokers)
    turns = np.array([int(rack) for rack in shape.in_ten] or range(shape.racks))
    return turns[at % len(turns)]


def one_in_each_rack(
    shape: Shape, rng: np.random.Generator, rack_of: npt.NDArray[np.int64]
) -> npt.NDArray[np.int32]:
    """``(n_partitions, factor)`` brokers, each in a rack of its own."""
    old = np.arange(shape.brokers - shape.new)
    order = np.argsort(rng.random((shape.partitions, shape.racks)), axis=1)[:, : shape.factor]
    replicas = np.empty((shape.partitions, shape.factor), dtype=np.int32)
    for rack in range(shape.racks):
        members = old[rack_of[old] == rack]
        weight = share(shape, rng, len(members))
        rows, at = np.nonzero(order == rack)
        replicas[rows, at] = rng.choice(members, len(rows), p=weight / weight.sum())
    return replicas


def anywhere(shape: Shape, rng: np.random.Generator) -> npt.NDArray[np.int32]:
    """``(n_partitions, factor)`` brokers, whatever their racks."""
    n_old = shape.brokers - shape.new
    keys = rng.random((shape.partitions, n_old)) ** (1 / share(shape, rng, n_old))
    return np.argpartition(-keys, shape.factor, axis=1)[:, : shape.factor].astype(np.int32)


def share(shape: Shape, rng: np.random.Generator, n: int) -> npt.NDArray[np.float64]:
    return rng.random(n) * (2 * shape.spread) + (1 - shape.spread)


def topics_of(shape: Shape, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """The topic of each partition, ascending."""
    n = shape.partitions
    if shape.sizes == "even":
        return np.sort(rng.integers(0, shape.topics, n))
    if shape.sizes == "huge":
        first = n // 3
        small = rng.integers(1, shape.topics, n - first)
        return np.sort(np.concatenate([np.zeros(first, dtype=np.int64), small]))
    weight = rng.pareto(1.2, shape.topics) + 0.02
    return np.sort(rng.choice(shape.topics, n, p=weight / weight.sum()))


def folder_of(shape: Shape) -> Path:
    """The folder with the cluster's files, as `equipoise plan` reads them; made once."""
    maker = sha256(Path(__file__).read_bytes() + repr(astuple(shape)).encode()).hexdigest()[:12]
    folder = INPUTS / f"{shape.partitions}x{shape.brokers}-{maker}"
    if not folder.exists():
        write(cluster_of(shape), half := folder.with_suffix(".part"))
        half.rename(folder)
    return folder


def write(cluster: Cluster, folder: Path) -> Path:
    """The cluster as the files that `equipoise plan` reads."""
    folder.mkdir(parents=True, exist_ok=True)
    ids = cluster.ids_of(cluster.replicas)
    text = reassignment_json(cluster.topics, cluster.topic_idx, cluster.partition, ids)
    (folder / "current.json").write_bytes(text)
    rows = [
        f"{broker},{rack or ''}"
        for broker, rack in zip(cluster.brokers.ids, cluster.brokers.racks, strict=True)
    ]
    (folder / "brokers.csv").write_text("broker,rack\n" + "\n".join(rows) + "\n")
    if not np.isnan(cluster.size_bytes).all():
        (folder / "log-dirs.json").write_text(log_dirs(cluster))
    return folder


def log_dirs(cluster: Cluster) -> str:
    """Sizes as `kafka-log-dirs --describe` prints them."""
    held: dict[int, list[dict[str, object]]] = {int(broker): [] for broker in cluster.brokers.ids}
    for row, (brokers, size) in enumerate(
        zip(cluster.ids_of(cluster.replicas).tolist(), cluster.size_bytes.tolist(), strict=True)
    ):
        for broker in brokers:
            held[broker].append({"partition": cluster.label(row), "size": int(size), "isFuture": False})
    dirs = [
        {"broker": broker, "logDirs": [{"logDir": "/data", "error": None, "partitions": partitions}]}
        for broker, partitions in held.items()
    ]
    return json.dumps({"version": 1, "brokers": dirs})


def describe(cluster: Cluster, file: Path) -> Path:
    """The cluster as `kafka-topics --describe` prints it."""
    ids, starts = cluster.ids_of(cluster.replicas), cluster.topic_start
    with file.open("w") as text:
        for name, start, stop in zip(cluster.topics, starts, starts[1:], strict=False):
            rf = int((ids[start:stop] >= 0).sum(axis=1).max(initial=0))
            counts = f"PartitionCount: {stop - start}\tReplicationFactor: {rf}"
            text.write(f"Topic: {name}\tTopicId: none\t{counts}\tConfigs: \n")
            for number, row in zip(cluster.partition[start:stop], ids[start:stop], strict=True):
                held = ",".join(map(str, row[row >= 0]))
                text.write(
                    f"\tTopic: {name}\tPartition: {number}\tLeader: {row[0]}\tReplicas: {held}\tIsr: {held}\n"
                )
    return file
