"""Files that no worker can open come to the steps of a run as rows."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from equipoise.pipeline.places.contents import contents, digests
from equipoise.pipeline.places.digests import PIECE, digest_of
from equipoise.pipeline.places.hadoop import hadoop_place
from equipoise.pipeline.readers.fleet import find_clusters, state_files

pytestmark = pytest.mark.spark

NAMES = ("pay", "shop", "a{b}[c] 100%")


def test_each_file_comes_once(spark: SparkSession, tmp_path: Path) -> None:
    """Whatever its folder is called, and whatever others are: with its content, and with its digest."""
    wanted = {}
    for cluster in NAMES:
        (tmp_path / cluster).mkdir()
        for name in ("brokers.txt", "topics.txt"):
            content = f"{name} of {cluster}".encode()
            if cluster == "shop":  # of more than one piece, or of one to the byte
                content = content.ljust(PIECE + (3 * PIECE + 5 if name == "topics.txt" else 0), b"x")
            (tmp_path / cluster / name).write_bytes(content)
            wanted[cluster, name] = content
    clusters = find_clusters(hadoop_place(spark, f"file://{tmp_path}"))
    rows = state_files(spark, clusters).select("cluster", "file", "content").collect()
    assert sorted((row.cluster, row.file, bytes(row.content)) for row in rows) == sorted(
        (*key, content) for key, content in wanted.items()
    )
    places = [file.path for cluster in clusters for file in cluster.files]
    assert contents(spark, places).count() == len(wanted)  # type: ignore[arg-type]
    told = set(digests(spark, places).values())  # type: ignore[arg-type]
    assert told == {digest_of(content) for content in wanted.values()}
