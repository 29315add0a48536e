"""What crosses racks, by hand on a cluster of four brokers."""

from __future__ import annotations

import numpy as np

from equipoise.cluster import Brokers, Cluster, build_cluster, zones

NONE = np.nan


def cluster(leaders: list[int]) -> Cluster:
    """Brokers 1 and 2 in rack a, 3 in b, 4 in none; four partitions, the last with nobody."""
    blank = np.full(4, NONE)
    brokers = Brokers(np.array([1, 2, 3, 4]), ("a", "a", "b", None), blank, blank, blank)
    lists = [[1, 2], [3, 1], [4, 3], []]
    return build_cluster(
        "c", brokers, ["t"] * 4, range(4), lists, leader_id=leaders, allow_empty_lists=True
    )


def test_copies_come_from_the_leader() -> None:
    """From the leader of the moment, or else from the first of the list; from nobody where there is none."""
    made = cluster([2, -1, -1, -1])
    assert zones.sources(made).tolist() == [1, 2, 3, -1]
    assert zones.source_racks(made).tolist() == [0, 1, -1, -1]


def test_what_comes_from_another_rack() -> None:
    """A new replica in another rack crosses; where a rack or a source is not known, none does."""
    made = cluster([-1, -1, -1, -1])
    lists = np.array([[0, 2], [2, 1], [3, 0], [0, 2]])
    known = [[False, True], [False, True], [False, False], [False, False]]
    assert zones.elsewhere(made, zones.sources(made), lists).tolist() == known
    assert zones.crossing(made, lists).tolist() == known
    to_none = np.array([[3, -1], [3, 0], [3, 1], [-1, -1]])
    crosses = [[False, False], [False, False], [False, False], [False, False]]
    assert zones.crossing(made, to_none).tolist() == crosses


def test_a_copy_comes_from_who_leads_be_it_the_first_broker() -> None:
    """Broker 1 leads what broker 3 should; of what nobody is told to lead the preferred leader is asked."""
    assert zones.sources(cluster([1, 1, -1, -1])).tolist() == [0, 0, 3, -1]


def test_of_a_leader_without_a_rack_nobody_reads_from_afar() -> None:
    """Consumers are in rack a: from rack b all is read from afar; from no rack or nobody, nothing is."""
    made = cluster([-1, -1, -1, -1])
    consumers = zones.Consumers.of(made, [("t", "a", 1.0)], None)
    leaders = np.array([0, 2, 3, -1])
    assert consumers.part(np.arange(4), leaders).tolist() == [0, zones.MILLION, 0, 0]
