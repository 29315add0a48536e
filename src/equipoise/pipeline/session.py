"""The Spark session: ours, quiet and small, or the one that spark-submit gave, untouched."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from pathlib import PurePath
from threading import Event
from typing import TYPE_CHECKING, Any, TypeVar

from equipoise.errors import EquipoiseError, UnusableInput
from equipoise.java import find_java
from equipoise.pipeline.launcher import LaunchError, announced, launch
from equipoise.solver_process import ENDING_S, ending
from equipoise.wording import quoted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Result = TypeVar("Result")
HEAP = "EQUIPOISE_SPARK_MEMORY"
"""Names the heap of the driver's JVM ("4g"), where ``spark.driver.memory`` does not; else it is 2 GB."""
HEARING_S = 0.2
"""How long Ctrl-C may take to be heard."""
REST_S = 30.0
"""How long tasks may go on that nobody wants any more: Spark ends their Python after two seconds."""
REFUSED = re.compile(r'^Exception in thread "main" (?:[\w.$]+: )?(.+)', re.MULTILINE)
"""What a JVM says that came up and whose settings Spark will not work with."""
ON_ONE_MACHINE = {"spark.locality.wait": "0s"}
"""On one machine Spark looks again at what waits where a task ends, and never else: one that waited for a
better place than the only one there is, as for blocks in HDFS, would wait for ever where nothing runs."""
TASKS, TASKS_A_CORE = "spark.sql.files.minPartitionNum", 4
"""Files are read in so many tasks for each core, as far as there are files: they differ in rows. With one
task a core, as Spark has it by itself, the one with the most rows would be waited for."""
LOOPBACK = ("local", "spark://127.0.0.1:", "spark://localhost:")


class SparkFailed(EquipoiseError):
    """Spark could not finish a job: a worker died, or there is a bug. The whole story is in a file."""


@contextmanager
def session(
    master: str | None = None, *, long: bool = False, conf: Mapping[str, str] | None = None
) -> Iterator[SparkSession]:
    """A Spark session on ``master``, by default every core of this machine; stopped afterwards.

    For ``long`` work the JVM compiles thoroughly, which a short run would not earn back. ``conf`` are
    settings of Spark, over our own. Under ``spark-submit`` its session is used as it is, and left running:
    there ``conf`` is for settings of SQL alone. Raises :class:`UnusableInput`
    where there is no Java or the master does not answer, and :class:`SparkFailed` for a job that fails
    within the block, and where the JVM ends.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    if "PYSPARK_GATEWAY_PORT" in os.environ or SparkSession.getActiveSession() is not None:
        spark, is_ours = SparkSession.builder.config(map=dict(conf or {})).getOrCreate(), False
    else:
        spark, is_ours = started(master or "local[*]", long=long, conf=conf or {}), True
    try:
        yield spark
    except Exception as error:
        if is_gone(spark):  # whatever was at work then found out in its own way
            raise failed(error, jvm_ending()) from error
        if isinstance(error, PySparkException | Py4JError):
            raise failed(error, in_short(error)) from error
        raise
    finally:
        if is_ours:
            with suppress(Py4JError, OSError):  # a JVM that has ended has nothing to stop
                spark.stop()


def is_gone(spark: SparkSession) -> bool:
    """Whether the JVM answers nobody any more."""
    from py4j.protocol import Py4JError

    jvm: Any = spark._jvm
    try:
        jvm.System.nanoTime()
    except (Py4JError, OSError):
        return True
    return False


def jvm_ending() -> str:
    """How the JVM ended, as far as that can be known."""
    code = None
    if announced:
        with suppress(subprocess.TimeoutExpired):  # its connections go before it does
            code = announced[-1].process.wait(ENDING_S)
    return f"its JVM {'has ended' if code is None else ending(code)}"


def interruptible(spark: SparkSession, work: Callable[[Event], Result]) -> Result:
    """What ``work`` returns; Ctrl-C cancels its Spark jobs, lets it clean up, and is raised then.

    The work runs in a thread of its own: an interruption in the middle of a call to the JVM would leave the
    connection, and the job, as they are. It is given an event that Ctrl-C sets, for a quick job may end
    before it can be cancelled.
    """
    stopped = Event()
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work, stopped)
        try:
            while not future.done():  # a wait without end does not hear what another thread was woken for
                wait([future], timeout=HEARING_S)
        except KeyboardInterrupt:
            stopped.set()
            while not future.done():  # between two jobs there is nothing to cancel yet
                spark.sparkContext.cancelAllJobs()
                wait([future], timeout=HEARING_S)
            raise
        return future.result()


@contextmanager
def at_rest_when_failed(spark: SparkSession) -> Iterator[None]:
    """Where the block raises, no task runs any more when that is heard outside of it.

    A job that is cancelled, or fails, is over for Spark while its tasks still run, and write.
    """
    from py4j.protocol import Py4JError

    try:
        yield
    except BaseException:
        end_at = time.monotonic() + REST_S
        with suppress(Py4JError, OSError):  # a JVM that has ended takes its tasks along
            while any(running_tasks(spark)) and time.monotonic() < end_at:
                time.sleep(HEARING_S)
        raise


def running_tasks(spark: SparkSession) -> Iterator[int]:
    """How many each executor has: of the scheduler, as the public status knows nothing of short tasks."""
    context: Any = spark.sparkContext
    numbers = context._jsc.sc().taskScheduler().runningTasksByExecutors().valuesIterator()
    while numbers.hasNext():
        yield numbers.next()


def started(master: str, *, long: bool = False, conf: Mapping[str, str]) -> SparkSession:
    """A new session, with our own launcher or, where that fails, with PySpark's."""
    from py4j.protocol import Py4JError
    from pyspark import SparkContext
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else workers take any python3 of the path
    master = trying_twice(master)
    if master.startswith(LOOPBACK):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    builder = SparkSession.builder.master(master).appName("equipoise")
    memory = {"spark.driver.memory": os.environ[HEAP]} if os.environ.get(HEAP) else {}
    conf = memory | dict(conf)
    for key, value in (settings() | (ON_ONE_MACHINE if is_local(master) else {}) | conf).items():
        builder = builder.config(key, value)
    refused = ""
    if SparkContext._gateway is None:
        java = find_java()
        try:
            launch(java, {"spark.master": master} | conf, long=long).announce()
        except LaunchError as error:
            if said := REFUSED.search(str(error)):  # what another launcher would be told, too
                raise UnusableInput(f"no Spark session ({said[1]})", source=f"--master {master}") from None
            refused = f", and our own launcher: {in_short(error)}"
            os.environ["JAVA_HOME"] = str(java.home)
    try:
        spark = builder.getOrCreate()
        if TASKS not in conf:
            spark.conf.set(TASKS, TASKS_A_CORE * spark.sparkContext.defaultParallelism)
        quiet(spark)
        return spark
    except (PySparkException, Py4JError, OSError) as error:
        reason = f"no Spark session ({in_short(error)}{refused})"
        raise UnusableInput(reason, source=f"--master {master}") from None
    finally:
        for variable in ("PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET"):
            os.environ.pop(variable, None)


def quiet(spark: SparkSession) -> None:
    """Let nobody print a traceback where the JVM ends: whoever waits for an answer of it says so."""
    server: Any = spark.sparkContext._accumulatorServer
    server.handle_error = lambda *_: None
    logging.getLogger().addFilter(not_of_py4j)


def not_of_py4j(record: logging.LogRecord) -> bool:
    """Py4J has no logger of its own for calls that fail."""
    return "py4j" not in PurePath(record.pathname).parts


def is_local(master: str) -> bool:
    """Whether all of Spark is one process."""
    return re.match(r"local(\[|$)", master) is not None


def trying_twice(master: str) -> str:
    """The master with a second try for each task: on one machine Spark hears of none but from its name."""
    found = re.fullmatch(r"local(?:\[([0-9]+|\*)\])?", master)
    return f"local[{found[1] or 1},2]" if found else master


def settings_of(pairs: Sequence[str]) -> dict[str, str]:
    """Settings of Spark from ``KEY=VALUE``; raises :class:`UnusableInput` for what is none."""
    found = {}
    for pair in pairs:
        key, is_pair, value = pair.partition("=")
        if not is_pair or not re.fullmatch(r"spark\.[\w.-]+", key):
            raise UnusableInput(
                f"{quoted(pair)} is no setting of Spark", source="--conf", advice="Write spark.KEY=VALUE"
            )
        found[key] = value
    return found


def failed(error: Exception, reason: str) -> SparkFailed:
    """A failed job in one line, with everything that is known of it in a file that stays."""
    handle, path = tempfile.mkstemp(prefix="equipoise-failed-", suffix=".log")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write("".join(traceback.format_exception(error)))
    return SparkFailed(f"Spark could not finish ({reason}); see {path}")


def in_short(error: Exception) -> str:
    """The line that says what happened: a Java exception's own, else the last one of a Python traceback."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    java = next((line for line in lines if line.startswith(": ")), None)
    return java.removeprefix(": ") if java else lines[-1 if "Traceback" in str(error) else 0]


def settings() -> dict[str, str]:
    """Settings of our own sessions."""
    return {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.adaptive.enabled": "true",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        # So many to begin with; how many it takes for the data and the cores there are is seen as it runs.
        "spark.sql.adaptive.coalescePartitions.initialPartitionNum": "512",
        "spark.sql.session.timeZone": "UTC",
        # A run has some hundred pieces of compiled code, and those that do not fit are compiled again.
        "spark.sql.codegen.cache.maxEntries": "2000",
        # To note where in our code each column was made costs eight calls to the JVM, and nobody is told.
        "spark.python.sql.dataFrameDebugging.enabled": "false",
        # Files come to Python as rows, and are not to be many at a time.
        "spark.sql.execution.arrow.maxBytesPerBatch": "16m",
        # A plan is a function of its input: a task that failed twice fails again.
        "spark.task.maxFailures": "2",
    }
