"""What is not well, as metadata and the list of moves tell it."""

from __future__ import annotations

from equipoise.execution.carrier import health_of
from equipoise.execution.port import PartitionState, Reassignment, TopicPartition

NAME = TopicPartition("pay", 0)


def test_what_is_only_being_added_is_no_fault() -> None:
    """The union of a move is longer than the ISR, and later the ISR longer than the replication factor."""
    moving = {NAME: Reassignment((3, 1, 2, 0), (3,), (0,))}
    for isr in ((0, 1, 2), (0, 1, 2, 3)):
        told = health_of({NAME: PartitionState((3, 1, 2, 0), isr, 0)}, moving, {"pay": 3})
        assert (told.under_replicated, told.under_min_isr, told.at_min_isr) == ({}, frozenset(), frozenset())


def test_a_replica_that_is_missing_beside_them_is() -> None:
    """Broker 2 is out while broker 3 is still being added."""
    moving = {NAME: Reassignment((3, 1, 2, 0), (3,), (0,))}
    states = {NAME: PartitionState((3, 1, 2, 0), (0, 1), 0)}
    assert health_of(states, moving, {}).under_replicated == {NAME: (2,)}
    assert health_of(states, moving, {"pay": 2}).at_min_isr == {NAME}
    assert health_of(states, moving, {"pay": 3}).under_min_isr == {NAME}


def test_a_short_list_that_is_whole_is_well_whatever_its_min_isr() -> None:
    """Waiting would not change it: it was made so."""
    assert not health_of({NAME: PartitionState((0,), (0,), 0)}, {}, {"pay": 2}).under_min_isr
