"""The rules of a request, checked one partition at a time in plain loops; no help of planner or judge.

Each rule has its function under its name in one of two registries: of what one partition can break by itself,
and of what all break together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from tests.reference import racks
from tests.reference.counting import CAPACITY, LEADS, Lists, as_lists, moved, size_of, weight_of

from equipoise.planning import Problem

MILLION = 1_000_000
"""Parts of a percent of CPU that are counted."""


def broken_rules(problem: Problem, lists: Lists) -> list[str]:
    """One sentence for each rule that the lists break; empty where they are a possible answer."""
    alone = [text for row in range(len(lists)) for text in broken_by(problem, lists, row)]
    return alone + [text for rule in OF_ALL.values() for text in rule(problem, lists)]


def broken_by(problem: Problem, lists: Lists, row: int) -> Iterator[str]:
    """What one partition breaks."""
    if not problem.movable[row]:
        rule = "assume-alive" if problem.stuck[row] else "topics"
        yield from OF_PARTITION[rule](problem, lists, row)
        return
    if len(set(lists[row])) != len(lists[row]):
        yield f"{problem.cluster.label(row)} has a broker twice"
    names = ("no-leaders-on", "leaders-only") if problem.request.leaders_only else OF_PARTITION
    for rule in dict.fromkeys(OF_PARTITION[name] for name in names):  # some close the same, and share one
        if rule is not stays_as_it_is:
            yield from rule(problem, lists, row)


def current_of(problem: Problem, row: int) -> list[int]:
    """The list with replaced brokers exchanged."""
    return as_lists([problem.current[row]])[0]


# of a partition


def stays_as_it_is(problem: Problem, lists: Lists, row: int) -> Iterator[str]:
    if list(lists[row]) != as_lists([problem.cluster.replicas[row]])[0]:
        yield f"{problem.cluster.label(row)} may not change, but does"


def leader_may_lead(problem: Problem, lists: Lists, row: int) -> Iterator[str]:
    if not problem.leads[lists[row][0]]:
        yield f"{problem.cluster.label(row)} is led by {lists[row][0]}, which may not lead"


def order_alone(problem: Problem, lists: Lists, row: int) -> Iterator[str]:
    if problem.request.leaders_only and set(lists[row]) != set(current_of(problem, row)):
        yield f"{problem.cluster.label(row)} moves, though only leaders may change"


def as_many_as_wanted(problem: Problem, lists: Lists, row: int) -> Iterator[str]:
    if len(lists[row]) != problem.rf[row]:
        name = problem.cluster.label(row)
        yield f"{name} has {len(lists[row])} replicas instead of {problem.rf[row]}"


def on_eligible_brokers(problem: Problem, lists: Lists, row: int) -> Iterator[str]:
    for broker in lists[row]:
        if not problem.eligible[broker]:
            yield f"{problem.cluster.label(row)} is on {broker}, which may hold nothing"


def to_receiving_brokers(problem: Problem, lists: Lists, row: int) -> Iterator[str]:
    for broker in set(lists[row]) - set(current_of(problem, row)):
        if not problem.receives[broker]:
            yield f"{problem.cluster.label(row)} comes to {broker}, which may receive nothing"


def successors_keep(problem: Problem, lists: Lists, row: int) -> Iterator[str]:
    for broker, pinned in zip(problem.current[row], problem.pinned[row], strict=True):
        if pinned and broker not in lists[row]:
            yield f"{problem.cluster.label(row)} leaves {broker}, which took it over"


def spread_over_racks(problem: Problem, lists: Lists, row: int) -> Iterator[str]:
    above = racks.excess(problem, lists[row], len(lists[row]))
    most = racks.allowed(problem, current_of(problem, row))
    if problem.cluster.brokers.has_racks and above > most:
        name = problem.cluster.label(row)
        yield f"{name} has {above} replicas above its racks' limit, at most {most} may be"


def within_its_racks(problem: Problem, lists: Lists, row: int) -> Iterator[str]:
    """No rack gives a replica to another: all may gain where the list grows, and lose where it shrinks."""
    if not problem.request.stay_in_rack:
        return
    held, current = lists[row], current_of(problem, row)
    after, now = (Counter(int(problem.rack_idx[b]) for b in brokers) for brokers in (held, current))
    grows, shrinks = len(held) > len(current), len(held) < len(current)
    for rack in range(problem.n_racks):
        if (after[rack] > now[rack] and not grows) or (after[rack] < now[rack] and not shrinks):
            yield f"{problem.cluster.label(row)} crosses racks"


def few_changes(problem: Problem, lists: Lists, row: int) -> Iterator[str]:
    limit, changes = problem.request.max_changes_per_partition, moved(problem, lists, row)
    if limit is not None and changes > limit:
        yield f"{problem.cluster.label(row)} changes {changes} times, at most {limit} may be"


# of all together


def few_moves(problem: Problem, lists: Lists) -> Iterator[str]:
    limit, used = problem.request.max_moves, sum(moved(problem, lists, row) for row in range(len(lists)))
    if limit is not None and used > limit:
        yield f"{used} data moves, at most {limit} may be"


def few_bytes(problem: Problem, lists: Lists) -> Iterator[str]:
    used = sum(size_of(problem, row) * moved(problem, lists, row) for row in range(len(lists)))
    limit = problem.request.max_bytes
    if limit is not None and used > limit:
        yield f"{used} bytes move, at most {limit} may"


def filled_no_more(problem: Problem, lists: Lists) -> Iterator[str]:
    """Who is given a replica, or comes to lead where leaders alone bear it, ends within its percent."""
    before = as_lists(problem.cluster.replicas)
    for spec in problem.request.max_fill:
        load, percent = spec.split(":")
        part = 1 if load in LEADS else max(map(len, lists))
        held, given = Counter[int](), set[int]()
        for row, brokers in enumerate(lists):
            held.update(dict.fromkeys(brokers[:part], weight_of(problem, load, row)))
            given |= set(brokers[:part]) - set(before[row][:part])
        for broker in sorted(given):
            if held[broker] > capacity_of(problem, load, broker) * float(percent) / 100:
                yield f"{broker} ends above {percent} % of its {load}"


def capacity_of(problem: Problem, load: str, broker: int) -> float:
    """What a broker can bear, as `weight_of` counts."""
    brokers = problem.cluster.brokers
    if load == "cpu":
        return float(brokers.cpu_percent[broker]) * MILLION
    return float(getattr(brokers, CAPACITY[load])[broker])


def racks_within_capacity(problem: Problem, lists: Lists) -> Iterator[str]:
    """No rack ends above its capacity, or above what it holds today where that is more."""
    brokers = problem.cluster.brokers
    after, today = Counter[str](), Counter[str]()
    for row, size in enumerate(problem.cluster.size_bytes.tolist()):
        for found, held in ((after, lists[row]), (today, as_lists([problem.cluster.replicas[row]])[0])):
            for broker in held:
                found[brokers.rack_names[int(problem.rack_idx[broker])]] += size
    for rack, capacity in problem.request.rack_capacity:
        if after[rack] > max(capacity, today[rack]):
            yield f"rack {rack} ends with {after[rack]} bytes, at most {capacity} may be"


OF_PARTITION: Mapping[str, Callable[[Problem, Lists, int], Iterator[str]]] = {
    "topics": stays_as_it_is,
    "assume-alive": stays_as_it_is,
    "no-leaders-on": leader_may_lead,
    "leaders-only": order_alone,
    "replication-factor": as_many_as_wanted,
    "drain": on_eligible_brokers,
    "cordon": to_receiving_brokers,
    "replace": successors_keep,
    "rack-rule": spread_over_racks,
    "stay-in-rack": within_its_racks,
    "max-changes-per-partition": few_changes,
}
"""What a partition can break by itself, by the rule's name."""

OF_ALL: Mapping[str, Callable[[Problem, Lists], Iterator[str]]] = {
    "max-moves": few_moves,
    "max-bytes": few_bytes,
    "max-fill": filled_no_more,
    "rack-capacity": racks_within_capacity,
}
"""What all partitions break together."""

REGISTRY = {**OF_PARTITION, **OF_ALL}
