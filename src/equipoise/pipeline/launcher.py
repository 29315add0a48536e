"""Starts Spark's JVM ourselves, quietly.

The stock launcher always asks for the module ``jdk.incubator.vector``, which the Java from PyPI does not
have and about which every other Java prints a warning. This one leaves it out and sends what the JVM prints
to a file. PySpark takes the JVM over through the two variables that ``spark-submit`` sets as well.
"""

from __future__ import annotations

import atexit
import os
import shlex
import struct
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from equipoise.errors import UnusableInput
from equipoise.java import Java

OPENED = (
    "java.base/java.lang",
    "java.base/java.lang.invoke",
    "java.base/java.lang.reflect",
    "java.base/java.io",
    "java.base/java.net",
    "java.base/java.nio",
    "java.base/java.util",
    "java.base/java.util.concurrent",
    "java.base/java.util.concurrent.atomic",
    "java.base/jdk.internal.ref",
    "java.base/sun.nio.ch",
    "java.base/sun.nio.cs",
    "java.base/sun.security.action",
    "java.base/sun.util.calendar",
    "java.security.jgss/sun.security.krb5",
)
"""Packages that Spark reaches into: what SPARK_PRINT_LAUNCH_COMMAND=1 shows of the stock launcher."""
LOGGING = Path(__file__).with_name("log4j2.properties")
START_TIMEOUT_S = 120.0
FOLDERS = ("HADOOP_CONF_DIR", "YARN_CONF_DIR")
HEAP = "2g"
CODE_CACHE = "240m"
"""Room for compiled code: with the quick compiler alone a JVM takes 48 MB, and many jobs fill that."""


class LaunchError(Exception):
    """The JVM ended, or said nothing, before PySpark could connect."""


@dataclass
class Gateway:
    """A JVM that waits for PySpark; it ends when its standard input closes, so with this process."""

    process: subprocess.Popen[bytes]
    port: int
    secret: str
    log: Path

    def announce(self) -> None:
        """Make the next Spark session of this process use this JVM."""
        announced.append(self)
        os.environ["PYSPARK_GATEWAY_PORT"] = str(self.port)
        os.environ["PYSPARK_GATEWAY_SECRET"] = self.secret


announced: list[Gateway] = []
"""Those that sessions of this process have used: the last one is that of the session there is."""


def launch(java: Java, conf: Mapping[str, str], *, long: bool = False) -> Gateway:
    """Start the JVM with settings of Spark, for short or ``long`` work.

    Raises :class:`LaunchError` where it does not come up.
    """
    import pyspark

    home = Path(pyspark.__file__).parent
    scratch = tempfile.TemporaryDirectory(prefix="equipoise-spark-")
    atexit.register(scratch.cleanup)
    log, answer = Path(scratch.name) / "jvm.log", Path(scratch.name) / "connection"
    env = os.environ | {
        "SPARK_HOME": str(home),
        "SPARK_CONNECT_MODE": "0",
        "_PYSPARK_DRIVER_CONN_INFO_PATH": str(answer),
    }
    with log.open("wb") as output:
        process = subprocess.Popen(
            command(java, conf, home, long=long),
            stdin=subprocess.PIPE,
            stdout=output,
            stderr=output,
            env=env,
            process_group=0,  # Ctrl-C is for this process; it tells Spark what to cancel
        )
    atexit.register(end, process)
    port, secret = connection(process, answer, log)
    return Gateway(process, port, secret, log)


def command(java: Java, conf: Mapping[str, str], home: Path, *, long: bool = False) -> list[str]:
    """The JVM's command line; the class path names jars alone, as a class-data archive needs it.

    Where ``HADOOP_CONF_DIR`` or ``YARN_CONF_DIR`` names a folder of Hadoop's settings, it is there too, and
    before it what ``spark.driver.extraClassPath`` names. What only a JVM that is about to start can be told
    (heap, options, class path) is taken from ``conf``; the rest of it goes to Spark, which brings the driver
    its jars and packages. The quick compiler alone starts sooner; from some minutes of work on, the thorough
    one halves the time.
    """
    path = [*filter(None, [conf.get("spark.driver.extraClassPath")]), str(home / "jars" / "*")]
    path += [os.environ[variable] for variable in FOLDERS if os.environ.get(variable)]
    return [
        str(java.path),
        "-cp",
        os.pathsep.join(path),
        f"-Xmx{heap(conf.get('spark.driver.memory', HEAP))}",
        "-XX:+IgnoreUnrecognizedVMOptions",
        "-XX:+UseSerialGC",
        *(() if long else ("-XX:TieredStopAtLevel=1",)),
        f"-XX:ReservedCodeCacheSize={CODE_CACHE}",
        "--sun-misc-unsafe-memory-access=allow",
        "--enable-native-access=ALL-UNNAMED",
        *(f"--add-opens={package}=ALL-UNNAMED" for package in OPENED),
        "-Dio.netty.tryReflectionSetAccessible=true",
        f"-Dlog4j2.configurationFile={LOGGING}",
        *options(conf),
        "org.apache.spark.deploy.SparkSubmit",
        *(word for key, value in conf.items() for word in ("--conf", f"{key}={value}")),
        "pyspark-shell",
    ]


def heap(size: str) -> str:
    """A size as Java writes it: Spark takes a number alone for megabytes, and has "4gb" beside "4g"."""
    return f"{size}m" if size.isdecimal() else size.strip().lower().removesuffix("b")


def options(conf: Mapping[str, str]) -> list[str]:
    """The options of Java that are asked for; raises :class:`UnusableInput` where a quote is left open."""
    key = "spark.driver.extraJavaOptions"
    try:
        return shlex.split(conf.get(key, ""))
    except ValueError as error:
        raise UnusableInput(f"cannot be read ({error})", source="--conf", place=key) from None


def connection(process: subprocess.Popen[bytes], answer: Path, log: Path) -> tuple[int, str]:
    """Port and secret from the file that the JVM writes: int32 port, int32 length, the secret."""
    end_at = time.monotonic() + START_TIMEOUT_S
    while not answer.is_file():
        if process.poll() is not None or time.monotonic() > end_at:
            end(process)
            raise LaunchError(log.read_text(errors="replace").strip() or "the JVM said nothing")
        time.sleep(0.02)
    data = answer.read_bytes()
    port, length = struct.unpack_from("!ii", data)
    return port, data[8 : 8 + length].decode()


def free_no_more() -> None:
    """Let no thread tell the JVM of objects that nobody needs: while that ends it would print a traceback."""
    from pyspark import SparkContext

    if SparkContext._gateway is not None:
        SparkContext._gateway._gateway_client.is_connected = False


def end(process: subprocess.Popen[bytes]) -> None:
    """Close the JVM's standard input, which ends it, and wait a little before ending it by force."""
    free_no_more()
    if process.stdin is not None:
        process.stdin.close()
    try:
        process.wait(timeout=10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
