"""A second try for tests on brokers and in the browser, and for no others: docs/decisions/0011-second-try.md.

What fails there is run once more when all others are through, with brokers and browser started anew; how
often that was is printed at the end. The run fails where one fails twice, and where more than ``MOST`` would
need a second try.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from _pytest.runner import runtestprotocol

MARKS = ("kafka", "browser")
MOST = 3


@dataclass
class Tries:
    """What became of the tests with these marks."""

    first: int = 0
    faults: list[tuple[pytest.Item, str]] = field(default_factory=list)
    """Tests that are to be run once more, each with what it said the first time."""


TRIES = pytest.StashKey[Tries]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[TRIES] = Tries()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Keeps a first failure back; every other result is reported as it is."""
    tries = item.config.stash[TRIES]
    second = any(item is failed for failed, _ in tries.faults)
    if second or not any(map(item.get_closest_marker, MARKS)):
        return None
    tries.first += 1
    if len(tries.faults) == MOST:
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports = runtestprotocol(item, log=False, nextitem=nextitem)
    failed = [report.longreprtext for report in reports if report.failed]
    if failed:
        tries.faults.append((item, "\n".join([*failed, *end_all(item.session)])))
    for report in [] if failed else reports:
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def end_all(session: pytest.Session) -> list[str]:
    """End brokers and browser, so that the next test starts them anew; what went wrong with that.

    What a failed test leaves behind is not trusted.
    """
    ending = pytest.CallInfo.from_call(lambda: session._setupstate.teardown_exact(None), "teardown")
    return [str(ending.excinfo.value)] if ending.excinfo else []


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session: pytest.Session) -> object:
    result = yield
    for item, _ in session.config.stash[TRIES].faults:
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
    return result


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, exitstatus: int, config: pytest.Config
) -> None:
    tries = config.stash[TRIES]
    for item, text in tries.faults:
        terminalreporter.section(f"first try of {item.nodeid}")
        terminalreporter.write_line(text)
    if tries.first:
        count = f"second tries: {len(tries.faults)} of {tries.first} tests"
        terminalreporter.section(f"{count} on brokers and in the browser (at most {MOST})")
