"""A real HDFS on loopback: Hadoop's own mini cluster, a name node and a data node in one JVM."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyspark
from tests.maven import brought, cache_folder

from equipoise.java import find_java
from equipoise.pipeline.launcher import LOGGING

VERSION = "3.5.0"
ARTIFACTS = (
    f"org.apache.hadoop:hadoop-client-minicluster:{VERSION}",
    "org.junit.jupiter:junit-jupiter-api:5.11.4",  # which it names and does not bring
)


@contextmanager
def hdfs(scratch: Path) -> Iterator[str]:
    """Start one, and yield its address without a slash at the end; it ends with the block."""
    jars = brought(cache_folder("hadoop") / VERSION, ARTIFACTS)
    details = scratch / "details.json"
    command = [
        str(find_java().path), "-Xmx400m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
        "-cp", f"{jars}/*:{Path(pyspark.__file__).parent / 'jars'}/*",
        f"-Dtest.build.data={scratch / 'data'}", f"-Dhadoop.log.dir={scratch}",
        f"-Dlog4j2.configurationFile={LOGGING}",
        "org.apache.hadoop.test.MiniDFSClusterManager",
        "-format", "-nnport", "0", "-writeDetails", str(details),
    ]  # fmt: skip
    with (scratch / "hdfs.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=scratch)
    try:
        yield f"hdfs://127.0.0.1:{port_of(details, process, scratch / 'hdfs.log')}"
    finally:
        process.terminate()
        process.wait(timeout=30)


def port_of(details: Path, process: subprocess.Popen[bytes], log: Path, seconds: float = 600.0) -> int:
    """The port of the name node, once it tells; raises ``RuntimeError`` with what the JVM said."""
    end_at = time.monotonic() + seconds
    while time.monotonic() < end_at and process.poll() is None:
        try:
            return int(json.loads(details.read_text())["namenode_port"])
        except (OSError, ValueError):
            time.sleep(0.2)
    raise RuntimeError(f"no HDFS: {log.read_text(errors='replace')[-2000:]}")
