"""Starting and stopping Spark: whose session it is, which Java, and what Ctrl-C leaves behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread, get_ident, main_thread

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession
from tests.pipeline.fleets import EXAMPLES, command

from equipoise.java import Java
from equipoise.pipeline.launcher import LaunchError, launch
from equipoise.pipeline.session import SparkFailed, at_rest_when_failed, interruptible, is_local, session
from equipoise.pipeline.transforms.memory import tasks_at_once

pytestmark = pytest.mark.spark


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_a_given_session_is_left_alone(spark: SparkSession) -> None:
    """Under a session that is there already, as spark-submit gives one, that one is used and not stopped."""
    with session("local[1]") as given:
        assert given is spark
    assert spark.range(3).count() == 3


def test_tasks_of_one_machine(spark: SparkSession) -> None:
    """On one machine all of the session's cores; their tasks share its memory."""
    assert tasks_at_once(spark) == 2


def test_on_one_machine_no_task_waits_for_another_place(spark: SparkSession) -> None:
    """Blocks of a file in HDFS have a place; a task that waits to run there would wait for ever."""
    assert spark.sparkContext.getConf().get("spark.locality.wait") == "0s"
    masters = ("local", "local[2]", "local[*,2]", "local-cluster[2,1,1024]", "spark://local:7077")
    assert [is_local(master) for master in masters] == [True, True, True, False, False]


def test_a_failing_job_is_one_line_and_a_file(spark: SparkSession) -> None:
    """What Spark throws becomes one line with the last word of the worker, and a file with all of it."""

    def broken(batches: object) -> object:
        raise OverflowError("too much for this worker")

    with (
        pytest.raises(
            SparkFailed, match=r"\(OverflowError: too much for this worker\); see .*\.log"
        ) as error,
        session("local[2]"),
    ):
        spark.range(1).mapInArrow(broken, "id long").collect()  # type: ignore[arg-type]
    log = Path(str(error.value).rpartition(" ")[2])
    assert "PythonException" in log.read_text()
    log.unlink()


def test_a_worker_that_dies_is_tried_again(spark: SparkSession, tmp_path: Path) -> None:
    """Once, on one machine too: a task that takes its worker with it each time ends the job."""
    mark = tmp_path / "tried"

    def dying(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        yield from batches

    assert spark.range(3).coalesce(1).mapInArrow(dying, "id long").count() == 3


def test_room_for_the_code_of_many_jobs(spark: SparkSession) -> None:
    """Every query is compiled, and a JVM whose room for code is full fails whatever comes next."""
    pools = spark._jvm.java.lang.management.ManagementFactory.getMemoryPoolMXBeans()  # type: ignore[union-attr]
    code = [pool.getUsage().getMax() for pool in pools if pool.getName().startswith("Code")]
    assert sum(code) >= 200 * 2**20


def test_files_are_shared_by_more_tasks_than_cores(spark: SparkSession, tmp_path: Path) -> None:
    """Files differ in rows: with a task a core, the one that got the large ones would be waited for."""
    spark.range(600).repartition(6).write.parquet(str(tmp_path / "table"))
    cores = spark.sparkContext.defaultParallelism
    read = spark.read.parquet(str(tmp_path / "table"))
    assert read.rdd.getNumPartitions() > min(cores, 5)


def test_settings_of_the_driver(tmp_path: Path) -> None:
    """What a JVM must be told when it starts is heard: heap, options, class path, jars and the log of events;
    workers run the Python that the user names."""
    jars = {name: tmp_path / f"{name}.jar" for name in ("before", "after")}
    for name, jar in jars.items():
        with zipfile.ZipFile(jar, "w") as archive:
            archive.writestr(f"{name}.txt", name)
    python, log = tmp_path / "python", tmp_path / "log"
    python.write_text(f'#!/bin/sh\necho > {tmp_path}/used\nexec {sys.executable} "$@"\n')
    python.chmod(0o755)
    log.mkdir()
    code = (
        "from equipoise.pipeline.session import session, settings_of\n"
        "import sys\n"
        "with session('local[1]', conf=settings_of(sys.argv[1:])) as spark:\n"
        "    java = spark._jvm.java.lang\n"
        "    loader = java.Thread.currentThread().getContextClassLoader()\n"
        "    print(java.Runtime.getRuntime().maxMemory() >> 20, java.System.getProperty('a'),\n"
        "          [loader.getResource(name) is not None for name in ('before.txt', 'after.txt')],\n"
        "          spark.range(3).mapInArrow(lambda batches: batches, 'id long').count(),\n"
        "          spark.conf.get('spark.sql.files.minPartitionNum'))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, "spark.driver.memory=600", "spark.driver.extraJavaOptions=-Da='b c'",
         f"spark.driver.extraClassPath={jars['before']}", f"spark.jars={jars['after']}",
         "spark.sql.files.minPartitionNum=3", "spark.eventLog.enabled=true", f"spark.eventLog.dir=file://{log}"],
        capture_output=True, text=True, timeout=550, env=os.environ | {"PYSPARK_PYTHON": str(python)},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    heap, _, rest = ran.stdout.strip().partition(" ")
    assert 550 <= int(heap) <= 600
    assert rest == "b c [True, True] 3 3"
    assert (tmp_path / "used").exists() and list(log.iterdir())


def test_a_jvm_that_does_not_start(tmp_path: Path) -> None:
    """A JVM that ends at once is told with what it said."""
    program = tmp_path / "bin" / "java"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho no room in this machine >&2\nexit 1\n")
    program.chmod(0o755)
    with pytest.raises(LaunchError, match="no room in this machine"):
        launch(Java(program, 17, "test"), {})


def test_the_java_from_pypi(tmp_path: Path) -> None:
    """On a machine without any other Java the one that came as a package runs a fleet."""
    shutil.copytree(EXAMPLES / "removal", tmp_path / "fleet" / "removal")
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in ("chmod", "readlink"):  # Hadoop's file system calls them
        (tools / tool).symlink_to(str(shutil.which(tool)))
    env = {key: value for key, value in os.environ.items() if key not in ("JAVA_HOME", "EQUIPOISE_JAVA")}
    ran = subprocess.run(
        command("run", tmp_path / "fleet", "--out", tmp_path / "out"),
        capture_output=True, text=True, timeout=550, env=env | {"PATH": str(tools)},
    )  # fmt: skip
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert (tmp_path / "out" / "clusters" / "removal" / "plan.json").is_file()


def test_no_master(tmp_path: Path) -> None:
    """A master address that is none is one line, exit 2."""
    ran = subprocess.run(
        command("run", EXAMPLES, "--out", tmp_path / "out", "--master", "nonsense"),
        capture_output=True, text=True, timeout=550,
    )  # fmt: skip
    assert ran.returncode == 2
    last = ran.stderr.splitlines()[-1]
    assert last.startswith("equipoise: --master nonsense: no Spark session (")
    assert "Traceback" not in ran.stderr


def test_a_jvm_that_is_killed(tmp_path: Path) -> None:
    """As the kernel does where memory is short, in the middle of a run: one line, exit 2, nothing left."""
    demo = command("demo", "--out", tmp_path / "out")
    running = subprocess.Popen(demo, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)
    assert running.stderr is not None
    next(line for line in running.stderr if line.startswith("planning"))
    for pid in children(running.pid):
        os.kill(pid, signal.SIGKILL)
    told = running.stderr.read()
    assert running.wait(timeout=120) == 2
    last = told.splitlines()[-1]
    assert last.startswith("equipoise: Spark could not finish (its JVM was killed by signal 9: out of memory")
    assert "Traceback" not in told and list(tmp_path.iterdir()) == []
    Path(last.rpartition(" ")[2]).unlink()


@pytest.mark.parametrize(("number", "stage"), [(signal.SIGINT, "planning"), (signal.SIGTERM, "reading")])
def test_ctrl_c(tmp_path: Path, number: signal.Signals, stage: str) -> None:
    """Ctrl-C while clusters are planned, SIGTERM while files are read: no traceback, nothing published, no
    JVM left."""
    running = subprocess.Popen(
        command("demo", "--out", tmp_path / "out"), stderr=subprocess.PIPE, text=True, process_group=0,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's background ignores it
    )  # fmt: skip
    assert running.stderr is not None
    for line in running.stderr:
        if line.startswith(stage):
            break
    jvms = children(running.pid)
    assert jvms
    os.killpg(running.pid, number)
    told = running.stderr.read()
    assert running.wait(timeout=120) == 128 + number
    assert "Traceback" not in told
    assert list(tmp_path.iterdir()) == []
    end_at = time.monotonic() + 30
    while any(Path(f"/proc/{pid}").exists() for pid in jvms) and time.monotonic() < end_at:
        time.sleep(0.1)
    assert not any(Path(f"/proc/{pid}").exists() for pid in jvms)


def test_ctrl_c_that_another_thread_takes(spark: SparkSession) -> None:
    """The system may hand the signal to any thread; the main one, which waits, hears of it all the same."""
    heard = []

    def work(stopped: Event) -> None:
        time.sleep(0.5)  # the main thread waits by now
        signal.pthread_kill(get_ident(), signal.SIGINT)
        heard.append(stopped.wait(timeout=60))

    with pytest.raises(KeyboardInterrupt):
        interruptible(spark, work)
    assert heard == [True]


def test_tasks_of_a_cancelled_job_end_first(spark: SparkSession, tmp_path: Path) -> None:
    """A job that Ctrl-C cancelled is over at once, its tasks are not: who cleans up waits for them."""
    begun, written = tmp_path / "begun", tmp_path / "written"

    def task(_: object) -> None:
        begun.touch()
        time.sleep(1.5)
        written.touch()

    def work(stopped: Event) -> None:
        with at_rest_when_failed(spark):
            spark.sparkContext.parallelize([0], 1).foreach(task)

    def interrupt() -> None:
        while not begun.exists():
            time.sleep(0.05)
        signal.pthread_kill(main_thread().ident or 0, signal.SIGINT)

    Thread(target=interrupt, daemon=True).start()
    with pytest.raises(KeyboardInterrupt):
        interruptible(spark, work)
    seen = written.exists()
    time.sleep(3)
    assert written.exists() == seen


def test_no_java_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A setting that names no Java is told before anything is started."""
    monkeypatch.setenv("EQUIPOISE_JAVA", str(tmp_path))
    ran = subprocess.run(
        command("run", EXAMPLES, "--out", tmp_path / "out"), capture_output=True, text=True, timeout=550
    )
    assert ran.returncode == 2
    assert ran.stderr.splitlines()[-1].startswith(f"equipoise: EQUIPOISE_JAVA: {tmp_path} is no Java")
