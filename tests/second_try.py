"""A second try for tests on brokers and in the browser, and for no others: docs/decisions/0011-second-try.md.

What fails there is run once more when all others are through, with brokers and browser started anew; how
often that was is printed at the end. The run fails where one fails twice, and where more than ``MOST`` would
need a second try. Parts of a run that go on beside each other count together, in the file that
``EQUIPOISE_TRIES`` names.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

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
    told: Path | None = None
    """A line for each fault of all parts of the run; None where it has one part."""

    def add(self, item: pytest.Item, text: str) -> None:
        """One more fault."""
        self.faults.append((item, text))
        if self.told:
            with self.told.open("a") as lines:
                lines.write(f"{item.nodeid}\n")

    @property
    def are_used_up(self) -> bool:
        """True where no other test gets a second try."""
        of_all = self.told.read_text().splitlines() if self.told and self.told.exists() else self.faults
        return len(of_all) >= MOST


TRIES = pytest.StashKey[Tries]()


def pytest_configure(config: pytest.Config) -> None:
    told = os.environ.get("EQUIPOISE_TRIES")
    config.stash[TRIES] = Tries(told=Path(told) if told else None)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Keeps a first failure back; every other result is reported as it is."""
    tries = item.config.stash[TRIES]
    second = any(item is failed for failed, _ in tries.faults)
    if second or not any(map(item.get_closest_marker, MARKS)):
        return None
    tries.first += 1
    if tries.are_used_up:
        return None
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    reports = runtestprotocol(item, log=False, nextitem=nextitem)
    failed = [report.longreprtext for report in reports if report.failed]
    if failed:
        tries.add(item, "\n".join([*failed, *end_all(item.session)]))
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
