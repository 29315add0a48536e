"""Files that no worker can open come to the steps of a run as rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from equipoise.pipeline.jobs.inputs import with_before
from equipoise.pipeline.places.contents import contents
from equipoise.pipeline.places.digests import PIECE, digest_of
from equipoise.pipeline.places.hadoop import hadoop_place
from equipoise.pipeline.readers.fleet import find_clusters, state_files
from equipoise.pipeline.readers.parsed import parsed

pytestmark = pytest.mark.spark

NAMES = ("pay", "shop", "a{b}[c] 100%")
FILES = ("brokers.txt", "topics.txt")


def test_each_file_comes_once(spark: SparkSession, tmp_path: Path) -> None:
    """Whatever its folder is called, and whatever others are; where its cluster may be as it was, too."""
    wanted = {}
    for cluster in NAMES:
        (tmp_path / cluster).mkdir()
        for name in FILES:
            content = f"{name} of {cluster}".encode()
            if cluster == "shop":  # of more than one piece, or of one to the byte
                content = content.ljust(PIECE + (3 * PIECE + 5 if name == "topics.txt" else 0), b"x")
            (tmp_path / cluster / name).write_bytes(content)
            wanted[cluster, name] = content
    known = {name: {file: digest_of(wanted[name, file]) for file in FILES} for name in ("pay", "shop")}
    known["pay"]["topics.txt"] = digest_of(bytes(len(wanted["pay", "topics.txt"])))
    clusters = find_clusters(hadoop_place(spark, f"file://{tmp_path}"))
    rows = state_files(spark, clusters).select("cluster", "file", "content").collect()
    assert sorted((row.cluster, row.file, bytes(row.content)) for row in rows) == sorted(
        (*key, content) for key, content in wanted.items()
    )
    places = [file.path for cluster in clusters for file in cluster.files]
    assert contents(spark, places).count() == len(wanted)  # type: ignore[arg-type]
    asked = [replace(each, files=with_before(each.files, known.get(each.name, {}))) for each in clusters]
    told = parsed(state_files(spark, asked)).collect()
    assert {(row.cluster, row.file): row.digest for row in told} == {
        key: digest_of(content) for key, content in wanted.items()
    }
    assert {row.cluster for row in told if not row.faults} == {"shop"}  # others are parsed, and tell nothing
