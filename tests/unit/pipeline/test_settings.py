"""Settings of Spark: the user's own, and those that a run has to have."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from equipoise.errors import UnusableInput
from equipoise.java import Java
from equipoise.pipeline.launcher import command
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
        called = command(Java(Path("java"), 17, "test"), "2g", tmp_path)
        path = called[called.index("-cp") + 1].split(os.pathsep)
        assert path == [str(tmp_path / "jars" / "*"), *([folder] if folder else [])]
