"""How far brokers are apart, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.cluster import Brokers, apart, build_cluster
from equipoise.cluster.apart import Spread

TOPICS = ["a", "a", "b", "b", "b"]
LISTS = [[1, 2], [1, 2], [2, 3], [3], [1, 3]]
CLUSTER = build_cluster("c", Brokers.of([1, 2, 3, 4]), TOPICS, [0, 1, 0, 1, 2], LISTS)


def spread(holds: list[bool], leads: list[bool]) -> Spread:
    return Spread(CLUSTER, CLUSTER.replicas, np.array(holds), np.array(leads))


@pytest.mark.parametrize("cells", [1, 2**18])
def test_the_greatest_less_the_least(monkeypatch: pytest.MonkeyPatch, cells: int) -> None:
    """Of all that counts, among brokers that may hold it, however many topics are counted at a time.

    Brokers 1 to 3 hold 2 2 0 of a and 1 1 3 of b; they lead 2 0 0 and 1 1 1.
    """
    monkeypatch.setattr(apart, "CELLS", cells)
    three = spread([True, True, True, False], [True, True, True, False])
    assert (three.replicas(), three.leaders()) == (0, 2)
    assert (three.replicas_of_topics(), three.leaders_of_topics()) == (2, 2)
    two = spread([True, True, False, False], [False, True, True, False])
    assert (two.replicas(), two.leaders()) == (0, 0)
    assert (two.replicas_of_topics(), two.leaders_of_topics()) == (0, 0)


def test_lists_of_any_length_are_counted() -> None:
    """Partitions without a replica count for nobody; without any topic nobody is apart."""
    lists = CLUSTER.replicas.copy()
    lists[0] = -1
    every = np.ones(4, dtype=bool)
    assert Spread(CLUSTER, lists, every, every).leaders_of_topics() == 1
    nothing = build_cluster("c", Brokers.of([1, 2]), [], [], [])
    two = np.ones(2, dtype=bool)
    assert Spread(nothing, nothing.replicas, two, two).replicas_of_topics() == 0
