"""A test without its mark cannot start brokers, Spark or a browser, and none is left out unseen."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Run = Callable[..., tuple[int, str]]
FAKE = """
import subprocess, sys, threading
from pathlib import Path

def fake(folder, name):
    program = folder / name
    program.write_text("#!/bin/sh\\n")
    program.chmod(0o755)
    return program
"""
CAUGHT = """
def test_it(tmp_path):
    try:
        subprocess.run([fake(tmp_path, "java"), "-cp", "kafka"])
    except BaseException:
        pass
"""
IN_A_THREAD = """
@pytest.mark.filterwarnings("ignore")
def test_it(tmp_path):
    program = fake(tmp_path, "java")
    thread = threading.Thread(target=lambda: subprocess.run([program, "Main"]))
    thread.start()
    thread.join()
"""
IN_A_FIXTURE = """
@pytest.fixture
def started(tmp_path):
    subprocess.Popen([str(fake(tmp_path, "java")), "Main"])

def test_it(started): pass
"""
IN_A_CHILD = """
def test_it():
    code = "from equipoise.java import find_java; find_java()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "the-mark-kafka-or-spark-is-missing" in done.stderr
    pytest.fail("no Java")
"""


@pytest.mark.parametrize("test", [CAUGHT, IN_A_THREAD, IN_A_FIXTURE, IN_A_CHILD])
@pytest.mark.slow
def test_java_without_a_mark_fails_the_test(run_tests: Run, test: str) -> None:
    """Wherever it is started: caught, in a thread, in a fixture, in another process."""
    code, said = run_tests("tests.needs", FAKE + test)
    assert code == 1, said
    assert "lacks the mark kafka or spark" in said or "Failed: no Java" in said


@pytest.mark.parametrize("program", ["chromium", "node"])
@pytest.mark.slow
def test_a_browser_without_a_mark_fails_the_test(run_tests: Run, program: str) -> None:
    """Playwright starts node, and node starts the browser."""
    test = f"def test_it(tmp_path): subprocess.run([fake(tmp_path, '{program}')])"
    code, said = run_tests("tests.needs", FAKE + test)
    assert code == 1 and f"starts {program} and lacks the mark browser" in said


@pytest.mark.parametrize(
    ("mark", "program"), [("kafka", "java"), ("spark", "java"), ("browser", "node"), ("slow", "ls")]
)
@pytest.mark.slow
def test_with_its_mark_a_program_may_be_started(run_tests: Run, mark: str, program: str) -> None:
    """And without one any other program."""
    test = f"@pytest.mark.{mark}\ndef test_it(tmp_path): subprocess.run([fake(tmp_path, '{program}')])"
    code, said = run_tests("tests.needs", FAKE + test)
    assert code == 0, said


@pytest.mark.slow
def test_any_test_may_ask_which_java_there_is(run_tests: Run) -> None:
    """That starts neither brokers nor Spark."""
    test = "def test_it(tmp_path): subprocess.run([fake(tmp_path, 'java'), '-version'])"
    code, said = run_tests("tests.needs", FAKE + test)
    assert code == 0, said


@pytest.mark.slow
def test_what_is_started_once_for_all_needs_the_mark_too(run_tests: Run) -> None:
    """A test that only uses what a marked one started would fail when it runs alone."""
    fixture = "@pytest.fixture(scope='session')\ndef spark(): pass\n"
    code, said = run_tests("tests.needs", fixture + "def test_it(spark): pass")
    assert code == 4 and "test_it uses spark and lacks the mark spark" in said
    code, said = run_tests("tests.needs", fixture + "@pytest.mark.spark\ndef test_it(spark): pass")
    assert code == 0, said


@pytest.mark.parametrize(
    "test",
    [
        "def test_it(): pytest.skip('no broker')",
        "@pytest.mark.skipif(True, reason='no broker')\ndef test_it(): pass",
        "pytest.importorskip('no_such_module')",
    ],
)
@pytest.mark.slow
def test_nothing_is_skipped(run_tests: Run, test: str) -> None:
    """What a test needs is there, or the run fails."""
    code, said = run_tests("tests.needs", test)
    assert code != 0 and "is left out: every test must run" in said
    assert "skipped" not in said.splitlines()[-1]


@pytest.mark.slow
def test_a_known_fault_may_be_expected(run_tests: Run) -> None:
    """An expected failure is not a skip."""
    code, said = run_tests("tests.needs", "@pytest.mark.xfail(strict=True)\ndef test_it(): assert False")
    assert code == 0 and "1 xfailed" in said
