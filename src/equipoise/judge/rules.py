"""What a request forbids, read from its plain JSON without any help of the planner."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Brokers, Cluster
from equipoise.cluster.brokers import IntArray
from equipoise.patterns import matches

BoolArray = npt.NDArray[np.bool_]
FILL, IN_RACK = "fill-", "fill-rack"
"""What goals that keep a load below what capacity allows begin with."""


@dataclass(frozen=True, eq=False)
class Rules:
    """The hard rules for one cluster, as columns of its brokers and of its partitions."""

    eligible: BoolArray
    """``(n_brokers,)``: may hold replicas afterwards."""
    receives: BoolArray
    """May be given new ones."""
    leads: BoolArray
    """May be the preferred leader."""
    alive: BoolArray
    """Not known to be down, or assumed to be up; one that is not neither receives nor leads."""
    movable: BoolArray
    """``(n_partitions,)``: may change."""
    stuck: BoolArray
    """May not, since Kafka cannot copy it now."""
    rf: IntArray
    """``(n_partitions,)`` int32: replication factor wanted."""
    base: IntArray
    """``(n_partitions, max_rf)`` int32: the lists before, with replaced brokers exchanged."""
    pinned: BoolArray
    """Same shape: replicas in ``base`` that have to stay, which is all that a replacement holds."""
    strict_racks: bool = False
    stay_in_rack: bool = False
    leaders_only: bool = False
    tolerance: tuple[float, float] = (0.0, 0.0)
    """Sides of the replica band in percent of the share; not a rule, but what "level" means."""
    leader_tolerance: tuple[float, float] = (0.0, 0.0)
    """The same of the leader band."""
    mix: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """The loads of ``balance`` in their order, with the sides of their bands."""
    weighs: bool = False
    """Loads are levelled, not counts: bounds on those are not computed here."""
    consumption: float | None = None
    """What consumers read, as a multiple of what comes in, where no source tells it."""
    consumers_in: tuple[tuple[str, str, float], ...] = ()
    """Which part of the consumers reads in which rack: (topic, rack, part), topic "" for every other one."""
    fills: Mapping[str, float] = field(default_factory=dict)
    """Percent of capacity that moves may fill, by load."""
    rack_capacity: Mapping[str, int] = field(default_factory=dict)
    """Bytes that racks may hold, by rack."""
    max_moves: int | None = None
    max_bytes: int | None = None
    max_changes_per_partition: int | None = None

    @property
    def loads(self) -> tuple[str, ...]:
        """Names of what is levelled, what may not fill brokers first."""
        racks = (IN_RACK,) if self.rack_capacity else ()
        return (*racks, *(f"{FILL}{load}" for load in self.fills), *self.mix)


def rules_of(
    cluster: Cluster, request: Mapping[str, Any] | None = None, known: BoolArray | None = None
) -> Rules:
    """The rules of a request, given by its options' names; an empty one asks that nothing gets worse.

    ``cluster`` holds the brokers and partitions that the request adds (those with an empty list);
    brokers that are not ``known`` ``(n_brokers,)`` are not eligible for anything.
    """
    asked = dict(request or {})
    eligible = eligible_brokers(cluster, asked) & (True if known is None else known)
    alive = alive_brokers(cluster.brokers, asked)
    chosen, stuck = movable_partitions(cluster, asked), beyond_reach(cluster, alive)
    movable = chosen & ~stuck
    base = exchanged(cluster, asked, movable)
    return Rules(
        eligible=eligible,
        receives=eligible & alive & ~np.isin(cluster.brokers.ids, asked.get("cordon", ())),
        leads=eligible & alive & ~np.isin(cluster.brokers.ids, asked.get("no_leaders_on", ())),
        alive=alive,
        movable=movable,
        stuck=chosen & stuck,
        rf=wanted_rf(cluster, asked, movable),
        base=base,
        pinned=on_replacements(cluster, asked, base) & movable[:, None],
        strict_racks=asked.get("rack_rule") == "strict",
        stay_in_rack=bool(asked.get("stay_in_rack")),
        leaders_only=bool(asked.get("leaders_only")),
        tolerance=sides(asked, "count"),
        leader_tolerance=sides(asked, "leaders"),
        mix={load: sides(asked, load) for load in levelled(asked)},
        weighs=set(levelled(asked)) != {"count"} or bool(asked.get("max_fill") or asked.get("rack_capacity")),
        consumption=asked.get("consumption"),
        consumers_in=tuple((topic, rack, float(part)) for topic, rack, part in asked.get("consumers_in", ())),
        fills={spec.split(":")[0]: float(spec.split(":")[1]) for spec in asked.get("max_fill", ())},
        rack_capacity=dict(asked.get("rack_capacity", ())),
        max_moves=asked.get("max_moves"),
        max_bytes=asked.get("max_bytes"),
        max_changes_per_partition=asked.get("max_changes_per_partition"),
    )


def levelled(asked: Mapping[str, Any]) -> dict[str, tuple[float, float] | None]:
    """The loads of ``balance``, each with the sides that it names itself, as ``disk:5:10``."""
    found: dict[str, tuple[float, float] | None] = {}
    for spec in asked.get("balance") or ("count",):
        name, *own = spec.split(":")
        found[name] = (float(own[0]), float(own[-1])) if own else None
    return found


def sides(asked: Mapping[str, Any], load: str) -> tuple[float, float]:
    """Percent below and above its share that the band of a load reaches; 0 for what is not levelled so."""
    loads = levelled(asked)
    if load not in loads:
        return 0.0, 0.0
    usual = (0.0, 0.0) if loads == {"count": None} else (5.0, 5.0)
    below, above = loads[load] or asked.get("tolerance") or usual
    return below, above


def eligible_brokers(cluster: Cluster, asked: Mapping[str, Any]) -> BoolArray:
    """Brokers named by ``brokers`` (or all), with those added, without those drained or replaced."""

    def among(ids: Iterable[int]) -> BoolArray:
        return np.isin(cluster.brokers.ids, list(ids))

    chosen = asked.get("brokers")
    everyone = np.ones(cluster.n_brokers, dtype=bool)
    eligible = everyone if chosen is None else among(entry[0] for entry in chosen)
    eligible |= among(entry[0] for entry in asked.get("add", ()))
    eligible |= among(new for _, new in asked.get("replace", ()))
    return eligible & ~among((*asked.get("drain", ()), *(old for old, _ in asked.get("replace", ()))))


def alive_brokers(brokers: Brokers, asked: Mapping[str, Any]) -> BoolArray:
    """Brokers of which no source says that they are down, or which ``assume_alive`` names."""
    assumed = set(asked.get("assume_alive", ()))
    told = zip(brokers.ids.tolist(), brokers.down, strict=True)
    return np.array([why is None or broker in assumed for broker, why in told], dtype=bool)


def beyond_reach(cluster: Cluster, alive: BoolArray) -> BoolArray:
    """``(n_partitions,)``: partitions that Kafka cannot copy now.

    Every broker of the list is down, or every member of the ISR, or there is no leader; the latter is mended
    by a member of the ISR that is down and assumed to be up.
    """
    up = set(np.flatnonzero(alive).tolist())
    down = {at for at, why in enumerate(cluster.brokers.down) if why is not None}
    suspects = ~np.isin(cluster.replicas, list(up)).any(axis=1) & (cluster.rf > 0)
    suspects |= cluster.isr_told & ((cluster.leader < 0) | ~np.isin(cluster.isr, list(up)).any(axis=1))
    for row in np.flatnonzero(suspects & cluster.isr_told).tolist():
        in_sync, held = set(cluster.isr[row].tolist()), set(cluster.replicas[row].tolist())
        led = cluster.leader[row] >= 0 or in_sync & up & down
        suspects[row] = not (led and in_sync & up and held & up)
    return suspects


def movable_partitions(cluster: Cluster, asked: Mapping[str, Any]) -> BoolArray:
    """Partitions of topics that match ``topics`` and not ``exclude_topics``, and those to be created."""
    wanted, unwanted = asked.get("topics"), asked.get("exclude_topics")
    topics = np.ones(len(cluster.topics), dtype=bool)
    if wanted is not None:
        topics &= matches(wanted, cluster.topics, "--topics")
    if unwanted is not None:
        topics &= ~np.array(matches(unwanted, cluster.topics, "--exclude-topics"), dtype=bool)
    movable: BoolArray = topics[cluster.topic_idx] | (cluster.rf == 0)
    return movable


def wanted_rf(cluster: Cluster, asked: Mapping[str, Any], movable: BoolArray) -> IntArray:
    """Replication factor of each partition: as it is, as asked for, or as it is to be created with."""
    factor = None if asked.get("leaders_only") else asked.get("replication_factor")
    rf = cluster.rf.copy() if factor is None else np.where(movable, factor, cluster.rf).astype(np.int32)
    created = {topic: factor for topic, _, factor in asked.get("create", ())}
    for row in np.flatnonzero(cluster.rf == 0).tolist():
        rf[row] = created.get(cluster.topics[cluster.topic_idx[row]], 0)
    return rf


def exchanged(cluster: Cluster, asked: Mapping[str, Any], movable: BoolArray) -> IntArray:
    """The lists with each replaced broker's place taken by its successor, where that is not there already."""
    lists = cluster.replicas.copy()
    for pair in asked.get("replace", ()):
        old, new = cluster.brokers.index_of(np.asarray(pair)).tolist()
        free = movable & ~(lists == new).any(axis=1)
        lists[(cluster.replicas == old) & free[:, None]] = new
    return lists


def on_replacements(cluster: Cluster, asked: Mapping[str, Any], lists: IntArray) -> BoolArray:
    """``(n_partitions, max_rf)``: replicas on brokers that take the place of others."""
    mask = np.zeros(lists.shape, dtype=bool)
    for position in cluster.brokers.index_of([new for _, new in asked.get("replace", ())]):
        mask |= lists == position
    return mask


def rack_limits(brokers: Brokers, eligible: BoolArray, rf: IntArray, *, strict: bool) -> IntArray:
    """At most so many replicas of a partition in one rack, for each replication factor in ``rf``.

    Strict: one. Otherwise the least that the racks can keep: ceil(rf / racks), and more only where
    a rack has fewer brokers than that. Without racks there is no limit.
    """
    if not brokers.has_racks:
        return rf.astype(np.int32)
    if strict:
        return np.ones_like(rf, dtype=np.int32)
    sizes = np.bincount(brokers.rack_idx[eligible & brokers.racked], minlength=len(brokers.rack_names))
    heights = np.arange(int(max(sizes.max(initial=0), rf.max(initial=0))) + 1)
    room = np.minimum(sizes[None, :], heights[:, None]).sum(axis=1)  # with so many in each rack
    return np.minimum(np.maximum(np.searchsorted(room, rf), 1), np.maximum(rf, 1)).astype(np.int32)
