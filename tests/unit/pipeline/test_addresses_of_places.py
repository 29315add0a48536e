"""What people write for FLEET and OUT."""

from __future__ import annotations

from pathlib import Path

import pytest

from equipoise.pipeline.places.addresses import local
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
