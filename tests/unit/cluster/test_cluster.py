"""Clusters: rows in any order, what is derived from them, and the fingerprint that names a state."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from equipoise.cluster import Brokers, Cluster, build_cluster
from equipoise.cluster.cluster import pad_lists

BROKERS = Brokers.of([10, 20, 30])


def orders(**facts: object) -> Cluster:
    """Rows given in the wrong order: pay-1, log-0, pay-0, log-2, of 1 to 3 replicas."""
    return build_cluster(
        "orders",
        BROKERS,
        ["pay", "log", "pay", "log"],
        [1, 0, 0, 2],
        [[10, 20], [30], [20, 10, 30], [30, 20]],
        **facts,  # type: ignore[arg-type]
    )


def test_rows_are_sorted_with_all_that_is_known_of_them() -> None:
    """By topic name, then number; every column goes along."""
    built = orders(
        leader_id=[20, 30, -1, 40],
        size_bytes=[1, 2, 3, 4],
        bytes_in_per_s=[5, 6, 7, 8],
        bytes_out_per_s=[9, 10, 11, 12],
        min_isr=[1, 2, 3, 4],
        retention_s=[13, 14, 15, 16],
        cluster_id="Zk",
        files=("a", "b"),
        missing=("rates",),
        notes=("odd",),
    )
    assert built.topics == ("log", "pay")
    assert built.topic_idx.tolist() == [0, 0, 1, 1]
    assert built.partition.tolist() == [0, 2, 0, 1]
    assert built.replicas.tolist() == [[2, -1, -1], [2, 1, -1], [1, 0, 2], [0, 1, -1]]
    assert built.leader.tolist() == [2, -1, -1, 1]
    assert built.size_bytes.tolist() == [2, 4, 3, 1]
    assert built.bytes_in_per_s.tolist() == [6, 8, 7, 5]
    assert built.bytes_out_per_s.tolist() == [10, 12, 11, 9]
    assert built.min_isr.tolist() == [2, 4, 3, 1]
    assert built.retention_s.tolist() == [14, 16, 15, 13]
    assert (built.name, built.cluster_id, built.files) == ("orders", "Zk", ("a", "b"))
    assert (built.missing, built.notes) == (("rates",), ("odd",))


def test_what_nobody_told_is_unknown() -> None:
    """-1 for brokers and counts, NaN for figures; broker 0 leads nothing because of that."""
    assert build_cluster("c", Brokers.of([0, 1]), ["t"], [0], [[0, 1]]).leader.tolist() == [-1]
    built = orders()
    assert built.leader.tolist() == built.min_isr.tolist() == [-1] * 4
    for figures in (built.size_bytes, built.bytes_in_per_s, built.bytes_out_per_s, built.retention_s):
        assert np.isnan(figures).all() and figures.shape == (4,)
    alone = replace(built, isr=None)
    assert alone.isr.tolist() == [[-1]] * 4 and not alone.isr_told.any()
    assert built.cluster_id is None
    assert built.files == built.missing == built.notes == ()


def test_a_table_of_ids_is_taken_as_lists_are() -> None:
    """-1 stands beyond the end of a list."""
    table = np.array([[10, 20, -1], [30, -1, -1], [20, 10, 30], [30, 20, -1]])
    same = build_cluster("orders", BROKERS, ["pay", "log", "pay", "log"], [1, 0, 0, 2], table)
    assert same.fingerprint == orders().fingerprint


def test_what_is_derived() -> None:
    """Numbers of things, replication factors, where each topic's rows begin, labels and broker ids."""
    built = orders()
    assert (built.n_partitions, built.n_brokers) == (4, 3)
    assert built.rf.tolist() == [1, 2, 3, 2] and built.rf.dtype == np.int32
    assert built.topic_start.tolist() == [0, 2, 4] and built.topic_start.dtype == np.int64
    assert [built.label(row) for row in range(4)] == ["log-0", "log-2", "pay-0", "pay-1"]
    assert built.ids_of(built.replicas).tolist() == [[30, -1, -1], [30, 20, -1], [20, 10, 30], [10, 20, -1]]
    assert built.ids_of(np.array([2, -1], dtype=np.int32)).dtype == np.int32


def test_without_brokers_no_position_has_an_id() -> None:
    """Nothing is looked up where there is nothing."""
    empty = build_cluster("c", Brokers.of([]), [], [], [])
    assert empty.ids_of(np.array([[-1, -1]], dtype=np.int32)).tolist() == [[-1, -1]]


def test_no_column_can_be_written() -> None:
    """A cluster is frozen, arrays included."""
    built = orders()
    for name in ("topic_idx", "partition", "replicas", "leader", "size_bytes", "bytes_in_per_s",
                 "bytes_out_per_s", "min_isr", "retention_s"):  # fmt: skip
        with pytest.raises(ValueError, match="read-only"):
            getattr(built, name)[0] = 0


def test_the_fingerprint_is_the_digest_of_names_numbers_and_lists() -> None:
    """Written out: plans that were made before must still know the state that they were made from."""
    told = b"log\npay"
    for numbers in ([0, 0, 1, 1], [0, 2, 0, 1], [1, 2, 3, 2], [30, 30, 20, 20, 10, 30, 10, 20]):
        told += b"|" + b"".join(number.to_bytes(4, "little") for number in numbers)
    assert orders().fingerprint == "sha256:" + hashlib.sha256(told).hexdigest()


def test_the_fingerprint_tells_states_apart_and_nothing_else() -> None:
    """Another order of a list, number or name is another state; sizes, leaders and unused brokers are not."""
    mine = orders()
    others = [
        replace(mine, replicas=np.array([[2, -1, -1], [1, 2, -1], [1, 0, 2], [0, 1, -1]])),
        replace(mine, replicas=np.array([[2, 1, -1], [2, -1, -1], [1, 0, 2], [0, 1, -1]])),
        replace(mine, partition=np.array([0, 1, 0, 1])),
        replace(mine, topic_idx=np.array([0, 1, 1, 1]), partition=np.array([0, 0, 1, 2])),
        replace(mine, topics=("log", "pax")),
        replace(mine, brokers=Brokers.of([10, 20, 31])),
    ]
    assert len({mine.fingerprint, *(other.fingerprint for other in others)}) == 7
    wider = Brokers.of([10, 20, 30, 40], {10: "a"})
    same = replace(mine, brokers=wider, size_bytes=np.ones(4), leader=np.zeros(4), name="other")
    assert same.fingerprint == mine.fingerprint


@given(st.lists(st.lists(st.integers(0, 9), max_size=5), max_size=6))
def test_lists_of_any_length_are_padded(lists: list[list[int]]) -> None:
    """As wide as the longest, -1 beyond each end."""
    padded = pad_lists(lists)
    width = max(map(len, lists), default=0)
    assert padded.tolist() == [entry + [-1] * (width - len(entry)) for entry in lists]
    assert padded.shape == (len(lists), width) and padded.dtype == np.int32
