"""What `kafka-reassign-partitions --generate` proposes: every topic placed anew, from a random start.

Since Kafka 4.1 by the striped placement (`stripes.py`); up to 4.0 by round robin: KIP-36 "Rack aware
replica assignment", section "Proposed Changes", and the documentation of
`AdminUtils.assignReplicasToBrokers`. Where replicas are now plays no part in either, so nearly everything
moves, and again on every run (killerwhile, "Kafka Partitions Assignment Optimizer", section
"Demonstration: kafka-reassign-partitions.sh under-efficiency").
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import chain, zip_longest

from equipoise.cluster.brokers import IntArray
from equipoise.errors import UnusableInput
from equipoise.planning.problem.problem import Problem
from equipoise.planning.published.helpers import eligible_brokers, lists_of, matrix_of, topics_of
from equipoise.planning.published.interface import NoPlan
from equipoise.planning.published.settings import OPTION, ROUND_ROBIN, STRIPED, Settings
from equipoise.planning.published.stripes import Stripes
from equipoise.wording import plural

name = "generate"


def run(problem: Problem, settings: Settings) -> IntArray:
    """Place each topic anew, with lots drawn for each by the seed, or start index and shift as given."""
    lists, racks = lists_of(problem), brokers_by_rack(problem, settings)
    n_brokers = sum(map(len, racks))
    placed = by_round_robin if is_older(settings) else by_stripes
    for topic, rows in topics_of(problem):
        factor = int(problem.rf[rows[0]])  # Kafka, too, takes the first partition's for the whole topic
        if factor > n_brokers:
            raise NoPlan(f"replication factor {factor} is larger than the {plural(n_brokers, 'broker')}")
        # Lots by topic: another topic more or less changes none of the others.
        draw = random.Random(f"{settings.seed} {topic}")
        for row, replicas in zip(rows, placed(racks, len(rows), factor, draw, settings), strict=True):
            lists[row] = replicas
    return matrix_of(lists)


def is_older(settings: Settings) -> bool:
    """True for the rule of Kafka up to 4.0, which alone draws a start index and a shift."""
    drawn = settings.start_index is not None or settings.shift is not None
    if drawn and settings.placer == STRIPED:
        raise UnusableInput(
            "start-index and shift are numbers of the older rule",
            source=OPTION,
            advice=f"Leave out placer={STRIPED}, or give seed=N",
        )
    return drawn or settings.placer == ROUND_ROBIN


def brokers_by_rack(problem: Problem, settings: Settings) -> list[list[int]]:
    """The brokers of each rack by id, racks by name; one rack where none is looked at.

    Raises `NoPlan` where some brokers have none.
    """
    brokers, racks = eligible_brokers(problem), problem.cluster.brokers.racks
    if settings.disable_rack_aware or all(racks[broker] is None for broker in brokers):
        return [brokers]
    by_rack: dict[str, list[int]] = {}
    for broker in brokers:
        rack = racks[broker]
        if rack is None:
            raise NoPlan("not all brokers have a rack (disable-rack-aware=yes leaves racks out)")
        by_rack.setdefault(rack, []).append(broker)
    return [by_rack[rack] for rack in sorted(by_rack)]


Racks = Sequence[Sequence[int]]


def by_stripes(
    racks: Racks, n_partitions: int, factor: int, draw: random.Random, settings: Settings
) -> list[list[int]]:
    """As Kafka since 4.1."""
    stripes = Stripes(racks, draw)
    return [stripes.place(factor) for _ in range(n_partitions)]


def by_round_robin(
    racks: Racks, n_partitions: int, factor: int, draw: random.Random, settings: Settings
) -> list[list[int]]:
    """As Kafka up to 4.0."""
    order = in_turn(racks)
    start, shift = draw.randrange(len(order)), draw.randrange(len(order))
    start = start if settings.start_index is None else settings.start_index
    shift = shift if settings.shift is None else settings.shift
    rack = {broker: at for at, held in enumerate(racks) for broker in held}
    return round_robin(order, n_partitions, factor, start, shift, rack)


def in_turn(racks: Racks) -> list[int]:
    """The brokers, one of each rack in turn."""
    turns = zip_longest(*racks)
    return [broker for broker in chain.from_iterable(turns) if broker is not None]


def round_robin(
    order: Sequence[int],
    n_partitions: int,
    factor: int,
    start: int,
    shift: int,
    rack: Mapping[int, object] | None = None,
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
