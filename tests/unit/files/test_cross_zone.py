"""The price of what crosses racks: copies once, replication by the month."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from equipoise.cli.options import chosen
from equipoise.cluster import Brokers, Cluster, Plan, build_cluster
from equipoise.errors import UnusableInput
from equipoise.files.cross_zone import cross_zone
from equipoise.planning.request.options import request_of
from equipoise.report.cross_zone import zone_words

GB = 10**9
RACKS = {0: "a", 1: "a", 2: "b", 3: "b"}


def cluster(**facts: object) -> Cluster:
    """"pay" with a replica in each of two racks, "log" with both in rack a; broker 3 is empty."""
    known: dict[str, object] = {
        "size_bytes": [40 * GB, 100 * GB], "bytes_in_per_s": [1e6, 2e6], "leader_id": [0, 2], **facts,
    }  # fmt: skip
    brokers = Brokers.of(list(RACKS), RACKS)
    return build_cluster("c", brokers, ["log", "pay"], [0, 0], [[0, 1], [2, 0]], **known)  # type: ignore[arg-type]


def plan(state: Cluster, *lists: list[int], price: float = 0.02) -> Plan:
    """These lists of "log" and "pay"."""
    target = np.array(lists, dtype=np.int32)
    everyone = np.ones(state.n_brokers, dtype=bool)
    return Plan(state, target, everyone, request={"cross_zone_price": price})


def test_a_copy_is_priced_by_where_it_comes_from() -> None:
    """One of "log" comes to rack b from its leader in a; the one of "pay" stays within rack b."""
    facts = cross_zone(plan(cluster(), [0, 3], [3, 0]))
    assert facts is not None
    assert (facts["copies"], facts["copied_bytes"], facts["copies_cost"]) == (1, 40 * GB, 0.8)


def test_the_leader_of_the_moment_is_the_source() -> None:
    """Not the preferred one: "pay" is led from rack a now, so its copy crosses."""
    facts = cross_zone(plan(cluster(leader_id=[0, 0]), [0, 1], [3, 0]))
    assert facts is not None and (facts["copies"], facts["copies_cost"]) == (1, 2.0)


def test_replication_is_priced_before_and_after() -> None:
    """2 MB/s cross before, 3 MB/s afterwards: of 30 days 2,592,000 seconds."""
    moved = plan(cluster(), [0, 3], [2, 0])
    facts = cross_zone(moved)
    assert facts is not None
    assert facts["replication_bytes_per_s"] == [2_000_000, 3_000_000]
    assert facts["replication_cost_per_month"] == [103.68, 155.52]
    assert zone_words(moved) == [
        "Copies to another rack: 1 replica, 37.3 GiB, 0.80 at 0.02 a GB",
        "Replication between racks: 2 MB/s before, 3 MB/s after; 103.68 and 155.52 a month at 0.02 a GB",
    ]


def test_consumers_are_priced_where_they_are() -> None:
    """Of "log" all read in rack b, of every other topic three of four in a; its leader goes from b to a."""
    told = [("", "a", 0.75), ("", "b", 0.25), ("log", "b", 1.0)]
    state = cluster(bytes_out_per_s=[1e6, 4e6])
    moved = plan(state, [0, 1], [0, 2])
    facts = cross_zone(replace(moved, request={**moved.request, "consumers_in": told}))
    assert facts is not None
    assert facts["consumers_bytes_per_s"] == [4_000_000, 2_000_000]
    assert facts["consumers_cost_per_month"] == [207.36, 103.68]
    read = zone_words(replace(moved, request={**moved.request, "consumers_in": told}))[-1]
    assert read == (
        "Consumers in another rack than the leader: 4 MB/s before, 2 MB/s after; "
        "207.36 and 103.68 a month at 0.02 a GB"
    )


def test_consumers_come_from_a_file(tmp_path: Path) -> None:
    """A line for each rack of a topic; without a topic of all others."""
    (tmp_path / "read.csv").write_text("# who reads where\n,a,1\nlog,b,.5\nlog,a,0.5\n")
    read = chosen({"consumers-in": str(tmp_path / "read.csv")})
    assert request_of(read).consumers_in == (("", "a", 1.0), ("log", "a", 0.5), ("log", "b", 0.5))
    (tmp_path / "read.csv").write_text("a,1\n")
    with pytest.raises(UnusableInput, match=r"read.csv, line 1: 'a,1' is not TOPIC,RACK,PART"):
        chosen({"consumers-in": str(tmp_path / "read.csv")})


def test_what_is_not_known_is_said_and_never_nothing() -> None:
    """Neither a cost nor a figure where no size and no rate is known; what is known of some is said so."""
    bare = plan(cluster(size_bytes=[np.nan] * 2, bytes_in_per_s=[np.nan] * 2), [0, 3], [2, 0])
    facts = cross_zone(bare)
    assert facts is not None and facts["copies"] == 1 and facts["copies_cost"] is None
    assert zone_words(bare) == [
        "Copies to another rack: 1 replica (without 1 partition of unknown size)",
        "Replication between racks: no source tells what is written",
    ]
    some = zone_words(plan(cluster(bytes_in_per_s=[np.nan, 2e6]), [0, 3], [2, 0]))
    assert some[1].endswith("a month at 0.02 a GB (without 1 partition of unknown inbound rate)")


def test_without_a_price_or_racks_nothing_is_priced() -> None:
    """Racks that nobody names are not one rack."""
    state = cluster()
    assert cross_zone(Plan(state, state.replicas, np.ones(4, dtype=bool))) is None
    rackless = build_cluster("c", Brokers.of([0, 1]), ["pay"], [0], [[0]], size_bytes=[GB])
    moved = plan(rackless, [1])
    facts = cross_zone(moved)
    assert facts is not None and facts["copies"] is None and facts["copies_cost"] is None
    assert zone_words(moved) == []
