"""Before anything is done: where each move stands, and what speaks against starting."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

from equipoise.execution.instructions import Health, Surveyed
from equipoise.execution.memory import Memory
from equipoise.execution.moves import Job, Move
from equipoise.execution.port import Failure, TopicPartition


@dataclass
class Standing:
    """Every move of a job in one of these, or a reason in ``drifted``."""

    pending: list[Move] = field(default_factory=list)
    flying: list[Move] = field(default_factory=list)
    """Submitted by an earlier run and still moving to where this job wants them."""
    done: list[Move] = field(default_factory=list)
    gone: list[Move] = field(default_factory=list)
    """Of topics of an earlier run that were deleted since, or deleted and created anew."""
    opposed: list[Move] = field(default_factory=list)
    """Ours, moving the other way: to be cancelled before this job can begin (roll back)."""
    unrestored: list[Move] = field(default_factory=list)
    """Cancelled by an earlier run before it could restore the order."""
    skipped: list[Move] = field(default_factory=list)
    """Given up by an earlier run, and not where they could be begun again."""
    drifted: list[str] = field(default_factory=list)


def standing(job: Job, memory: Memory, seen: Surveyed) -> Standing:
    """Where each move stands; what an earlier run of ours did is told from what others did."""
    found = Standing()
    for move in job.moves:
        where, difference = place_of(move, job, memory, seen)
        if difference and move.partition in memory.given_up:
            found.skipped.append(move)
            continue
        if difference:
            found.drifted.append(difference)
            continue
        state = seen.partitions.get(move.partition)
        if where == "pending" and state is not None:  # it may start from where a cancel or a retarget left it
            move = replace(move, before=state.replicas)
        getattr(found, where).append(move)
    return found


def place_of(move: Move, job: Job, memory: Memory, seen: Surveyed) -> tuple[str, str]:
    """The list of :class:`Standing` that a move belongs to, or what differs."""
    name = move.partition
    state, moving = seen.partitions.get(name), seen.reassignments.get(name)
    ours = memory.submitted.get(name)
    known = memory.topic_ids.get(name.topic)
    if state is None:
        return ("gone", "") if known or ours is not None else ("", f"{name}: the partition does not exist")
    if known and state.topic_id and known != state.topic_id:
        return "gone", ""
    if moving is not None:
        if ours is None or moving.target != ours:
            mine = moving.target in (move.before, move.after)
            also = ", as this plan would: --adopt takes it up" if mine else ""
            return "", f"{name}: somebody else is moving it to {shown(moving.target)}{also}"
        heading = ours == move.after or (job.operation == "apply" and ours != move.before)
        return ("flying" if heading else "opposed"), ""
    if name in memory.cancelled and state.replicas != memory.cancelled[name]:
        return "unrestored", ""
    if state.replicas == move.after and (memory.begun or job.operation == "rollback"):
        return "done", ""
    if job.operation == "apply" and ours is not None and state.replicas == ours != move.before:
        return "done", ""
    left_by_us = ours is not None and state.replicas in (ours, memory.cancelled.get(name))
    # whoever cancels one of our moves leaves the replicas that it began with in another order
    reordered = ours is not None and sorted(state.replicas) in (sorted(move.before), sorted(move.after))
    if state.replicas == move.before or left_by_us or reordered:
        return "pending", ""
    return "", f"{name}: has {shown(state.replicas)}, the plan was made from {shown(move.before)}"


def wrong_cluster(job: Job, seen: Surveyed) -> list[str]:
    """The one objection that makes all others pointless."""
    if job.cluster_id is None or job.cluster_id == seen.cluster.cluster_id:
        return []
    return [f"this is cluster {seen.cluster.cluster_id}, the plan was made for {job.cluster_id}"]


def objections(found: Standing, seen: Surveyed) -> Iterator[str]:
    """What speaks against a first start: brokers that cannot receive, moves of others.

    A run that is taken up waits for these instead: what it has in flight is not to be left alone.
    """
    receivers = {broker for move in (*found.pending, *found.flying) for broker in move.adding}
    yield from broken_brokers(receivers, seen)
    mine = {move.partition for move in (*found.flying, *found.opposed)}
    for name in sorted(seen.reassignments.keys() - mine):
        target = shown(seen.reassignments[name].target)
        yield f"{name}: somebody else is moving it to {target}; wait until that is over"


def broken_brokers(receivers: set[int], seen: Surveyed) -> Iterator[str]:
    """Brokers that are to receive copies and cannot."""
    known = {broker.id: broker for broker in seen.cluster.brokers}
    for broker in sorted(receivers):
        dirs = seen.dirs.get(broker, ())
        if broker not in known:
            yield f"broker {broker} is to receive replicas and is not in the cluster"
        elif known[broker].fenced or isinstance(dirs, Failure):
            yield f"broker {broker} is to receive replicas and is down"
        elif dirs and all(one.error is not None for one in dirs):
            yield f"broker {broker} is to receive replicas and all its log dirs have failed"
        elif dirs and all(one.cordoned or one.error is not None for one in dirs):
            yield f"broker {broker} is to receive replicas and is cordoned"


def sickness(
    health: Health,
    moves: Mapping[TopicPartition, Move],
    flying: Collection[TopicPartition],
    *,
    despite: bool = False,
) -> list[str]:
    """What is not well and is not about to be mended by the job's own ``moves``.

    Partitions in flight may be under-replicated; with ``despite`` others may too, or be offline.
    Nothing may be under its min ISR, where writes are refused and every copy more is a burden.
    """
    mended = {name for name, missing in health.under_replicated.items() if mends(moves.get(name), missing)}
    under = health.under_min_isr - mended - health.offline
    behind = health.under_replicated.keys() - mended - health.offline - under - set(flying)
    return [
        *(f"{name} is offline" for name in sorted(() if despite else health.offline - mended)),
        *(f"{name} is under its min ISR" for name in sorted(under)),
        *(
            f"{name} is under-replicated: broker {health.under_replicated[name][0]} is not in its ISR"
            for name in sorted(() if despite else behind)
        ),
    ]


def mends(move: Move | None, missing: tuple[int, ...]) -> bool:
    """Whether a move takes away exactly the replicas that are missing in the ISR."""
    return move is not None and set(missing) <= set(move.before) - set(move.after)


def shown(replicas: tuple[int, ...]) -> str:
    return "[" + ",".join(map(str, replicas)) + "]"
