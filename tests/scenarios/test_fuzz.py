"""What nobody would write ends in a sentence: some of the fuzzer's cases."""

from __future__ import annotations

import pytest
from tools.fuzz.__main__ import fuzz, table
from tools.fuzz.trial import whole_processes

CASES = 100


@pytest.mark.slow
def test_cases_of_the_fuzzer():
    """No traceback, hang, memory, wrong exit code, message without a place, raw code or silence."""
    found, examples = fuzz(CASES, seed=1)
    assert not examples, "\n".join([table(found), *examples])


@pytest.mark.slow
def test_whole_processes():
    assert whole_processes() == []
