"""The rules of a request, checked one partition at a time in plain loops; no help of planner or judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import isnan

from tests.reference import racks
from tests.reference.counting import Lists, as_lists, moved

from equipoise.planning import Problem


def broken_rules(problem: Problem, lists: Lists) -> list[str]:
    """One sentence for each rule that the lists break; empty where they are a possible answer."""
    rows = range(len(lists))
    found = [text for row in rows for text in broken_by(problem, lists, row)]
    limit, used = problem.request.max_moves, sum(moved(problem, lists, row) for row in rows)
    if limit is not None and used > limit:
        found.append(f"{used} data moves, at most {limit} may be")
    limit, used = (
        problem.request.max_bytes,
        sum(size_of(problem, row) * moved(problem, lists, row) for row in rows),
    )
    if limit is not None and used > limit:
        found.append(f"{used} bytes move, at most {limit} may")
    return found


def size_of(problem: Problem, row: int) -> int:
    """Bytes of one replica; what is unknown counts as nothing."""
    size = float(problem.cluster.size_bytes[row])
    return 0 if isnan(size) else round(size)


def broken_by(problem: Problem, lists: Lists, row: int) -> Iterator[str]:
    """What one partition breaks."""
    held, name = list(lists[row]), problem.cluster.label(row)
    before, current = (as_lists([table[row]])[0] for table in (problem.cluster.replicas, problem.current))
    if not problem.movable[row]:
        if held != before:
            yield f"{name} may not change, but does"
        return
    if len(set(held)) != len(held):
        yield f"{name} has a broker twice"
    if not problem.leads[held[0]]:
        yield f"{name} is led by {held[0]}, which may not lead"
    if problem.request.leaders_only:
        if set(held) != set(current):
            yield f"{name} moves, though only leaders may change"
        return
    if len(held) != problem.rf[row]:
        yield f"{name} has {len(held)} replicas instead of {problem.rf[row]}"
    for broker in held:
        if not problem.eligible[broker]:
            yield f"{name} is on {broker}, which may hold nothing"
        if broker not in current and not problem.receives[broker]:
            yield f"{name} comes to {broker}, which may receive nothing"
    for broker, pinned in zip(problem.current[row], problem.pinned[row], strict=True):
        if pinned and broker not in held:
            yield f"{name} leaves {broker}, which took it over"
    yield from broken_in_racks(problem, row, held, current)
    limit = problem.request.max_changes_per_partition
    if limit is not None and moved(problem, lists, row) > limit:
        yield f"{name} changes {moved(problem, lists, row)} times, at most {limit} may be"


def broken_in_racks(problem: Problem, row: int, held: list[int], current: list[int]) -> Iterator[str]:
    """Rack limit and, where asked for, staying in the rack."""
    name = problem.cluster.label(row)
    above, most = racks.excess(problem, held, len(held)), racks.allowed(problem, current)
    if problem.cluster.brokers.has_racks and above > most:
        yield f"{name} has {above} replicas above its racks' limit, at most {most} may be"
    after, now = (Counter(int(problem.rack_idx[b]) for b in brokers) for brokers in (held, current))
    for rack in range(problem.n_racks):
        if problem.request.stay_in_rack:
            grows, shrinks = len(held) > len(current), len(held) < len(current)
            if (after[rack] > now[rack] and not grows) or (after[rack] < now[rack] and not shrinks):
                yield f"{name} crosses racks"
