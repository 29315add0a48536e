"""Many clients at once for minutes: every answer right, memory bounded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.long
def test_32_clients_for_two_minutes() -> None:
    """Good, broken and abandoned requests together; nobody sees what another sent."""
    done = subprocess.run(
        [sys.executable, "-m", "tools.soak", "--clients", "32", "--seconds", "120"],
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=900,
    )  # fmt: skip
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "; 0 wrong; afterwards {" in done.stdout
