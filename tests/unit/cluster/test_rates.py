"""What partitions bear of each load and what brokers may, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.cluster import Brokers, build_cluster, rates

BLANK = np.full(2, np.nan)
BROKERS = Brokers(
    np.array([1, 2]), (None, None), np.array([1_000.0, np.nan]), BLANK, BLANK, cpu_percent=np.array([50, 100])
)
CLUSTER = build_cluster(
    "c", BROKERS, ["t"] * 2, [0, 1], [[1, 2], [2]],
    size_bytes=[10.5, np.nan], bytes_in_per_s=[3.0, 4.5], bytes_out_per_s=[7.5, np.nan], cpu_percent=[1.5, 2],
)  # fmt: skip


@pytest.mark.parametrize(
    ("load", "borne"),
    [("disk", [11, np.nan]), ("network-in", [3, 5]), ("cpu", [1_500_000, 2_000_000])],
)
def test_what_a_replica_bears(load: str, borne: list[float]) -> None:
    """Whole numbers, rounded up, CPU in millionths of a percent; unknown where nothing is told."""
    found = rates.borne(CLUSTER, load, CLUSTER.rf, None)
    assert np.array_equal(found, borne, equal_nan=True)


def test_what_a_leader_sends() -> None:
    """What consumers read, and what comes in once for each follower."""
    assert rates.borne(CLUSTER, "network-out", CLUSTER.rf, 2.0).tolist() == [3 + 8, 0 + 9]


@pytest.mark.parametrize(("load", "room"), [("disk", [900, np.nan]), ("cpu", [45_000_000, 90_000_000])])
def test_what_a_broker_may_bear(load: str, room: list[float]) -> None:
    """A part of its capacity in the unit of what partitions bear."""
    assert np.array_equal(rates.room(BROKERS, load, 90), room, equal_nan=True)


def test_what_size_and_retention_say_of_a_rate() -> None:
    """100 bytes within 10 seconds; nothing where data stay for ever, or go since there are too many bytes."""
    cluster = build_cluster(
        "c", Brokers.of([1]), ["t"] * 3, range(3), [[1]] * 3, size_bytes=[100] * 3,
        retention_s=[10, np.inf, 10], retention_bytes=[np.inf, np.inf, 100],
    )  # fmt: skip
    assert rates.inbound(cluster) == pytest.approx([10, np.nan, np.nan], nan_ok=True)
