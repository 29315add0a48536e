"""Loads of samples laid over what a cluster's files tell."""

from __future__ import annotations

import pyarrow as pa

from equipoise.cluster import Brokers, build_cluster
from equipoise.cluster.cluster import LoadSource
from equipoise.pipeline.transforms.known_loads import with_loads
from equipoise.planning import Request, make_plan


def test_cpu_is_what_a_file_tells_whatever_samples_there_are() -> None:
    """Samples tell none of partitions: a fleet's `balance = "cpu:10"` levels what Cruise Control's file says.

    Broker 0 leads 3.5 % of a broker's CPU, broker 1 half a percent.
    """
    told = LoadSource("cpu", "Cruise Control's partition_load", 3)
    cluster = build_cluster(
        "eu", Brokers.of([0, 1]), ["t"] * 3, range(3), [[0, 1], [0, 1], [1, 0]],
        cpu_percent=[2.0, 1.5, 0.5], loads_from=(told,),
    )  # fmt: skip
    unknown = {"mean": None, "source": "unknown"}
    rate = {"mean": 7.0, "source": "measured"}
    figures = {"disk_bytes": unknown, "bytes_in_per_s": rate, "bytes_out_per_s": unknown}
    rows = [{"topic": "t", "partition": p, **figures} for p in range(3)]
    laid, _ = with_loads(cluster, pa.Table.from_pylist(rows), None)
    assert laid.bytes_in_per_s.tolist() == [7.0] * 3
    assert laid.cpu_percent.tolist() == [2.0, 1.5, 0.5] and told in laid.loads_from
    plan = make_plan(laid, Request(balance=("cpu:10:10",)))
    assert laid.ids_of(plan.target).tolist() == [[0, 1], [1, 0], [1, 0]]
