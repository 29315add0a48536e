"""Memory that large arrays have left is taken by the next ones."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import pytest

FAULTS = """
import resource, sys
import numpy as np
from equipoise.cli.kept_memory import keep_memory
if sys.argv[1] == "kept":
    keep_memory()
np.ones(2**24)  # 128 MB, and gone again
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(10):
    np.ones(2**24)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""
"""Pages that ten large arrays, one after the other, have the system clear."""


def faults(how: str) -> int:
    command = [sys.executable, "-c", FAULTS, how]
    return int(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallopt"), reason="not the C library of GNU")
@pytest.mark.slow
def test_a_large_array_takes_what_the_last_one_left() -> None:
    assert faults("kept") * 10 < faults("given back")
