"""A weighted 0-1 program: replicas that stay are worth more, and the rest is constraints.

killerwhile, "Kafka Partitions Assignment Optimizer" (README), sections "Minimize the number of
replicas to move" and "Example of equation". A variable says that a broker holds a partition as a
follower (``t1b9p6``) or as its leader (``t1b9p6_l``); what is kept weighs more than what is new. Every
constraint family of the example is here, with the totals a rack shared out evenly among racks: where
racks differ in size, those contradict the limits of single brokers, and there is no plan.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from equipoise.cluster.brokers import IntArray
from equipoise.planning.problem.problem import Problem
from equipoise.planning.published.helpers import (
    Lists,
    broker_names,
    eligible_brokers,
    lists_of,
    matrix_of,
    movable_rows,
)
from equipoise.planning.published.interface import NoPlan
from equipoise.planning.published.programs import Program
from equipoise.planning.published.settings import Settings

name = "linear-program"

LEADER_KEPT, REPLICA_KEPT, NEW = 4, 2, 1
"""Weights: the leader still leads, a replica stays in whatever role, anything else."""


def run(problem: Problem, settings: Settings) -> IntArray:
    """The heaviest assignment; followers keep their order, new ones come last by id."""
    chosen, _ = build(problem, settings.max_variables).solve(settings.time_limit_s)
    lists, rows, brokers = lists_of(problem), movable_rows(problem), eligible_brokers(problem)
    follows, leads = chosen.reshape(2, len(rows), len(brokers))
    for k, row in enumerate(rows):
        lists[row] = ordered(lists[row], [brokers[b] for b in np.flatnonzero(leads[k])],
                             [brokers[b] for b in np.flatnonzero(follows[k])])
    return matrix_of(lists)


def lp_text(problem: Problem, settings: Settings | None = None) -> str:
    """The program as text for lp_solve: ``t`` counts topics, ``b`` and ``p`` are Kafka's numbers."""
    topics = ", ".join(f"t{k} = {topic}" for k, topic in enumerate(problem.cluster.topics, start=1))
    title = f"Replica assignment of cluster {problem.cluster.name}; topics: {topics}".replace("*/", "* /")
    return build(problem, (settings or Settings()).max_variables).to_lp(title)


def build(problem: Problem, max_variables: int) -> Program:
    """The program; variables are followers (row by row, broker by broker), then leaders in the same order."""
    lists, rows, brokers = lists_of(problem), movable_rows(problem), eligible_brokers(problem)
    shape = (len(rows), len(brokers))
    if 2 * len(rows) * len(brokers) > max_variables:
        raise NoPlan(f"its program would have {2 * len(rows) * len(brokers)} variables")
    program = Program(variable_names(problem, rows, brokers), weights(lists, rows, brokers))
    follows, leads = np.arange(2 * len(rows) * len(brokers)).reshape(2, *shape)
    partition, broker = np.indices(shape)
    factor = problem.rf[rows].astype(np.float64)
    total = int(factor.sum())

    def both(row: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        return np.concatenate([row.ravel(), row.ravel()]), np.concatenate([follows.ravel(), leads.ravel()])

    program.add("Replication factor of every partition", *both(partition), factor, factor)
    program.add("One and only one leader of every partition", partition, leads, 1, 1)
    every = broker_names(problem)
    named = [every[k] for k in brokers]
    program.add("Min and max replicas of every broker", *both(broker), *even(total, len(brokers)),
                names=named)
    program.add("Min and max leaders of every broker", broker, leads, *even(len(rows), len(brokers)),
                names=named)
    program.add("No leader and follower of one partition on the same broker",
                *both(np.arange(partition.size).reshape(shape)), 0, 1)
    if problem.cluster.brokers.has_racks:
        racks, rack = np.unique(problem.rack_idx[brokers], return_inverse=True)
        rack_names = [f"rack {problem.cluster.brokers.rack_names[k]}" for k in racks]
        program.add("Min and max replicas of every rack", *both(rack[broker]), *even(total, len(racks)),
                    names=rack_names)
        low, high = factor // len(racks), -(-factor // len(racks))
        program.add("Min and max replicas of every partition in every rack",
                    *both(partition * len(racks) + rack[broker]),
                    np.repeat(low, len(racks)), np.repeat(high, len(racks)),
                    names=[f"{problem.cluster.label(row)} in {name}" for row in rows for name in rack_names])
    return program


def weights(lists: Lists, rows: list[int], brokers: list[int]) -> npt.NDArray[np.float64]:
    """What each variable is worth: followers, then leaders."""
    place = {broker: k for k, broker in enumerate(brokers)}
    worth = np.full((2, len(rows), len(brokers)), float(NEW))
    for k, row in enumerate(rows):
        here = [place[broker] for broker in lists[row] if broker in place]
        worth[:, k, here] = REPLICA_KEPT
        if lists[row] and lists[row][0] in place:
            worth[1, k, place[lists[row][0]]] = LEADER_KEPT
    return worth.ravel()


def variable_names(problem: Problem, rows: list[int], brokers: list[int]) -> list[str]:
    """``t1b9p6``, and ``t1b9p6_l`` for the leader."""
    cluster = problem.cluster
    followers = [f"t{cluster.topic_idx[row] + 1}b{cluster.brokers.ids[broker]}p{cluster.partition[row]}"
                 for row in rows for broker in brokers]
    return [*followers, *(f"{variable}_l" for variable in followers)]


def even(total: int, parts: int) -> tuple[int, int]:
    """Floor and ceiling of one part."""
    return total // parts, -(-total // parts)


def ordered(old: list[int], leader: list[int], followers: list[int]) -> list[int]:
    """The leader, then the followers that stay in their order, then the new ones."""
    stay = [broker for broker in old if broker in followers]
    return [*leader, *stay, *(broker for broker in followers if broker not in stay)]
