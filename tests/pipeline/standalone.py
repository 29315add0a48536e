"""A standalone Spark cluster on loopback, from the jars that PySpark brings."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pyspark

from equipoise.java import find_java
from equipoise.pipeline.launcher import LOGGING, OPENED

HOME = Path(pyspark.__file__).parent
WRAPPER = """#!/bin/sh
# Spark asks every executor's Java for a module that the Java from PyPI does not have; nothing here needs it.
for argument; do
    shift
    [ "$argument" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$argument"
done
exec "{java}" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 "$@"
"""

APART = 'while [ "$1" != -- ]; do mount -t tmpfs tmpfs "$1" || exit; shift; done; shift; exec "$@"'
"""In a name space of its own for what is mounted: folders that hide what stands there, up to ``--``."""


@contextmanager
def standalone(scratch: Path, n_workers: int = 2, hidden: Sequence[Path] = ()) -> Iterator[str]:
    """Start a master and workers of one core each, and yield the master's address; all end with the block.

    Worker k works in ``scratch/worker-k``, where it makes a folder for each application that it serves. In
    place of each folder of ``hidden`` it has an empty one of its own, which nobody else sees, and it works in
    the first of them.
    """
    java = wrapper(scratch)
    port = free_port()
    address = f"spark://127.0.0.1:{port}"
    with ExitStack() as stack:
        master = ["master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]
        stack.enter_context(daemon(java, scratch / "master.log", master))
        wait_for(port)
        for k in range(n_workers):
            folder = (hidden[0] if hidden else scratch) / f"worker-{k}"
            if not hidden:
                folder.mkdir()
            worker = ["worker.Worker", "--host", "127.0.0.1", "--webui-port", "0", "--cores", "1"]
            worker += ["--memory", "1g", "--work-dir", str(folder), address]
            stack.enter_context(daemon(java, scratch / f"worker-{k}.log", worker, hidden))
        yield address


def wrapper(scratch: Path) -> Path:
    """A home with a ``java`` that leaves out what the real one may not have."""
    program = scratch / "java-home" / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(WRAPPER.format(java=find_java().path))
    program.chmod(0o755)
    return program


def free_port() -> int:
    with closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextmanager
def daemon(java: Path, log: Path, command: list[str], hidden: Sequence[Path] = ()) -> Iterator[None]:
    """One of Spark's daemons, ended with the block."""
    name, *arguments = command
    prefix = ["unshare", "--mount", "sh", "-c", APART, "sh", *map(str, hidden), "--"] if hidden else []
    env = os.environ | {
        "SPARK_HOME": str(HOME),
        "SPARK_SCALA_VERSION": "2.13",
        "SPARK_LOCAL_IP": "127.0.0.1",
        "JAVA_HOME": str(java.parent.parent),
        **({"TMPDIR": str(hidden[0]), "SPARK_LOCAL_DIRS": str(hidden[0])} if hidden else {}),
    }
    options = [f"--add-opens={package}=ALL-UNNAMED" for package in OPENED]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*prefix, java, "-cp", f"{HOME}/jars/*", "-Xmx512m", f"-Dlog4j2.configurationFile={LOGGING}",
             *options, f"org.apache.spark.deploy.{name}", *arguments],
            stdout=output, stderr=output, stdin=subprocess.DEVNULL, env=env,
        )  # fmt: skip
    try:
        yield
    finally:
        process.terminate()
        process.wait(timeout=30)


def wait_for(port: int, seconds: float = 300.0) -> None:
    """Return once something listens; raises ``TimeoutError``."""
    end_at = time.monotonic() + seconds
    while time.monotonic() < end_at:
        with closing(socket.socket()) as caller:
            if caller.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError(f"nothing listens on port {port}")
