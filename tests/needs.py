"""What tests need: one that starts brokers, Spark or a browser says so with its mark, or it fails.

``make test-fast`` leaves marked tests out, and must need nothing but Python. What a test needs is there when
it runs: none is skipped.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import pytest

FIXTURES = {"newest": "kafka", "older": "kafka", "spark": "spark", "browser": "browser"}
"""What is started once for many tests, with the mark of those that use it."""
PROGRAMS = {
    "java": ("kafka", "spark"),
    "chromium": ("browser",),
    "node": ("browser",),
}
"""Programs that tests may start, with the marks that allow it; Playwright starts browsers through node."""
STARTS = ("subprocess.Popen", "os.posix_spawn", "os.exec")
"""Events of Python's audit log; the first argument is the program, the second what it is given."""
JAVA = "EQUIPOISE_JAVA"

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)


class Current:
    """The test that is running, and what it started without a mark for it."""

    item: pytest.Item | None = None
    unmarked: str | None = None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for fixture in getattr(item, "fixturenames", ()):
            mark = FIXTURES.get(fixture)
            if mark is not None and item.get_closest_marker(mark) is None:
                raise pytest.UsageError(f"{item.nodeid} uses {fixture} and lacks the mark {mark}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Processes that the test starts are told, by the environment, of no Java that it has no mark for."""
    before = os.environ.get(JAVA)
    if not any(map(item.get_closest_marker, PROGRAMS["java"])):
        os.environ[JAVA] = "the-mark-kafka-or-spark-is-missing"
    Current.item, Current.unmarked = item, None
    try:
        return (yield)
    finally:
        Current.item = None
        os.environ.pop(JAVA, None)
        if before is not None:
            os.environ[JAVA] = before


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """What was started in another thread, or where the error was caught, fails the test all the same."""
    result = yield
    if Current.unmarked is not None:
        pytest.fail(Current.unmarked)
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Iterator[None]:
    return counted((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Iterator[None]:
    return counted((yield))


def counted(report: Report) -> Report:
    """The report with a skip as a failure; a failure that is expected is none."""
    if report.skipped and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid} is left out: every test must run\n{report.longreprtext}"
    return report


def refuse_unmarked(event: str, arguments: tuple[object, ...]) -> None:
    """Raise where the running test starts a program that it has no mark for."""
    item = Current.item
    if item is None or event not in STARTS:
        return
    program, given = arguments[:2]
    name = Path(os.fsdecode(program)).name  # type: ignore[arg-type]
    marks = PROGRAMS.get(name)
    if marks is None or only_asks(given) or any(map(item.get_closest_marker, marks)):  # type: ignore[arg-type]
        return
    Current.unmarked = f"{item.nodeid} starts {name} and lacks the mark {' or '.join(marks)}"
    pytest.fail(Current.unmarked)


def only_asks(given: Sequence[object]) -> bool:
    """``java -version`` starts neither brokers nor Spark."""
    return [str(argument) for argument in given[1:]] == ["-version"]


sys.addaudithook(refuse_unmarked)
