"""Settings of Spark: the user's own, and those that a run has to have."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from equipoise.errors import UnusableInput
from equipoise.java import Java
from equipoise.pipeline.launcher import command, heap
from equipoise.pipeline.session import settings_of, trying_twice


def test_settings_of_the_command_line() -> None:
    """A value may hold what it likes."""
    told = settings_of(["spark.executor.memory=4g", "spark.driver.extraJavaOptions=-Da=b -Dc=d"])
    assert told == {"spark.executor.memory": "4g", "spark.driver.extraJavaOptions": "-Da=b -Dc=d"}


@pytest.mark.parametrize("pair", ["spark.executor.memory", "executor.memory=4g", "=4g", "spark.a b=1"])
def test_what_is_no_setting(pair: str) -> None:
    """It is named, with what one looks like."""
    with pytest.raises(UnusableInput, match=f"--conf: '{pair}' is no setting of Spark. Write spark.KEY=V"):
        settings_of([pair])


@pytest.mark.parametrize(
    ("master", "told"),
    [
        ("local", "local[1,2]"),
        ("local[*]", "local[*,2]"),
        ("local[3]", "local[3,2]"),
        ("local[3,5]", "local[3,5]"),
        ("spark://host:7077", "spark://host:7077"),
    ],
)
def test_a_second_try_on_one_machine(master: str, told: str) -> None:
    """There Spark takes the number of tries from the master's name alone."""
    assert trying_twice(master) == told


def test_settings_of_hadoop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its folder is on the class path where it is told, and nothing but jars is otherwise."""
    monkeypatch.delenv("YARN_CONF_DIR", raising=False)
    for folder in (None, "/etc/hadoop"):
        if folder:
            monkeypatch.setenv("HADOOP_CONF_DIR", folder)
        else:
            monkeypatch.delenv("HADOOP_CONF_DIR", raising=False)
        called = command(Java(Path("java"), 17, "test"), {}, tmp_path)
        path = called[called.index("-cp") + 1].split(os.pathsep)
        assert path == [str(tmp_path / "jars" / "*"), *([folder] if folder else [])]


def test_settings_that_a_jvm_starts_with(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Class path, heap and options are Java's own; all of them reach Spark, too, before its first word."""
    monkeypatch.delenv("HADOOP_CONF_DIR", raising=False)
    monkeypatch.delenv("YARN_CONF_DIR", raising=False)
    conf = {
        "spark.driver.memory": "3g",
        "spark.driver.extraClassPath": "/opt/jars/*",
        "spark.driver.extraJavaOptions": "-Da=1 -Db='2 3'",
        "spark.jars.packages": "g:a:1",
    }
    called = command(Java(Path("java"), 17, "test"), conf, tmp_path)
    assert called[called.index("-cp") + 1] == f"/opt/jars/*{os.pathsep}{tmp_path / 'jars' / '*'}"
    main = called.index("org.apache.spark.deploy.SparkSubmit")
    assert {"-Xmx3g", "-Da=1", "-Db=2 3"} <= set(called[:main])
    told = [f"{key}={value}" for key, value in conf.items()]
    assert called[main + 1 :] == [*(word for pair in told for word in ("--conf", pair)), "pyspark-shell"]


@pytest.mark.parametrize(
    ("size", "java"), [("4g", "4g"), ("900", "900m"), ("2GB", "2g"), ("512mb", "512m"), ("64k", "64k")]
)
def test_sizes_of_a_heap(size: str, java: str) -> None:
    """Java is told in its own way what Spark understands."""
    assert heap(size) == java


def test_an_open_quote(tmp_path: Path) -> None:
    """Options that cannot be taken apart are named before anything starts."""
    with pytest.raises(UnusableInput, match=r"--conf, spark\.driver\.extraJavaOptions: cannot be read \(No"):
        command(Java(Path("java"), 17, "test"), {"spark.driver.extraJavaOptions": "-Da='b"}, tmp_path)
