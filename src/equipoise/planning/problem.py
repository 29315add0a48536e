"""The request laid over a cluster: what may change, where to, and the rules, frozen and checked."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from equipoise.cluster import Brokers, Cluster, build_cluster
from equipoise.cluster.brokers import IntArray, frozen
from equipoise.cluster.measures import replicas_per_rack
from equipoise.errors import UnusableInput
from equipoise.planning.request import DEFAULT_GOALS, REQUIRED_GOALS, Request
from equipoise.wording import plural

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Problem:
    """Everything a planner needs; arrays are positions in ``cluster``, not broker ids."""

    cluster: Cluster
    """The state to plan from, with added brokers and with partitions to create (empty lists)."""
    request: Request
    goals: tuple[str, ...]
    current: IntArray
    """``(n_partitions, max_rf)`` int32: the lists with replaced brokers already exchanged."""
    pinned: BoolArray
    """Same shape: replicas that must stay (all on a broker that replaces another)."""
    rf: IntArray
    """``(n_partitions,)`` int32: replication factor wanted."""
    movable: BoolArray
    """``(n_partitions,)``: False keeps the list as it is; the partition still counts as load."""
    eligible: BoolArray
    """``(n_brokers,)``: may hold replicas afterwards."""
    receives: BoolArray
    """``(n_brokers,)``: may receive new replicas (eligible and not cordoned)."""
    leads: BoolArray
    """``(n_brokers,)``: may be the preferred leader of a partition."""
    limit: IntArray
    """``(n_partitions,)`` int32: at most so many replicas in one rack, once mended."""
    warnings: tuple[str, ...] = ()

    @property
    def rack_idx(self) -> IntArray:
        return self.cluster.brokers.rack_idx

    @property
    def n_racks(self) -> int:
        return len(self.cluster.brokers.rack_names)

    @property
    def weighs(self) -> bool:
        """True where loads are levelled rather than counts."""
        request = self.request
        if request.balance == ("count",) or request.strategy != "flow":
            return False
        return "replicas" in self.goals or (request.leaders_only and "network-out" in request.balance)


def build_problem(cluster: Cluster, request: Request) -> Problem:
    """Lay ``request`` over ``cluster``; raises :class:`UnusableInput` for what cannot be meant."""
    warnings: list[str] = []
    extended = with_partitions(with_brokers(cluster, request), request)
    brokers = extended.brokers
    refuse_unknown_sizes(extended, request)
    eligible = eligible_brokers(extended, request)
    receives = eligible.copy()
    receives[known(extended, request.cordon, "--cordon")] = False
    refuse_contradictions(request)
    leads = eligible.copy()
    leads[known(extended, request.no_leaders_on, "--no-leaders-on")] = False

    movable = chosen_topics(extended, request)[extended.topic_idx]
    current, pinned = exchange(extended, request, movable)
    rf = extended.rf.copy()
    wanted = {topic: factor for topic, _, factor in request.create}
    if request.replication_factor is not None:
        if request.replication_factor < 1:
            raise UnusableInput(
                f"a replication factor of {request.replication_factor} is not possible",
                source="--replication-factor",
                advice="Give 1 or more",
            )
        rf[movable] = request.replication_factor
    for row in np.flatnonzero(extended.rf == 0):
        rf[row] = wanted[extended.topics[extended.topic_idx[row]]]
        movable[row] = True
    if request.leaders_only:
        if request.replication_factor is not None or request.create or request.replace:
            raise UnusableInput(
                "moves no data",
                source="--leaders-only",
                advice="Leave out --replication-factor, --create and --replace",
            )
        stuck = ~eligible[np.maximum(current, 0)] & (current >= 0) & movable[:, None]
        if stuck.any():
            warnings.append("--leaders-only moves no data: replicas on brokers to be emptied stay there")

    stay = ~movable[:, None] & (current >= 0) & ~eligible[np.maximum(current, 0)]
    if stay.any():
        ids = ", ".join(str(i) for i in np.unique(extended.ids_of(current[stay])))
        warnings.append(
            f"{plural(int(stay.sum()), 'replica')} of topics that may not change "
            f"{'stays' if stay.sum() == 1 else 'stay'} on brokers to be emptied ({ids})"
        )
    alone = [int(i) for i, rack in zip(brokers.ids, brokers.racks, strict=True) if rack is None]
    if brokers.has_racks and alone:
        warnings.append(f"brokers without a rack count as a rack of their own: {', '.join(map(str, alone))}")
    return Problem(
        cluster=extended,
        request=request,
        goals=ordered_goals(request, lowered=bool((rf < extended.rf).any())),
        current=frozen(current, np.int32),
        pinned=frozen(pinned, np.bool_),
        rf=frozen(rf, np.int32),
        movable=frozen(movable, np.bool_),
        eligible=frozen(eligible, np.bool_),
        receives=frozen(receives, np.bool_),
        leads=frozen(leads, np.bool_),
        limit=frozen(rack_limits(brokers, eligible, rf, request.rack_rule), np.int32),
        warnings=tuple(warnings),
    )


def ordered_goals(request: Request, *, lowered: bool) -> tuple[str, ...]:
    """The goals asked for, then the costs that make a second run empty whatever the goals.

    Where a replication factor is ``lowered`` the racks come first, asked for or not: fewer replicas may be
    in one rack then, and where the rule holds it has to hold afterwards.
    """
    if request.goals is not None:
        asked = request.goals
    elif request.leaders_only:
        asked = ("leaders", "elections", "topic-leaders")
    elif request.required_only or only_replaces(request):
        asked = REQUIRED_GOALS
    else:
        asked = DEFAULT_GOALS
    if request.leaders_only:
        asked = tuple(goal for goal in asked if goal not in ("racks", "replicas", "moves", "topics"))
        return (*asked, *(cost for cost in ("elections",) if cost not in asked))
    first = ("racks",) if lowered and "racks" not in asked else ()
    return (*first, *asked, *(cost for cost in ("moves", "elections") if cost not in asked))


def only_replaces(request: Request) -> bool:
    """True where a one-for-one replacement is all that is asked: then nothing else moves."""
    return bool(request.replace) and not (
        request.brokers or request.add or request.drain or request.replication_factor or request.create
    )


def known(cluster: Cluster, ids: tuple[int, ...], option: str) -> IntArray:
    """Positions of brokers that an option names; raises where one does not exist."""
    positions = cluster.brokers.index_of(np.array(ids, dtype=np.int32))
    for broker, at in zip(ids, positions, strict=True):
        if at < 0:
            have = ", ".join(str(i) for i in cluster.brokers.ids[:20])
            more = ", ..." if len(cluster.brokers) > 20 else ""
            raise UnusableInput(
                f"there is no broker {broker}", source=option, advice=f"The cluster has brokers {have}{more}"
            )
    return positions


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
    )
    if np.array_equal(brokers.ids, old.ids):
        return replace(cluster, brokers=brokers)
    shift = np.append(brokers.index_of(old.ids), -1).astype(np.int32)  # position -1 stays -1
    return replace(cluster, brokers=brokers, replicas=shift[cluster.replicas], leader=shift[cluster.leader])


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

    return build_cluster(
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
        retention_s=more(cluster.retention_s, np.nan),
        cluster_id=cluster.cluster_id,
        files=cluster.files,
        missing=cluster.missing,
        notes=cluster.notes,
        allow_empty_lists=True,
    )


def refuse_contradictions(request: Request) -> None:
    """Raise for a broker that one option brings in and another keeps out."""
    successors, added = [new for _, new in request.replace], [new for new, _ in request.add]
    for option, comers, against, closed, problem in (
        ("--replace", successors, "--drain", request.drain, "cannot replace another and be drained"),
        ("--replace", successors, "--cordon", request.cordon, "is cordoned and cannot replace another"),
        ("--add", added, "--drain", request.drain, "cannot be added and drained"),
    ):
        for broker in comers:
            if broker in closed:
                advice = f"Take {broker} out of {against}"
                raise UnusableInput(f"broker {broker} {problem}", source=option, advice=advice)


def refuse_unknown_sizes(cluster: Cluster, request: Request) -> None:
    """Raise where ``--max-bytes`` could not be kept, for nobody knows how much a move would carry."""
    unknown = np.flatnonzero(np.isnan(cluster.size_bytes) & (cluster.rf > 0))
    if request.max_bytes is not None and len(unknown):
        raise UnusableInput(
            f"the sizes of {plural(len(unknown), 'partition')} are not known "
            f"({cluster.label(int(unknown[0]))} is the first)",
            source="--max-bytes",
            advice="kafka-log-dirs --describe gives sizes",
        )


def eligible_brokers(cluster: Cluster, request: Request) -> BoolArray:
    """``(n_brokers,)``: brokers that may hold replicas afterwards."""
    ids = cluster.brokers.ids
    if request.brokers is None:
        eligible = np.ones(len(ids), dtype=bool)
    else:
        eligible = np.isin(ids, [broker for broker, _ in request.brokers])
    eligible |= np.isin(ids, [broker for broker, _ in request.add])
    eligible |= np.isin(ids, [new for _, new in request.replace])
    gone = (*request.drain, *(old for old, _ in request.replace))
    eligible[known(cluster, gone, "--drain")] = False
    if not eligible.any():
        raise UnusableInput(
            "no broker is left to hold replicas",
            source="--drain" if gone else "--brokers",
            advice="Keep at least one broker",
        )
    return eligible


def chosen_topics(cluster: Cluster, request: Request) -> BoolArray:
    """``(n_topics,)``: topics that may change."""
    chosen = np.ones(len(cluster.topics), dtype=bool)
    for pattern, option, value in (
        (request.topics, "--topics", True),
        (request.exclude_topics, "--exclude-topics", False),
    ):
        if pattern is None:
            continue
        try:
            regex = re.compile(pattern)
        except re.error as error:
            raise UnusableInput(f"'{pattern}' is not a regular expression ({error})", source=option) from None
        matches = np.array([regex.fullmatch(topic) is not None for topic in cluster.topics], dtype=bool)
        if value and not matches.any():
            raise UnusableInput(
                f"no topic matches '{pattern}'", source=option, advice="It has to match the whole name"
            )
        chosen &= matches if value else ~matches
    return chosen


def exchange(cluster: Cluster, request: Request, movable: BoolArray) -> tuple[IntArray, BoolArray]:
    """The lists with each replaced broker exchanged in place, and a mask of what has to stay.

    That is all that stands on a successor then, what it held before as well: a second run sees the
    same lists and cannot tell what was taken over from what was there.
    """
    current = cluster.replicas.copy()
    pinned = np.zeros(current.shape, dtype=bool)
    for old_id, new_id in request.replace:
        old, new = (int(cluster.brokers.index_of(np.array([i]))[0]) for i in (old_id, new_id))
        free = movable & ~(current == new).any(axis=1)
        current[(cluster.replicas == old) & free[:, None]] = new
        pinned |= (current == new) & movable[:, None]
    return current, pinned


def rack_limits(brokers: Brokers, eligible: BoolArray, rf: IntArray, rule: str) -> IntArray:
    """The most replicas of a partition in one rack, ``(n_partitions,)``.

    ``spread``: the smallest limit that the eligible brokers can keep, which is ceil(rf / racks)
    unless a rack has fewer brokers than that. ``strict``: 1.
    """
    if not brokers.has_racks:
        return np.maximum(rf, 1)
    if rule == "strict":
        return np.ones_like(rf)
    sizes = np.bincount(brokers.rack_idx[eligible], minlength=len(brokers.rack_names))
    limits = np.ones(int(rf.max(initial=1)) + 1, dtype=np.int32)
    for factor in range(1, len(limits)):
        limit = -(-factor // max(1, int((sizes > 0).sum())))
        while np.minimum(sizes, limit).sum() < factor and limit < factor:
            limit += 1
        limits[factor] = limit
    return limits[rf]


def rack_excess(problem: Problem, replicas: IntArray) -> npt.NDArray[np.int32]:
    """``(n_partitions, n_racks)``: replicas above the limit."""
    counts = replicas_per_rack(replicas, problem.rack_idx, problem.n_racks)
    return np.maximum(counts - problem.limit[:, None], 0)
