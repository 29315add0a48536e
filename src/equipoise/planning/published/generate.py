"""What `kafka-reassign-partitions --generate` proposes: round robin from a random start.

Apache Kafka, KIP-36 "Rack aware replica assignment", section "Proposed Changes", and the
documentation of its `AdminUtils.assignReplicasToBrokers`. Where replicas are now plays no part, so
nearly everything moves, and again on every run (killerwhile, "Kafka Partitions Assignment
Optimizer", section "Demonstration: kafka-reassign-partitions.sh under-efficiency").
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import chain, zip_longest

from equipoise.cluster.brokers import IntArray
from equipoise.planning.problem import Problem
from equipoise.planning.published.helpers import eligible_brokers, lists_of, matrix_of, topics_of
from equipoise.planning.published.interface import NoPlan
from equipoise.planning.published.settings import Settings
from equipoise.wording import plural

name = "generate"


def run(problem: Problem, settings: Settings) -> IntArray:
    """Place each topic anew; start index and shift are given, or drawn for each topic by the seed."""
    lists, order = lists_of(problem), broker_order(problem)
    rack = dict(enumerate(problem.cluster.brokers.racks)) if problem.cluster.brokers.has_racks else None
    for topic, rows in topics_of(problem):
        factor = int(problem.rf[rows[0]])  # Kafka, too, takes the first partition's for the whole topic
        if factor > len(order):
            raise NoPlan(f"replication factor {factor} is larger than the {plural(len(order), 'broker')}")
        draw = random.Random(f"{settings.seed} {topic}")
        start, shift = draw.randrange(len(order)), draw.randrange(len(order))
        start = start if settings.start_index is None else settings.start_index
        shift = shift if settings.shift is None else settings.shift
        placed = round_robin(order, len(rows), factor, start, shift, rack)
        for row, replicas in zip(rows, placed, strict=True):
            lists[row] = replicas
    return matrix_of(lists)


def broker_order(problem: Problem) -> list[int]:
    """Brokers by id; where there are racks, one of each in turn. Raises `NoPlan` where some have none."""
    brokers = eligible_brokers(problem)
    racks = problem.cluster.brokers.racks
    if all(racks[broker] is None for broker in brokers):
        return brokers
    by_rack: dict[str, list[int]] = {}
    for broker in brokers:
        rack = racks[broker]
        if rack is None:
            raise NoPlan("not all brokers have a rack")
        by_rack.setdefault(rack, []).append(broker)
    turns = zip_longest(*(by_rack[rack] for rack in sorted(by_rack)))
    return [broker for broker in chain.from_iterable(turns) if broker is not None]


def round_robin(
    order: Sequence[int],
    n_partitions: int,
    factor: int,
    start: int,
    shift: int,
    rack: Mapping[int, str | None] | None = None,
) -> list[list[int]]:
    """Replica lists of partitions 0, 1, ...: leaders in turn from ``start``, followers ``shift`` further on.

    After each turn through the brokers the shift grows by one. With racks it is multiplied by their
    number, and a rack that has a replica waits until every rack has one.
    """
    n_brokers = len(order)
    rack = rack or dict.fromkeys(order)  # without racks: one, which never holds anything back
    n_racks = len({rack[broker] for broker in order})
    lists = []
    for partition in range(n_partitions):
        if partition and partition % n_brokers == 0:
            shift += 1
        first = (partition + start) % n_brokers
        replicas, step = [order[first]], 0
        while len(replicas) < factor:
            place = 1 + (shift * n_racks + step) % (n_brokers - 1)
            broker = order[(first + place) % n_brokers]
            used = {rack[other] for other in replicas}
            if broker not in replicas and (rack[broker] not in used or len(used) == n_racks):
                replicas.append(broker)
            step += 1
        lists.append(replicas)
    return lists
