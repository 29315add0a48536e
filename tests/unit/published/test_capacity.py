"""Bin packing with capacities: the three constraints, and throughput from size and retention."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from equipoise.cluster import Brokers
from equipoise.files.sources import merge, parse_file
from equipoise.planning.problem.request import Request
from equipoise.planning.published.capacity import loads
from equipoise.planning.published.interface import NoPlan, target_of
from equipoise.planning.request.laying import build_problem

GIB = 2**30


def with_capacity(problem, disk_gib):
    old = problem.cluster.brokers
    disk = {int(i): disk_gib * GIB for i in old.ids}
    brokers = Brokers.of(old.ids, dict(zip(old.ids.tolist(), old.racks, strict=True)), disk_bytes=disk)
    return build_problem(replace(problem.cluster, brokers=brokers), problem.request)


def stored(lists, sizes, brokers):
    return [sum(s for replicas, s in zip(lists, sizes, strict=True) if b in replicas) for b in brokers]


def test_throughput_is_size_over_retention(problem_of):
    """The text: a replica of disk capacity d under an interval t has the throughput d / t."""
    sizes = [7200 * 2**20, 3600 * 2**20]
    (_, disk, _), (_, network, _) = loads(problem_of([[1, 2], [2, 1]], sizes=sizes, retention_s=[3600.0] * 2))
    assert disk.tolist() == [7200 / 1024, 3600 / 1024]
    assert network.tolist() == [2.0, 1.0]


def test_without_retention_only_disk_counts(problem_of):
    """What is not known is left out, not invented; nor does size tell a rate where age deletes nothing."""
    for retention_s in (None, [math.inf], [0.0]):
        problem = problem_of([[1, 2]], sizes=[1.0], retention_s=retention_s)
        assert [what for what, _, _ in loads(problem)] == ["disk"]


def test_network_can_force_a_move_that_disk_does_not(problem_of, lists_after):
    """Two topics of the same size, one kept an hour and one a day: level disks are not level networks."""
    sizes = [GIB] * 4
    before = [[1], [1], [2], [2]]
    assert lists_after("capacity", problem_of(before, sizes=sizes)) == before
    after = lists_after("capacity", problem_of(before, sizes=sizes, retention_s=[3600, 3600, 86400, 86400]))
    assert {after[0][0], after[1][0]} == {1, 2}
    assert stored(after, sizes, (1, 2)) == [2 * GIB, 2 * GIB]


def test_retention_comes_from_the_configs_that_kafka_prints():
    """From what kafka-topics, kafka-configs and kafka-log-dirs print to the answer.

    A topic kept an hour has 24 times the traffic of one kept a day (the brokers' default), so each
    broker gets one of its partitions; size says nothing of the traffic of a compacted topic.
    """
    cluster = merge([parse_file(text.encode(), name) for name, text in PRINTED.items()], "c")
    assert dict(zip(cluster.topics, cluster.retention_s[::2].tolist(), strict=True)) == {
        "fast": 3600, "keys": math.inf, "slow": 86400,
    }  # fmt: skip
    problem = build_problem(cluster, Request())
    network = loads(problem)[1][1]
    assert network.tolist() == [1024 / 3600] * 2 + [0.0] * 2 + [1024 / 86400] * 2
    target = target_of("capacity", problem)
    assert sorted(target[cluster.topic_idx == 0, 0].tolist()) == [0, 1]


PRINTED = {
    "topics.txt": """
        Topic: fast PartitionCount: 2 ReplicationFactor: 1 Configs: retention.ms=3600000
        Topic: fast Partition: 0 Leader: 1 Replicas: 1 Isr: 1
        Topic: fast Partition: 1 Leader: 1 Replicas: 1 Isr: 1
        Topic: keys PartitionCount: 2 ReplicationFactor: 1 Configs: cleanup.policy=compact
        Topic: keys Partition: 0 Leader: 1 Replicas: 1 Isr: 1
        Topic: keys Partition: 1 Leader: 2 Replicas: 2 Isr: 2
        Topic: slow PartitionCount: 2 ReplicationFactor: 1 Configs:
        Topic: slow Partition: 0 Leader: 2 Replicas: 2 Isr: 2
        Topic: slow Partition: 1 Leader: 2 Replicas: 2 Isr: 2
    """.replace("        ", ""),
    "configs.txt": "Default configs for brokers in the cluster are:\n  log.retention.hours=24",
    "dirs.json": json.dumps({"brokers": [
        {"broker": broker, "logDirs": [{"logDir": "/d", "partitions": [
            {"partition": name, "size": GIB} for name in names.split()
        ]}]} for broker, names in ((1, "fast-0 fast-1 keys-0"), (2, "keys-1 slow-0 slow-1"))
    ]}),
}  # fmt: skip


def test_no_disk_overflows_and_no_replica_sits_beside_itself(problem_of, lists_after):
    """Constraints one to three: capacity, all placed, no two of a partition on one broker."""
    sizes = [6 * GIB, 5 * GIB, 4 * GIB, 3 * GIB, 2 * GIB]
    problem = with_capacity(problem_of([[1, 2]] * 5, brokers=[1, 2, 3, 4], sizes=sizes), 11)
    after = lists_after("capacity", problem)
    assert all(len(set(replicas)) == 2 for replicas in after)
    assert max(stored(after, sizes, (1, 2, 3, 4))) <= 11 * GIB


def test_more_than_fits_has_no_plan(problem_of, lists_after):
    """Eight GiB of replicas on two brokers of three."""
    problem = with_capacity(problem_of([[1, 2]] * 2, sizes=[2 * GIB] * 2), 3)
    with pytest.raises(NoPlan, match=r"contradict .* disk.*: broker 1 ends 1 GiB above its limit of 3 GiB"):
        lists_after("capacity", problem)


def test_the_fullest_broker_and_what_it_cannot_hold_are_named(problem_of, lists_after):
    """Broker 2 keeps 9 GiB that may not move, and one of the two replicas has to be there: 2 above 8."""
    problem = with_capacity(
        problem_of([[2], [1, 2]], topics=["kept", "t"], sizes=[9 * GIB, GIB], exclude_topics="kept"), 8
    )
    with pytest.raises(NoPlan, match=r"nor above its share unless at capacity: broker 2 ends 1 GiB above"):
        lists_after("capacity", problem)


def test_what_may_not_change_takes_its_share(problem_of, lists_after):
    """Five GiB of another topic stay on broker 1, so the five small partitions go to broker 2."""
    sizes = [5 * GIB] + [GIB] * 5
    topics = ["big"] + ["t"] * 5
    problem = problem_of([[1]] * 6, brokers=[1, 2], topics=topics, sizes=sizes, exclude_topics="big")
    assert lists_after("capacity", problem) == [[1]] + [[2]] * 5


def test_counts_are_left_unlevel(problem_of, lists_after):
    """The text holds counts for the wrong measure: five small partitions may outnumber one large."""
    sizes = [5 * GIB] + [GIB] * 5
    after = lists_after("capacity", problem_of([[1]] * 6, brokers=[1, 2], sizes=sizes))
    assert np.sort(stored(after, sizes, (1, 2))).tolist() == [5 * GIB, 5 * GIB]
    assert sorted(sum(b in r for r in after) for b in (1, 2)) == [1, 5]


def test_sizes_are_needed(problem_of, lists_after):
    """Capacity without sizes says nothing."""
    with pytest.raises(NoPlan, match="sizes"):
        lists_after("capacity", problem_of([[1, 2]]))
