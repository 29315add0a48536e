"""Several sources become one cluster; what they disagree about is named."""

import numpy as np
import pytest

from equipoise.errors import UnusableInput
from equipoise.files.sources import merge, parse_file

TOPICS = (
    "Topic: pay\tPartitionCount: 2\tReplicationFactor: 2\tConfigs: min.insync.replicas=2\n"
    "\tTopic: pay\tPartition: 1\tLeader: 2\tReplicas: 2,1\tIsr: 2,1\n"
    "\tTopic: pay\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n"
    "Topic: log\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: \n"
    "\tTopic: log\tPartition: 0\tLeader: none\tReplicas: 2\tIsr: \n"
)
MOVING = (
    "\tTopic: pay\tPartition: 0\tLeader: 1\tReplicas: 4,2,3,1\tIsr: 1,2,3\t"
    "Adding Replicas: 4\tRemoving Replicas: 1\n"
)


def cluster(set_aside=None, **sources):
    fragments = [
        parse_file(text.encode(), name, lenient=set_aside is not None) for name, text in sources.items()
    ]
    return merge(fragments, "orders", set_aside=set_aside)


def held(result):
    return {
        result.label(row): [int(i) for i in result.ids_of(result.replicas)[row] if i >= 0]
        for row in range(result.n_partitions)
    }


def test_topology_alone():
    """One describe gives a cluster: rows in order, leaders, min ISR; what it cannot tell is missing."""
    result = cluster(topics=TOPICS)
    assert held(result) == {"log-0": [2], "pay-0": [1, 2], "pay-1": [2, 1]}
    assert result.ids_of(result.leader).tolist() == [-1, 1, 2]
    assert result.min_isr.tolist() == [-1, 2, 2]
    assert np.isnan(result.retention_s).all()
    assert result.missing == ("racks", "sizes", "rates", "capacities")
    assert result.files == ("topics",)
    assert result.notes == ()


def test_every_part_adds_what_it_knows():
    """Racks, capacities, sizes, rates and the default min ISR from five more sources."""
    result = cluster(
        topics=TOPICS,
        brokers="id,rack,disk\n1,a,1TB\n2,b,2TB\n3,a,1TB\n",
        dirs='{"brokers":[{"broker":1,"logDirs":[{"logDir":"/d","partitions":[{"partition":"pay-0","size":70}]}]},'
        '{"broker":2,"logDirs":[{"logDir":"/d","partitions":[{"partition":"pay-0","size":80},'
        '{"partition":"log-0","size":9,"isFuture":true},{"partition":"gone-0","size":1}]}]},'
        '{"broker":3,"logDirs":[{"logDir":"/d","partitions":[{"partition":"pay-0","size":990}]}]}]}',
        load='{"records":[{"topic":"pay","partition":1,"disk":1.0,"networkInbound":2.0,"networkOutbound":5.0}]}',
        configs="Default configs for brokers in the cluster are:\n  min.insync.replicas=1 sensitive=false\n"
        "  log.retention.ms=-1 sensitive=false\nDynamic configs for topic pay are:\n  retention.ms=5000\n",
        cluster_id="Cluster ID: abc\n",
    )
    assert result.brokers.racks == ("a", "b", "a")
    assert result.brokers.disk_bytes.tolist() == [1e12, 2e12, 1e12]
    np.testing.assert_array_equal(result.size_bytes, [np.nan, 80, 2**20])
    np.testing.assert_array_equal(result.bytes_in_per_s, [np.nan, np.nan, 2048])
    assert result.min_isr.tolist() == [1, 2, 2]
    assert result.retention_s.tolist() == [np.inf, 5, 5]
    assert result.cluster_id == "abc"
    assert result.missing == ()
    assert result.notes == (
        "sizes of 1 of 3 partitions are unknown",
        "rates of 2 of 3 partitions are unknown",
    )


def test_the_order_of_sources_and_rows_does_not_matter():
    """Shuffled lines and sources in another order give the same cluster."""
    head, *rest = TOPICS.splitlines(keepends=True)
    shuffled = "".join([*rest[:2][::-1], head, *rest[2:][::-1]])
    one, other = cluster(a=TOPICS, b="1,x\n2,y\n"), cluster(b="2,y\n1,x\n", a=shuffled)
    assert one.fingerprint == other.fingerprint
    assert (one.notes, one.missing, one.files) == (other.notes, other.missing, other.files)


def test_in_flight_the_true_list_is_without_what_is_added():
    """The union of a move is not the replication factor; it is said which partitions move."""
    result = cluster(topics=MOVING)
    assert held(result) == {"pay-0": [2, 3, 1]}
    assert result.notes == ("1 reassignment in flight: pay-0",)


def test_in_flight_told_by_another_source():
    """kcat shows the union alone; ``--list`` tells what of it is new. A list from before the move stands."""
    union = '{"partitions":[{"topic":"pay","partition":0,"replicas":[4,2,3,1]}]}'
    before = '{"partitions":[{"topic":"pay","partition":0,"replicas":[1,2,3]}]}'
    moves = "Current partition reassignments:\npay-0: replicas: 4,2,3,1. adding: 4. removing: 1.\n"
    assert held(cluster(a=union, b=moves)) == {"pay-0": [2, 3, 1]}
    assert held(cluster(a=before, b=moves)) == {"pay-0": [1, 2, 3]}


def test_two_sources_that_agree_are_one():
    """The same lists twice are no fault, and the leader comes from the one that knows it."""
    lists = (
        '{"partitions":[{"topic":"log","partition":0,"replicas":[2]},'
        '{"topic":"pay","partition":1,"replicas":[2,1]}]}'
    )
    result = cluster(a=lists, b=TOPICS)
    assert held(result) == {"log-0": [2], "pay-0": [1, 2], "pay-1": [2, 1]}
    assert result.ids_of(result.leader).tolist() == [-1, 1, 2]


def test_two_sources_that_disagree():
    """The error names both; leniently neither is taken."""
    lists = '{"partitions":[{"topic":"log","partition":0,"replicas":[1]}]}'
    with pytest.raises(UnusableInput) as error:
        cluster(topics=TOPICS, zz=lists)
    assert str(error.value) == (
        "zz, partitions[0]: log-0 [1]: topics has [2] for it. Keep the source that is right"
    )
    aside = []
    left = cluster(aside, topics=TOPICS, zz=lists)
    assert held(left) == {"pay-0": [1, 2], "pay-1": [2, 1]} and left.topics == ("pay",)
    assert [lack.sentence for lack in left.lacks] == ["topics names 1 topic without a list (log)"]
    assert [(entry.source, entry.text) for entry in aside] == [("zz", "log-0 [1]")]


def test_a_replica_on_an_unknown_broker():
    """A brokers file lists the whole cluster; leniently the partition is left out."""
    brokers = "id,rack\n1,a\n3,b\n"
    with pytest.raises(UnusableInput) as error:
        cluster(topics=TOPICS, brokers=brokers)
    assert str(error.value) == (
        "topics, line 2: pay-1 [2, 1]: a replica on unknown broker 2. brokers lists 1, 3"
    )
    aside = []
    with pytest.raises(UnusableInput, match="no partition is left, all were set aside"):
        cluster(aside, topics=TOPICS, brokers=brokers)
    result = cluster(
        aside, topics=TOPICS + "\tTopic: x\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\n", brokers=brokers
    )
    assert held(result) == {"x-0": [1]}
    assert {entry.text for entry in aside} >= {"pay-1 [2, 1]", "pay-0 [1, 2]", "log-0 [2]"}


def test_a_broker_that_is_missing_from_those_that_are_up_is_down():
    """kcat lists brokers that are up; one that holds replicas and is not among them is no fault."""
    result = cluster(
        kcat='{"controllerid":1,"brokers":[{"id":1},{"id":5}],"topics":[{"topic":"pay","partitions":'
        '[{"partition":0,"leader":1,"replicas":[{"id":1},{"id":2}]}]}]}'
    )
    assert result.brokers.ids.tolist() == [1, 2, 5]
    assert result.brokers.down == (None, "not among the brokers that kcat lists as up", None)
    assert result.notes == ()


def test_brokers_that_hold_nothing_are_part_of_the_cluster():
    """A list of racks adds brokers; a capacity file does not, for it may name others."""
    assert cluster(a=TOPICS, racks="1,x\n2,y\n7,z\n").brokers.ids.tolist() == [1, 2, 7]
    capacity = (
        '{"brokerCapacities":[{"brokerId":"-1","capacity":{"DISK":"1"}},'
        '{"brokerId":"9","capacity":{"DISK":"2"}}]}'
    )
    brokers = cluster(a=TOPICS, capacity=capacity).brokers
    assert brokers.ids.tolist() == [1, 2]
    assert brokers.disk_bytes.tolist() == [2**20, 2**20]


def test_two_racks_for_one_broker():
    """The error names both sources."""
    with pytest.raises(UnusableInput) as error:
        cluster(a="1,x\n2,y\n", b="id,rack\n1,x\n2,z\n", topics=TOPICS)
    assert str(error.value) == 'b, broker 2: rack "z", but a says "y". Correct one of the two'


def test_mixed_replication_factors_are_noted():
    """They are allowed, and reported."""
    text = (
        '{"partitions":[{"topic":"t","partition":0,"replicas":[1]},'
        '{"topic":"t","partition":1,"replicas":[1,2]}]}'
    )
    assert cluster(a=text).notes == ("1 topic of mixed replication factor: t (1 to 2)",)


def test_sources_without_replica_lists():
    """It is said what was read instead."""
    with pytest.raises(UnusableInput) as error:
        cluster(racks="1,x\n2,y\n")
    assert str(error.value) == (
        "orders: no source says which brokers hold which partitions (racks is brokers file). "
        "Add the output of kafka-topics --describe, or a reassignment JSON"
    )
