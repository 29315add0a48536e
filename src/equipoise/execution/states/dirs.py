"""Log dirs: new replicas are told where to go before they come, the others are moved at the end."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from typing import Any

from equipoise.execution import instructions as ask
from equipoise.execution.instructions import Instruction
from equipoise.execution.moves import Move, Options
from equipoise.execution.port import ConfigValue, Failure, LogDir, Replica, Resource, TopicPartition
from equipoise.execution.run import Run, Steps
from equipoise.execution.throttling import DIR_RATE, Change, wanted_rates

Dirs = Mapping[int, Sequence[LogDir] | Failure]


def placing(run: Run, moves: Sequence[Move]) -> Steps:
    """Choose the log dirs of copies that are about to start.

    The brokers answer that they have no such replica, and remember the dir for when it comes.
    """
    if not run.job.dirs:
        return
    coming = [Replica(*move.partition, broker) for move in moves for broker in move.adding]
    chosen = {replica: run.job.dirs[replica] for replica in coming if replica in run.job.dirs}
    if chosen:
        yield ask.PlaceInDirs(chosen)


def settling(run: Run) -> Generator[Instruction, Any, list[str]]:
    """Move replicas to their log dirs, wait until they are there; returns what brokers refuse."""
    run.phase = "settling"
    waiting, started, left = dict(run.job.dirs), set[Replica](), list[str]()
    silent = Counter[int]()
    most = run.options.stuck_after_s / max(run.options.poll_s, 1e-3)
    while waiting and not run.stop:
        found: Dirs = yield look_at(waiting)
        waiting = {one: path for one, path in waiting.items() if is_astray(one, path, found)}
        mute = {broker for broker, dirs in found.items() if isinstance(dirs, Failure)}
        silent = Counter({broker: silent[broker] + 1 for broker in mute})
        for one in sorted(one for one in waiting if silent[one.broker] > most):
            left.append(f"{label(one)} may not be in {waiting.pop(one)}: the broker does not answer")
        heard = {one: path for one, path in waiting.items() if one.broker not in mute}
        new = with_room({one: path for one, path in heard.items() if one not in started}, found, run.options)
        if heard and not new and not mute and not started & heard.keys():
            left += [f"{label(one)} cannot go to {path}: there is no room" for one, path in waiting.items()]
            break
        if new:
            yield from throttling_dirs(run, {replica.broker for replica in new})
            yield from run.record("dirs", replicas=[[*replica, path] for replica, path in new.items()])
            failures: Mapping[Replica, Failure | None] = yield ask.PlaceInDirs(new)
            started.update(new)
            for replica, failure in failures.items():
                if failure is not None:
                    left.append(f"{label(replica)} cannot go to {waiting.pop(replica)} ({failure})")
        if waiting:
            yield ask.Wait(run.options.poll_s)
    return left


def look_at(replicas: Mapping[Replica, str]) -> ask.LookIntoDirs:
    brokers = sorted({replica.broker for replica in replicas})
    names = sorted({TopicPartition(replica.topic, replica.partition) for replica in replicas})
    return ask.LookIntoDirs(tuple(brokers), tuple(names))


def label(replica: Replica) -> str:
    return f"{replica.topic}-{replica.partition} on broker {replica.broker}"


def is_astray(replica: Replica, path: str, found: Dirs) -> bool:
    """Whether a replica is in another log dir of its broker than it should be, or nobody can tell."""
    dirs = found.get(replica.broker, ())
    name = TopicPartition(replica.topic, replica.partition)
    return isinstance(dirs, Failure) or any(one.path != path and name in one.replicas for one in dirs)


def with_room(wanted: Mapping[Replica, str], found: Dirs, options: Options) -> dict[Replica, str]:
    """Those of ``wanted`` for whose second copies there is room beside what else is on its way."""
    room: dict[tuple[int, str], float] = {}
    size: dict[Replica, int] = {}
    for broker, dirs in found.items():
        for one in () if isinstance(dirs, Failure) else dirs:
            size |= {Replica(*name, broker): copy.size_bytes for name, copy in one.replicas.items()}
            if one.usable_bytes is not None and one.total_bytes is not None:
                room[broker, one.path] = one.usable_bytes - options.disk_reserve * one.total_bytes
    for broker, dirs in found.items():
        for one in () if isinstance(dirs, Failure) else dirs:
            for name, copy in one.future.items():
                rest = size.get(Replica(*name, broker), 0) - copy.size_bytes
                room[broker, one.path] = room.get((broker, one.path), math.inf) - max(0, rest)
    chosen = {}
    for replica, path in wanted.items():
        place = replica.broker, path
        if size[replica] <= room.get(place, math.inf):
            chosen[replica] = path
            room[place] = room.get(place, math.inf) - size[replica]
    return chosen


def throttling_dirs(run: Run, brokers: set[int]) -> Steps:
    """The same throttle for copies between the log dirs of these brokers."""
    if run.options.throttle is None:
        return
    resources = tuple(Resource.broker(broker) for broker in sorted(brokers))
    values: Mapping[Resource, Mapping[str, ConfigValue] | Failure] = yield ask.ReadConfigs(
        (DIR_RATE,), resources
    )
    change = Change()
    for resource, there in values.items():
        if not isinstance(there, Failure):
            wanted_rates(change, int(resource.name), there, run.options.throttle, run.memory, (DIR_RATE,))
    if change.saved:
        saved = {str(broker): rates for broker, rates in change.saved.items()}
        yield from run.record("rates", rate=run.options.throttle, brokers=saved)
    if change.configs:
        yield ask.AlterConfigs(change.configs)
