"""Cruise Control's answers: state, load, partition_load, capacity file, proposals."""

import json

import pytest

from equipoise.formats import FormatError, json_rows, parse, recognise
from equipoise.formats.cruise_control import proposals
from equipoise.formats.faults import Faults

MB, KB = 2**20, 2**10


@pytest.fixture(params=["objects", "arrow"], autouse=True)
def reader(request, monkeypatch):
    """Small and large text go through different readers: every test here runs on both."""
    monkeypatch.setattr(json_rows, "ARROW_FROM_BYTES", 0 if request.param == "arrow" else 1 << 40)


def entry(topic, partition, replicas, leader, min_isr):
    return {
        "topic": topic, "partition": partition, "leader": leader, "replicas": replicas, "in-sync": replicas,
        "out-of-sync": [], "offline": [], "min-isr": min_isr,
    }  # fmt: skip


SICK = entry("pay", 1, [2, 3, 1], -1, 2)
STATE = {
    "KafkaBrokerState": {"ReplicaCountByBrokerId": {"1": 2, "2": 2, "3": 1, "9": 0}, "Summary": {}},
    "KafkaPartitionState": {
        "offline": [], "with-offline-replicas": [], "urp": [SICK], "under-min-isr": [SICK],
        "other": [entry("pay", 0, [1, 2], 1, 1)],
    },
    "version": 1,
}  # fmt: skip


def test_state():
    """A partition that stands in two lists of the sick is one; brokers without replicas are told."""
    text = json.dumps(STATE)
    assert recognise(text) == "Cruise Control kafka_cluster_state"
    fragment = parse(text, "state.json")
    lists = fragment.lists
    told = {lists.label(k): (lists.replicas[k].tolist(), int(lists.leader[k])) for k in range(len(lists))}
    assert told == {"pay-0": ([1, 2, -1], 1), "pay-1": ([2, 3, 1], -1)}
    figures = fragment.figures
    assert {figures.label(k): figures.min_isr[k] for k in range(2)} == {"pay-0": 1, "pay-1": 2}
    assert sorted(fragment.brokers) == [1, 2, 3, 9]


def test_state_without_the_healthy_partitions():
    """Without verbose=true the answer lacks most of the cluster: it is refused."""
    healthy = {key: value for key, value in STATE["KafkaPartitionState"].items() if key != "other"}
    with pytest.raises(FormatError) as error:
        parse(json.dumps(STATE | {"KafkaPartitionState": healthy}), "state.json")
    assert str(error.value) == (
        'state.json, "other": the list of healthy partitions is missing. Ask for it with verbose=true'
    )


LOAD = {
    "version": 1,
    "hosts": [{"Host": "b1", "Rack": "az-a", "DiskMB": 512.0}],
    "brokers": [
        {"Host": "b1", "Broker": 1, "Rack": "az-a", "BrokerState": "ALIVE", "DiskMB": 512.0,
         "LeaderNwInRate": 100.0, "DiskCapacityMB": 10000.0, "NetworkInCapacity": 50000.0,
         "NetworkOutCapacity": 40000.0, "DiskState": {"/data/d1": "DEAD"}},
        {"Host": "b2", "Broker": 2, "Rack": "b2", "BrokerState": "DEAD", "DiskCapacityMB": -1.0},
    ],
}  # fmt: skip


def test_load():
    """Megabytes and kilobytes a second become bytes; a rack that is the host's name is no rack."""
    text = json.dumps(LOAD)
    assert recognise(text) == "Cruise Control load"
    brokers = parse(text, "load.json").brokers
    assert brokers[1].rack == "az-a"
    assert brokers[1].disk_bytes == 10000 * MB
    assert (brokers[1].bytes_in_per_s, brokers[1].bytes_out_per_s) == (50000 * KB, 40000 * KB)
    assert (brokers[2].rack, brokers[2].disk_bytes, brokers[2].is_up) == (None, None, False)


def record(partition, network_in, network_out):
    return {
        "topic": "pay", "partition": partition, "leader": 1, "followers": [2, 3], "cpu": 0.1, "disk": 17.0,
        "networkInbound": network_in, "networkOutbound": network_out, "msg_in": 12.0,
    }  # fmt: skip


def test_partition_load():
    """What the followers fetch is taken off the outbound load of the leader."""
    text = json.dumps({"version": 1, "records": [record(0, 3.0, 10.0), record(1, 2.0, 4.0)]})
    assert recognise(text) == "Cruise Control partition_load"
    figures = parse(text, "partition_load.json").figures
    assert figures.size_bytes.tolist() == [17 * MB, 17 * MB]
    assert figures.bytes_in_per_s.tolist() == [3 * KB, 2 * KB]
    assert figures.bytes_out_per_s.tolist() == [4 * KB, 0]


def test_partition_load_without_replication_bytes():
    """A leader that sends less than its followers must fetch shows that their share is not in it."""
    text = json.dumps({"records": [record(0, 3.3, 5.0), record(1, 1.0, 9.0)]})
    assert parse(text, "partition_load.json").figures.bytes_out_per_s.tolist() == [5 * KB, 9 * KB]


CAPACITY = {
    "brokerCapacities": [
        {"brokerId": "-1", "capacity": {"DISK": "100000", "CPU": "100", "NW_IN": "10000", "NW_OUT": "20000"}},
        {"brokerId": "1", "capacity": {"DISK": {"/d1": "250000", "/d2": "250000"}, "CPU": {"num.cores": "16"},
                                       "NW_IN": "50000", "NW_OUT": "50000"}},
    ]
}  # fmt: skip


def test_capacity():
    """Directories add up; id -1 is for every broker that is not named."""
    text = json.dumps(CAPACITY)
    assert recognise(text) == "Cruise Control capacity.json"
    fragment = parse(text, "capacity.json")
    assert fragment.brokers[1].disk_bytes == 500000 * MB
    assert fragment.default_capacity.bytes_out_per_s == 20000 * KB
    assert fragment.default_capacity.cpu_percent == 100 and fragment.brokers[1].cpu_percent == 100
    assert fragment.brokers_role == "facts"


def test_a_capacity_that_is_no_number():
    """The entry is named."""
    with pytest.raises(FormatError) as error:
        parse('{"brokerCapacities":[{"brokerId":"1","capacity":{"DISK":"big"}}]}', "capacity.json")
    assert str(error.value).startswith("capacity.json, brokerCapacities[0]: ")
    assert "'big'" in str(error.value)


@pytest.mark.parametrize("broker", [-5, 1.9, True, "99999999999", "2147483648", None])
def test_a_capacity_of_no_broker(broker):
    """An id that none can have is not made one."""
    text = json.dumps({"brokerCapacities": [{"brokerId": broker, "capacity": {"DISK": "1"}}]})
    with pytest.raises(FormatError, match="is not a broker id"):
        parse(text, "capacity.json")


def test_log_dirs_that_are_no_list_mark_nobody_as_dead():
    """And an id that no broker can have names none."""
    brokers = {
        "ReplicaCountByBrokerId": {"1": 1, "2147483647": 0, "2147483648": 0, "9" * 5000: 0},
        "OnlineLogDirsByBrokerId": {"1": 5},
        "OfflineLogDirsByBrokerId": {"1": ["broker_dead"]},
    }
    text = json.dumps({"KafkaPartitionState": {"other": []}, "KafkaBrokerState": brokers})
    assert {b: fact.is_up for b, fact in parse(text, "state.json").brokers.items()} == {
        1: False,
        2147483647: None,
    }


@pytest.mark.parametrize("label", [{"hash": 0, "partition": 3, "topic": "pay"}, "pay-3"])
def test_proposals(label):
    """New lists of a rebalance, with both ways to name a partition."""
    text = json.dumps(
        {"proposals": [{"topicPartition": label, "oldReplicas": [1, 2], "newReplicas": [4, 2]}]}
    )
    lists = proposals.parse(text.encode(), Faults("proposals.json")).lists
    assert lists.label(0) == "pay-3"
    assert lists.replicas.tolist() == [[4, 2]]
