"""Which tests get a second try, how many, and what is said of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str]]
ONCE = """
seen = []

@pytest.mark.parametrize("k", range({n}))
@pytest.mark.{mark}
def test_fails_once(k):
    seen.append(k)
    assert seen.count(k) == 2, f"too early {{k}}"
"""


def outcome(run_tests: Run, tests: str) -> tuple[int, str, str]:
    """Exit code, what was printed, and its last line."""
    code, said = run_tests("tests.second_try", tests)
    return code, said, said.strip().splitlines()[-1]


@pytest.mark.parametrize("mark", ["kafka", "browser"])
@pytest.mark.slow
def test_what_fails_once_there_passes_and_is_counted(run_tests: Run, mark: str) -> None:
    """Three second tries are allowed; each first failure is shown."""
    code, said, last = outcome(run_tests, ONCE.format(n=3, mark=mark))
    assert code == 0 and "3 passed" in last and "failed" not in last
    assert "second tries: 3 of 3 tests on brokers and in the browser (at most 3)" in said
    assert all(f"AssertionError: too early {k}" in said for k in range(3))


@pytest.mark.slow
def test_a_fourth_fails_the_run(run_tests: Run) -> None:
    """It gets no second try."""
    code, said, last = outcome(run_tests, ONCE.format(n=4, mark="kafka"))
    assert code == 1 and "1 failed, 3 passed" in last
    assert "second tries: 3 of 4 tests" in said


@pytest.mark.slow
def test_parts_of_a_run_count_together(
    run_tests: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two that failed in another part leave one second try to this one."""
    told = tmp_path / "tries"
    told.write_text("one\ntwo\n")
    monkeypatch.setenv("EQUIPOISE_TRIES", str(told))
    code, said, last = outcome(run_tests, ONCE.format(n=2, mark="kafka"))
    assert code == 1 and "1 failed, 1 passed" in last
    assert "second tries: 1 of 2 tests" in said and len(told.read_text().splitlines()) == 3


@pytest.mark.parametrize("mark", ["spark", "slow"])
@pytest.mark.slow
def test_others_get_none(run_tests: Run, mark: str) -> None:
    """What fails without these marks fails the run, though it would pass the second time."""
    code, said, last = outcome(run_tests, ONCE.format(n=1, mark=mark))
    assert code == 1 and "1 failed" in last
    assert "second tries" not in said


@pytest.mark.parametrize(
    ("test", "counted"),
    [
        ("def test_it(): assert False", "1 failed"),
        ("@pytest.fixture\ndef broken(): raise OSError\ndef test_it(broken): pass", "1 error"),
        ("@pytest.fixture\ndef stuck():\n    yield\n    raise OSError\ndef test_it(stuck): pass", "1 error"),
    ],
)
@pytest.mark.slow
def test_what_fails_twice_fails(run_tests: Run, test: str, counted: str) -> None:
    """In the test or in what it needs."""
    code, said, last = outcome(run_tests, "pytestmark = pytest.mark.kafka\n" + test)
    assert code == 1 and counted in last
    assert "second tries: 1" in said


@pytest.mark.slow
def test_brokers_are_started_anew_after_a_failure(run_tests: Run) -> None:
    """What a failed test leaves behind reaches neither the next test nor its own second try."""
    code, said, last = outcome(
        run_tests,
        """
pytestmark = pytest.mark.kafka
started = []

@pytest.fixture(scope="session")
def brokers():
    started.append([])
    yield started[-1]
    started[-1].append("ended")

def test_spoils(brokers):
    brokers.append("spoilt")
    assert len(started) == 3

def test_next(brokers):
    assert brokers == [] and started[0] == ["spoilt", "ended"]

def test_last(brokers):
    assert brokers is started[1]
""",
    )
    assert code == 0 and "3 passed" in last, said
    assert "second tries: 1" in said


@pytest.mark.slow
def test_passes_are_untouched(run_tests: Run) -> None:
    """Without a failure nothing is run twice."""
    code, said, last = outcome(
        run_tests, "n = []\n@pytest.mark.kafka\ndef test_it(): n.append(1)\ndef test_n(): assert n == [1]"
    )
    assert code == 0 and "2 passed" in last
    assert "second tries: 0" in said
