"""What people write for FLEET and OUT."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest
from pyspark.errors import PySparkException

from equipoise.pipeline.places.addresses import local
from equipoise.pipeline.places.hadoop import first_line, problem_of
from equipoise.pipeline.places.literal import literal
from equipoise.pipeline.places.runs import POINTER


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("fleet", Path("fleet")),
        (Path("/data/fleet"), Path("/data/fleet")),
        ("file:///data/fleet", Path("/data/fleet")),
        ("file:/data/fleet", Path("/data/fleet")),
        ("hdfs:///fleet", None),
        ("s3a://bucket/fleet", None),
    ],
)
def test_what_is_on_this_machine(address: str | Path, path: Path | None) -> None:
    """A path, with the scheme of files or without; None for what is elsewhere."""
    assert local(address) == path


def test_patterns_that_are_none() -> None:
    """A name may have what Spark takes for a pattern."""
    assert literal(Path("/a{b}[c]*")) == r"/a\{b\}\[c\]\*"


@pytest.mark.parametrize("told", ["", "runs/7", "runs/000007/../../etc", "/runs/000007", "runs/000007\nmore"])
def test_a_pointer_names_a_run(told: str) -> None:
    """Nothing else is followed, wherever it leads."""
    assert POINTER.fullmatch("runs/000007\n") is not None
    assert POINTER.fullmatch(told) is None


@dataclass(frozen=True)
class Thrown:
    """A Java exception, as far as it is asked."""

    message: str | None

    def getMessage(self) -> str | None:
        return self.message

    def toString(self) -> str:
        return "java.io.IOException: " + (self.message or "")


@pytest.mark.parametrize("message", [None, "", " \n", "gone\nat some line", "gone; For more details see"])
def test_what_java_says_is_one_line(message: str | None) -> None:
    """Whatever an exception has to say, and where it has nothing to say its name."""
    error = SimpleNamespace(java_exception=Thrown(message))
    expected = "gone" if message and message.strip() else "java.io.IOException:"
    assert problem_of(error) == expected  # type: ignore[arg-type]
    assert first_line(PySparkException("")) == "PySparkException"
