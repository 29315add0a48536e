"""Jars for tests, brought once through Maven or jgo into the user's cache folder."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>equipoise.tests</groupId><artifactId>jars</artifactId><version>1</version>
<dependencies>{dependencies}</dependencies></project>"""

DEPENDENCY = """<dependency>
<groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version>{}</dependency>"""
ALONE = "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>"


def cache_folder(name: str) -> Path:
    """Where the jars of one kind stay between runs."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "equipoise" / name


def brought(folder: Path, artifacts: Sequence[str]) -> Path:
    """The folder, with the jars of some artifacts (``group:artifact:version``) and of all that they need.

    Of one with an exclamation mark at its end the jar alone, which takes Maven.
    """
    with only_one(folder.with_name(f"{folder.name}.lock")):
        if not (folder / "complete").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            (with_maven if shutil.which("mvn") else with_jgo)(folder, artifacts)
            (folder / "complete").touch()
    return folder


@contextmanager
def only_one(lock: Path) -> Iterator[None]:
    """Hold a lock file, so that two test runs do not fill the same folder."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def with_maven(folder: Path, artifacts: Sequence[str]) -> None:
    pom = folder / "pom.xml"
    told = (DEPENDENCY.format(*a.rstrip("!").split(":"), ALONE if a.endswith("!") else "") for a in artifacts)
    pom.write_text(POM.format(dependencies="".join(told)))
    goal = ["dependency:copy-dependencies", f"-DoutputDirectory={folder}"]
    run(["mvn", "-q", "-B", "-f", str(pom), *goal], f"{artifacts[0]} through Maven")


def with_jgo(folder: Path, artifacts: Sequence[str]) -> None:
    if alone := [artifact for artifact in artifacts if artifact.endswith("!")]:
        raise RuntimeError(f"{alone[0]}: without what it needs it comes through Maven only; install mvn")
    endpoint = "+".join(artifacts)
    jgo = str(Path(sys.executable).with_name("jgo"))
    printed = ""
    for only, path in (("--class-path-only", "classpath"), ("--module-path-only", "modulepath")):
        options = [only, "--resolver", "python", "info", path, endpoint]
        printed += run([jgo, *options], f"{artifacts[0]} through jgo")
    # Jars with a module description lie in one folder, the others in one beside it.
    jars = next(Path(line).parent.parent for line in printed.split() if line.endswith(".jar"))
    for jar in jars.glob("*/*.jar"):
        shutil.copy(jar, folder)


def run(command: list[str], what: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    if done.returncode:
        raise RuntimeError(f"{what} failed:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout
