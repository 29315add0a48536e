"""Where loads come from: who told each figure, who contradicts whom, and what is set aside."""

from __future__ import annotations

import json

import numpy as np
import pytest

from equipoise.cluster import Cluster, build_cluster
from equipoise.cluster.cluster import LoadSource
from equipoise.files.plan_directory import contents, read_plan, write_plan
from equipoise.files.sources import merge, parse_file
from equipoise.formats import FormatError
from equipoise.planning import Request, build_problem, make_plan
from equipoise.planning.problem.rates import loads_from, sentences

GIB = 2**30
TOPICS = (
    "Topic: pay\tPartitionCount: 2\tReplicationFactor: 2\tConfigs: retention.ms=1000\n"
    "\tTopic: pay\tPartition: 0\tLeader: 1\tReplicas: 1,2\tIsr: 1,2\n"
    "\tTopic: pay\tPartition: 1\tLeader: 2\tReplicas: 2,1\tIsr: 2\n"
    "Topic: log\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: cleanup.policy=compact\n"
    "\tTopic: log\tPartition: 0\tLeader: 2\tReplicas: 2\tIsr: 2\n"
)


def dirs(**held: dict[str, int]) -> str:
    """``kafka-log-dirs`` of brokers ``b1``, ``b2``: partition → bytes."""
    brokers = []
    for broker, sizes in held.items():
        partitions = [{"partition": p, "size": n} for p, n in sizes.items()]
        brokers.append({"broker": int(broker[1:]), "logDirs": [{"logDir": "/d", "partitions": partitions}]})
    return json.dumps({"version": 1, "brokers": brokers})


def load(*records: tuple[str, int, dict[str, float | str]]) -> str:
    """Cruise Control's ``partition_load``."""
    told = [{"topic": t, "partition": p, "networkInbound": 0.0, **figures} for t, p, figures in records]
    return json.dumps({"version": 1, "records": told})


def cluster(aside: list | None = None, **texts: str) -> Cluster:
    lenient = aside is not None
    fragments = [parse_file(text.encode(), name, lenient=lenient) for name, text in texts.items()]
    return merge(fragments, "orders", set_aside=aside)


def test_each_load_says_who_told_it() -> None:
    """Sizes of two partitions from log dirs and one from an estimate; one rate as measured, one derived."""
    found = cluster(
        topics=TOPICS,
        dirs=dirs(b1={"pay-0": 5000, "pay-1": 5000}, b2={"pay-0": 5000, "pay-1": 5000}),
        load=load(("pay", 0, {"networkInbound": 2.0, "cpu": 1.5}), ("log", 0, {"disk": 1.0})),
    )
    estimate = "Cruise Control partition_load (load)"
    assert found.loads_from == (
        LoadSource("disk", "log dirs of 2 brokers", 2),
        LoadSource("disk", estimate, 1),
        LoadSource("network-in", estimate, 2),
        LoadSource("cpu", estimate, 1),
    )
    assert sentences(found) == [
        f"disk: log dirs of 2 brokers (2 partitions); {estimate} (1 partition)",
        f"network-in: {estimate} (2 partitions); size / retention of 1 topic (1 partition)",
        f"cpu: {estimate} (1 partition); unknown (2 partitions)",
    ]
    assert found.doubts == ()
    assert loads_from(cluster(topics=TOPICS)) == {}


def test_a_plan_keeps_what_it_was_told(tmp_path) -> None:
    """``plan.json`` names the sources; a folder that is read again says the same."""
    found = cluster(topics=TOPICS, dirs=dirs(b1={"pay-0": 10, "pay-1": 20}, b2={"log-0": -4}))
    plan = make_plan(found, Request())
    content = json.loads(dict(contents(plan))["plan.json"])
    assert content["loads"] == {
        "disk": [
            {"source": "log dirs of 1 broker", "partitions": 2}, {"source": "unknown", "partitions": 1},
        ],
        "network-in": [
            {"source": "size / retention of 1 topic", "partitions": 2},
            {"source": "unknown", "partitions": 1},
        ],
    }  # fmt: skip
    assert any("negative sizes (log-0 on broker 2: -4)" in line for line in content["warnings"])
    write_plan(plan, tmp_path / "out")
    again = read_plan(tmp_path / "out")
    assert dict(contents(again))["plan.json"] == dict(contents(plan))["plan.json"]
    assert again.cluster.doubts == found.doubts


def test_sources_that_contradict_each_other_are_named_and_never_averaged() -> None:
    """Log dirs saw 5,000 bytes of pay-0, the estimate has a MiB: log dirs count, and every plan says so.

    A difference of less than a tenth is that of two moments.
    """
    found = cluster(
        topics=TOPICS,
        dirs=dirs(b1={"pay-0": 5000, "pay-1": 1_000_000}),
        a=load(("pay", 0, {"disk": 1.0}), ("pay", 1, {"disk": 1.0, "networkInbound": 3.0})),
        b=load(("pay", 1, {"networkInbound": 6.0})),
    )
    assert found.size_bytes.tolist()[1:] == [5000, 1_000_000]
    assert found.bytes_in_per_s.tolist()[1:] == [0, 3072]
    told = (
        "contradiction: a tells other sizes than log dirs of 1 partition (pay-0: 1,048,576 and 5,000 bytes); "
        "those of log dirs count",
        "contradiction: b tells other inbound rates than a of 1 partition (pay-1: 6,144 and 3,072 bytes a "
        "second); those of a count",
    )
    assert found.doubts == told
    assert set(told) <= set(build_problem(found, Request()).warnings)


@pytest.mark.parametrize(
    ("records", "doubt"),
    [
        ([("pay", 0, {"disk": -3.0})], "negative sizes (pay-0: -3.14573e+06)"),
        ([("pay", 0, {"disk": 1e12})], "sizes of more than 1,125,899,906,842,624 bytes (pay-0: 1.04858e+18)"),
        ([("pay", 0, {"networkInbound": -1.0})], "negative inbound rates (pay-0: -1024)"),
        ([("pay", 0, {"cpu": 1e9})], "CPU figures of more than 10,000 percent (pay-0: 1e+09)"),
        ([("pay", 0, {"disk": 1.0}), ("pay", 0, {"disk": 2.0})],
         "two sizes of one partition (pay-0: 1.04858e+06, pay-0: 2.09715e+06)"),
    ],
)  # fmt: skip
def test_what_cannot_be_so_is_set_aside(records, doubt) -> None:
    """The figure counts as unknown, a warning names the partition; leniently it is in quarantine, too."""
    aside: list = []
    found = cluster(aside, topics=TOPICS, load=load(*records))
    assert [line for line in found.doubts if doubt in line] == list(found.doubts) != []
    assert np.isnan(found.size_bytes[1]) and np.isnan(found.cpu_percent[1])
    assert {(piece.source, piece.place) for piece in aside} == {("load", "pay-0")}
    assert cluster(topics=TOPICS, load=load(*records)).doubts == found.doubts


def test_a_figure_that_is_no_number_stops_the_reading() -> None:
    """A size of "NaN" is a fault of the file, with its place."""
    with pytest.raises(FormatError, match=r'load, records\[0\].disk: "NaN" is not a number'):
        cluster(topics=TOPICS, load=load(("pay", 0, {"disk": "NaN"})))


def test_replicas_in_sync_that_disagree_tell_no_size() -> None:
    """pay-0 has 90 GiB on one broker and 1 on the other, both in sync: which is right nobody knows.

    Of pay-1 the small one is not in sync: it is on its way, and the other one tells the size. Another source
    may tell what the log dirs do not.
    """
    told = dirs(b1={"pay-0": 90 * GIB, "pay-1": GIB}, b2={"pay-0": GIB, "pay-1": 90 * GIB})
    found = cluster(topics=TOPICS, dirs=told)
    np.testing.assert_array_equal(found.size_bytes, [np.nan, np.nan, 90 * GIB])
    assert found.doubts == (
        "set aside from log dirs: sizes of replicas in sync that disagree "
        "(pay-0: broker 1: 96,636,764,160, broker 2: 1,073,741,824)",
    )
    found = cluster(topics=TOPICS, dirs=told, load=load(("pay", 0, {"disk": 80_000.0})))
    assert found.size_bytes[1] == 80_000 * 2**20


def test_replicas_a_segment_apart_agree() -> None:
    """One has just deleted its oldest segment: the larger one counts."""
    found = cluster(topics=TOPICS, dirs=dirs(b1={"pay-0": 2 * GIB}, b2={"pay-0": GIB // 16}))
    assert found.size_bytes[1] == 2 * GIB and found.doubts == ()


def test_figures_of_a_cluster_made_by_hand_are_given() -> None:
    made = cluster(topics=TOPICS)
    by_hand = build_cluster(
        "c", made.brokers, ["a", "a"], [0, 1], [[1], [2]], size_bytes=[4, 4], retention_s=[2, np.inf]
    )
    assert sentences(by_hand, consumption=2) == [
        "disk: given (2 partitions)",
        "network-in: size / retention of 1 topic (1 partition); unknown (1 partition)",
        "network-out: 2 times what comes in (--consumption) (1 partition); unknown (1 partition)",
    ]
