"""Java and Kafka's jars: found, or brought once."""

from __future__ import annotations

import subprocess
from functools import cache
from hashlib import sha256
from pathlib import Path

from tests import maven
from tests.maven import brought
from tests.maven import run as run

from equipoise.java import find_java

NEWEST = "4.3.0"
OLDER_4 = "4.1.2"
LAST_3 = "3.9.2"

ARTIFACTS = (
    "org.apache.kafka:kafka_2.13:{0}",
    "org.apache.kafka:kafka-tools:{0}",
    "org.slf4j:slf4j-simple:1.7.36",
)


def cache_folder() -> Path:
    """Where the jars stay between runs."""
    return maven.cache_folder("kafka")


@cache
def java_home() -> Path:
    """Home of the Java that the product finds; raises where there is none."""
    return find_java().home


def java_tool(name: str) -> str:
    """Path of a program of that Java (``java``, ``keytool``)."""
    return str(java_home() / "bin" / name)


@cache
def class_path(version: str) -> str:
    """The class path of one Kafka version, ``:`` between its entries."""
    return f"{brought(cache_folder() / version, [name.format(version) for name in ARTIFACTS])}/*"


@cache
def class_archive(version: str) -> Path:
    """Where the loaded classes of one Kafka version are kept for this Java, see :mod:`harness.archive`.

    Beside its jars: of others, it would be of no use.
    """
    told = subprocess.run([java_tool("java"), "-version"], capture_output=True, check=True).stderr
    return cache_folder() / version / f"{sha256(told).hexdigest()[:12]}.jsa"
