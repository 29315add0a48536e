"""The classes that a broker loads, kept as they are in memory: it starts with half of the work.

A JVM writes them when it ends, and others take from it what they need (JEP 350, "Dynamic CDS Archives").
"""

from __future__ import annotations

import os
from pathlib import Path

from harness.certificates import Certificates
from harness.cluster import RACKS, KafkaCluster
from harness.jars import class_archive


def archive_classes(version: str, folder: Path, certificates: Certificates) -> None:
    """Keep the classes of a Kafka version, unless that is done; a broker in ``folder`` loads them."""
    archive = class_archive(version)
    if archive.exists():
        return
    written = archive.with_suffix(f".{os.getpid()}")
    cluster = KafkaCluster(version, folder, RACKS[:1], certificates)
    cluster.nodes[0].java_options = (f"-XX:ArchiveClassesAtExit={written}",)
    with cluster:
        cluster.stop(0)
    written.rename(archive)  # whole at once, as another run may look for it
