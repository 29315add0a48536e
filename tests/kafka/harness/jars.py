"""Java and Kafka's jars: found, or brought once through Maven or jgo into the user's cache folder."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from equipoise.java import find_java

NEWEST = "4.3.0"
OLDER_4 = "4.1.2"
LAST_3 = "3.9.2"

ARTIFACTS = (
    "org.apache.kafka:kafka_2.13:{0}",
    "org.apache.kafka:kafka-tools:{0}",
    "org.slf4j:slf4j-simple:1.7.36",
)

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>equipoise.tests</groupId><artifactId>brokers</artifactId><version>1</version>
<dependencies>{dependencies}</dependencies></project>"""

DEPENDENCY = "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>"


def cache_folder() -> Path:
    """Where the jars stay between runs."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "equipoise" / "kafka"


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
    folder = cache_folder() / version
    with only_one(folder.with_name(f"{version}.lock")):
        if not (folder / "complete").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            (bring_with_maven if shutil.which("mvn") else bring_with_jgo)(version, folder)
            (folder / "complete").touch()
    return f"{folder}/*"


@contextmanager
def only_one(lock: Path) -> Iterator[None]:
    """Hold a lock file, so that two test runs do not fill the same folder."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def bring_with_maven(version: str, folder: Path) -> None:
    names = [artifact.format(version).split(":") for artifact in ARTIFACTS]
    pom = folder / "pom.xml"
    pom.write_text(POM.format(dependencies="".join(DEPENDENCY.format(*name) for name in names)))
    goal = ["dependency:copy-dependencies", f"-DoutputDirectory={folder}"]
    run(["mvn", "-q", "-B", "-f", str(pom), *goal], f"Kafka {version} through Maven")


def bring_with_jgo(version: str, folder: Path) -> None:
    endpoint = "+".join(artifact.format(version) for artifact in ARTIFACTS)
    jgo = str(Path(sys.executable).with_name("jgo"))
    options = ["--class-path-only", "--resolver", "python", "info", "classpath", endpoint]
    printed = run([jgo, *options], f"Kafka {version} through jgo")
    # It prints the jars without a module description; the others lie in a folder beside them.
    jars = next(Path(line).parent.parent for line in printed.split() if line.endswith(".jar"))
    for jar in jars.glob("*/*.jar"):
        shutil.copy(jar, folder)


def run(command: list[str], what: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        raise RuntimeError(f"{what} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout
