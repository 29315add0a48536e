"""The page of a cluster as it is: what to know first, then every load that is known, and no other."""

from __future__ import annotations

import numpy as np
import pytest

from equipoise.cluster import Brokers, Cluster, build_cluster
from equipoise.report import cluster_page
from equipoise.report.cluster_data import cluster_data
from equipoise.report.cluster_page import cluster_page_data


@pytest.fixture
def cluster() -> Cluster:
    """Broker 4 is down, broker 3 has no rack, one size is not known."""
    brokers = Brokers.of([1, 2, 3, 4], {1: "a<b", 2: "c", 4: "c"})
    brokers = Brokers(**{**vars(brokers), "down": (None, None, None, "in no Isr")})
    return build_cluster(
        "four", brokers, ["t"] * 3, [0, 1, 2], [[1, 2], [2, 4], [1, 3]],
        size_bytes=np.array([2**30, 2**31, np.nan]), missing=("configs",),
    )  # fmt: skip


def test_the_chart_has_every_load_that_is_known(cluster: Cluster) -> None:
    """Brokers by rack, one without a rack under no name, the equal share, and what is not known."""
    chart = cluster_page_data(cluster_data(cluster))["charts"]["loads"]
    assert [load["title"] for load in chart["loads"]] == [
        "Replicas", "Preferred leaders", "Most leaders elsewhere if it fails", "Disk",
    ]  # fmt: skip
    disk = chart["loads"][3]
    values = dict(zip(chart["ids"], disk["values"], strict=True))
    assert values == {1: 2**30, 2: 3 * 2**30, 3: 0, 4: 2**31}
    assert disk["caption"].endswith("the equal share would be 1.5 GiB. Not known of 1 partition.")
    assert dict(zip(chart["ids"], chart["down"], strict=True))[4] == "in no Isr"
    spans = chart["racks"]
    named = {chart["ids"][at]: span["name"] for span in spans for at in (span["first"], span["last"])}
    assert named == {1: "a<b", 2: "c", 4: "c"}


def test_the_page_says_what_is_dead_and_what_no_source_tells(cluster: Cluster) -> None:
    """Escaped; a figure that nobody tells is a dash and never 0."""
    html = cluster_page(cluster_data(cluster))
    assert "a&lt;b" in html and "a<b" not in html
    assert "not alive: in no Isr" in html
    assert "No source gives min.insync.replicas, so it is not checked." in html
    assert "<dt>Under-replicated</dt><dd>–<small>no source tells the Isr</small>" in html
    assert "<dt>Against the rack rule</dt><dd>–<small>racks are not known</small>" in html
