"""What log dirs tell of replicas that are to change theirs: where they lie, where they go, where room is."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence

from equipoise.execution import instructions as ask
from equipoise.execution.port import Failure, LogDir, Replica, TopicPartition

Dirs = Mapping[int, Sequence[LogDir] | Failure]
"""The log dirs of each broker, or why it does not tell."""


def look_at(replicas: Collection[Replica]) -> ask.LookIntoDirs:
    brokers = sorted({replica.broker for replica in replicas})
    names = sorted({TopicPartition(replica.topic, replica.partition) for replica in replicas})
    return ask.LookIntoDirs(tuple(brokers), tuple(names))


def label(replica: Replica) -> str:
    return f"{replica.topic}-{replica.partition} on broker {replica.broker}"


def told(found: Dirs, broker: int) -> Iterator[LogDir]:
    """The log dirs of a broker; none where it does not tell."""
    dirs = found.get(broker, ())
    yield from () if isinstance(dirs, Failure) else dirs


def is_silent(broker: int, found: Dirs) -> bool:
    return isinstance(found.get(broker, Failure("NO_ANSWER")), Failure)


def lies_in(replica: Replica, found: Dirs) -> str:
    """The log dir that a replica is in, "" where nobody tells."""
    name = TopicPartition(replica.topic, replica.partition)
    return next((one.path for one in told(found, replica.broker) if name in one.replicas), "")


def heads_for(replica: Replica, found: Dirs) -> str:
    """The log dir that a replica is being copied to, "" where it is not, or nobody tells."""
    name = TopicPartition(replica.topic, replica.partition)
    return next((one.path for one in told(found, replica.broker) if name in one.future), "")


def copied_of(replica: Replica, found: Dirs) -> int:
    """Bytes that the second copy of a replica has by now, 0 where there is none."""
    name = TopicPartition(replica.topic, replica.partition)
    copies = (one.future[name].size_bytes for one in told(found, replica.broker) if name in one.future)
    return next(copies, 0)


def is_astray(replica: Replica, path: str, found: Dirs) -> bool:
    """Whether a replica is, or will be, in another log dir than ``path``, or nobody can tell."""
    places = {lies_in(replica, found), heads_for(replica, found)}
    return is_silent(replica.broker, found) or not places <= {"", path}


def with_room(wanted: Mapping[Replica, str], found: Dirs, reserve: float) -> dict[Replica, str]:
    """Those of ``wanted`` for whose second copies there is room beside what else is on its way; what goes
    back to where it lies needs none. ``reserve``: the share of each volume that is never filled."""
    room, size = room_in(found, reserve), sizes_in(found)
    chosen = {}
    for replica, path in wanted.items():
        place = replica.broker, path
        bytes_more = 0 if lies_in(replica, found) == path else size.get(replica, 0)
        if bytes_more <= room.get(place, math.inf):
            chosen[replica] = path
            room[place] = room.get(place, math.inf) - bytes_more
    return chosen


def sizes_in(found: Dirs) -> dict[Replica, int]:
    """Bytes of each replica that is told."""
    return {
        Replica(*name, broker): copy.size_bytes
        for broker in found
        for one in told(found, broker)
        for name, copy in one.replicas.items()
    }


def room_in(found: Dirs, reserve: float) -> dict[tuple[int, str], float]:
    """Bytes that may still come to each log dir, by broker and path; none for one that does not tell."""
    room: dict[tuple[int, str], float] = {}
    size = sizes_in(found)
    for broker in found:
        for one in told(found, broker):
            place = broker, one.path
            if one.usable_bytes is not None and one.total_bytes is not None:
                room[place] = one.usable_bytes - reserve * one.total_bytes
            for name, copy in one.future.items():
                rest = size.get(Replica(*name, broker), 0) - copy.size_bytes
                room[place] = room.get(place, math.inf) - max(0, rest)
    return room
