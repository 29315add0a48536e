"""Addresses of other file systems: told from paths, and never made into folders of this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from equipoise.errors import UnusableInput
from equipoise.files.folders import Claim, claimed
from equipoise.files.places import scheme_of


@pytest.mark.parametrize(
    ("place", "scheme"),
    [
        ("hdfs://host:8020/out", "hdfs"),
        ("s3a://bucket/out", "s3a"),
        (Path("abfss://data@account/out"), "abfss"),
        ("out", ""),
        ("/data/hdfs:/out", ""),
        ("C:/out", ""),
    ],
)
def test_what_an_address_is(place: str | Path, scheme: str) -> None:
    """A scheme has two letters or more, and stands at the beginning."""
    assert scheme_of(place) == scheme


def test_no_folder_of_the_name_of_an_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What can write on this machine alone says so, and leaves no folder ``hdfs:`` behind."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnusableInput, match=r"^hdfs://host:9/out: hdfs:// is another file system\. Give a"):
        claimed(Path("hdfs://host:9/out"), Claim(lambda _: ""))
    assert not list(tmp_path.iterdir())
