"""Runs of pytest within a test: a file of tests under the plugins of this project."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture
def run_tests(tmp_path: Path) -> Callable[..., tuple[int, str]]:
    """Writes a file of tests and runs it with a plugin: exit code and what was printed."""

    def run(plugin: str, tests: str) -> tuple[int, str]:
        (tmp_path / "test_it.py").write_text("import pytest\n" + tests, encoding="utf-8")
        command = [sys.executable, "-m", "pytest", "-p", plugin, "-p", "no:cacheprovider", "test_it.py"]
        env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    return run
