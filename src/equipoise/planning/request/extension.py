"""The cluster that a request speaks of: with brokers and partitions that it names for the first time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Brokers, Cluster, build_cluster
from equipoise.errors import UnusableInput
from equipoise.planning.problem.request import Request
from equipoise.planning.rules.draft import known
from equipoise.wording import plural


def with_brokers(cluster: Cluster, request: Request) -> Cluster:
    """The cluster with racks overridden and with the brokers that the request names for the first time."""
    old = cluster.brokers
    racks: dict[int, str | None] = dict(zip(old.ids.tolist(), old.racks, strict=True))
    override = dict(request.racks)
    racks |= {broker: rack for broker, rack in override.items() if broker in racks}
    named = [*(request.brokers or ()), *request.add]
    for broker, rack in named:
        racks[broker] = rack or racks.get(broker) or override.get(broker)
    known(cluster, tuple(old_id for old_id, _ in request.replace), "--replace")
    for old_id, new_id in request.replace:
        if racks.get(new_id) is None:
            racks[new_id] = override.get(new_id) or racks[old_id]
    has_racks = any(rack is not None for rack in racks.values())
    for broker, _ in named:
        if has_racks and racks[broker] is None and broker not in old.ids:
            raise UnusableInput(
                f"broker {broker} is new and has no rack, but the cluster has racks",
                source="--add" if any(broker == b for b, _ in request.add) else "--brokers",
                advice=f"Write {broker}:RACK",
            )

    def keep(column: npt.NDArray[np.float64]) -> dict[int, float]:
        return dict(zip(old.ids.tolist(), column.tolist(), strict=True))

    brokers = Brokers.of(
        list(racks),
        racks,
        disk_bytes=keep(old.disk_bytes),
        bytes_in_per_s=keep(old.bytes_in_per_s),
        bytes_out_per_s=keep(old.bytes_out_per_s),
        weight=keep(old.weight),
        down=dict(zip(old.ids.tolist(), old.down, strict=True)),
        cpu_percent=keep(old.cpu_percent),
    )
    if has_racks:
        cluster = replace(cluster, missing=tuple(fact for fact in cluster.missing if fact != "racks"))
    if np.array_equal(brokers.ids, old.ids):
        return replace(cluster, brokers=brokers)
    shift = np.append(brokers.index_of(old.ids), -1).astype(np.int32)  # position -1 stays -1
    places = {name: shift[getattr(cluster, name)] for name in ("replicas", "leader", "isr")}
    return replace(cluster, brokers=brokers, **places)


def with_partitions(cluster: Cluster, request: Request) -> Cluster:
    """The cluster with an empty list for every partition that is to be created."""
    if not request.create:
        return cluster
    size = np.diff(cluster.topic_start).tolist()
    have = dict(zip(cluster.topics, size, strict=True))
    last = dict(zip(cluster.topics, cluster.partition[cluster.topic_start[1:] - 1].tolist(), strict=True))
    names, numbers = [], []
    for topic, partitions, factor in request.create:
        if factor < 1 or partitions < 1:
            raise UnusableInput(
                f"{topic}:{partitions}:{factor} has no partitions or no replicas",
                source="--create",
                advice="Write TOPIC:PARTITIONS:RF, both at least 1",
            )
        if partitions <= have.get(topic, 0):
            raise UnusableInput(
                f"topic {topic} already has {plural(have[topic], 'partition')}",
                source="--create",
                advice="Give the number of partitions it should have in all",
            )
        if last.get(topic, -1) >= have.get(topic, 0):
            raise UnusableInput(
                f"the sources tell {have[topic]} partitions of topic {topic}, up to number {last[topic]}",
                source="--create",
                advice="Give sources that have all its partitions",
            )
        new = range(have.get(topic, 0), partitions)
        have[topic], last[topic] = partitions, partitions - 1
        names += [topic] * len(new)
        numbers += list(new)
    width = cluster.replicas.shape[1]
    ids = np.vstack([cluster.ids_of(cluster.replicas), np.full((len(names), width), -1, dtype=np.int32)])

    def more(column: np.ndarray, fill: float) -> np.ndarray:
        return np.concatenate([column, np.full(len(names), fill, dtype=column.dtype)])

    wider = build_cluster(
        cluster.name,
        cluster.brokers,
        [cluster.topics[t] for t in cluster.topic_idx] + names,
        more(cluster.partition, 0) if not names else np.concatenate([cluster.partition, numbers]),
        ids,
        leader_id=more(cluster.ids_of(cluster.leader), -1),
        size_bytes=more(cluster.size_bytes, np.nan),
        bytes_in_per_s=more(cluster.bytes_in_per_s, np.nan),
        bytes_out_per_s=more(cluster.bytes_out_per_s, np.nan),
        min_isr=more(cluster.min_isr, -1),
        cpu_percent=more(cluster.cpu_percent, np.nan),
        retention_s=more(cluster.retention_s, np.nan),
        retention_bytes=more(cluster.retention_bytes, np.nan),
        cluster_id=cluster.cluster_id,
        files=cluster.files,
        missing=cluster.missing,
        notes=cluster.notes,
        loads_from=cluster.loads_from,
        doubts=cluster.doubts,
        lacks=cluster.lacks,
        allow_empty_lists=True,
    )
    known_before = wider.rf > 0
    isr = np.full((wider.n_partitions, cluster.isr.shape[1]), -1, dtype=np.int32)
    told = np.zeros(wider.n_partitions, dtype=bool)
    isr[known_before], told[known_before] = cluster.isr, cluster.isr_told
    dirs = cluster.dirs and cluster.dirs.renumbered(np.flatnonzero(known_before))
    return replace(wider, isr=isr, isr_told=told, dirs=dirs)
