"""The journal on the disk."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from equipoise.errors import UnusableInput
from equipoise.execution.journal import Journal, read_journal
from equipoise.execution.memory import Memory
from equipoise.execution.port import TopicPartition
from equipoise.files.journal_lock import NAME, is_held


def test_entries_come_back_in_order(tmp_path: Path) -> None:
    """What was appended is what is read."""
    with Journal(tmp_path) as journal:
        journal.append({"type": "begin", "n": 1})
        journal.append({"type": "end", "n": 2})
    assert [entry["n"] for entry in read_journal(tmp_path)] == [1, 2]


def test_no_journal_is_an_empty_one(tmp_path: Path) -> None:
    """A plan that was never applied has none."""
    assert read_journal(tmp_path) == []


@pytest.mark.parametrize("keep", range(20))
def test_a_torn_last_line_is_left_out_and_written_over(tmp_path: Path, keep: int) -> None:
    """A crash in the middle of a write, at any byte, costs that entry alone."""
    whole = b'{"type":"begin"}\n'
    (tmp_path / NAME).write_bytes(whole + b'{"type":"submit","x":1}'[:keep])
    assert read_journal(tmp_path) == [{"type": "begin"}]
    with Journal(tmp_path) as journal:
        journal.append({"type": "end"})
    assert read_journal(tmp_path) == [{"type": "begin"}, {"type": "end"}]


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    """In the middle it cannot be a crash, so nobody guesses."""
    (tmp_path / NAME).write_bytes(b'{"type":"begin"}\n{"ty\n{"type":"end"}\n')
    with pytest.raises(UnusableInput, match="line 2"):
        read_journal(tmp_path)


def test_one_run_at_a_time(tmp_path: Path) -> None:
    """A second process is told that the first is at work."""
    with Journal(tmp_path), pytest.raises(UnusableInput, match="another run of this plan"):
        Journal(tmp_path)
    Journal(tmp_path).close()


def test_whether_a_run_is_under_way_can_be_asked(tmp_path: Path) -> None:
    """Only while somebody holds the journal; asking creates nothing and keeps nobody out."""
    assert not is_held(tmp_path) and not (tmp_path / NAME).exists()
    with Journal(tmp_path):
        assert is_held(tmp_path)
    assert not is_held(tmp_path)
    Journal(tmp_path).close()


def test_a_journal_that_was_discarded_meanwhile_is_not_written_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opened just before its holder unlinks it: the next run has a file that has a name."""
    lock = fcntl.flock
    first = Journal(tmp_path)

    def late(file: Any, how: int) -> None:
        if not first.file.closed:
            first.discard()
            first.close()
        lock(file, how)

    monkeypatch.setattr(fcntl, "flock", late)
    with Journal(tmp_path) as second:
        second.append({"type": "begin"})
    assert read_journal(tmp_path) == [{"type": "begin"}]


def test_every_entry_that_was_acknowledged_survives_kill_9(tmp_path: Path) -> None:
    """A process that prints each number after appending it is killed: nothing printed is missing."""
    code = (
        "import sys; from pathlib import Path; from equipoise.execution.journal import Journal\n"
        "journal = Journal(Path(sys.argv[1]))\n"
        "for n in range(10**6):\n"
        "    journal.append({'type': 'done', 'partitions': [], 'n': n}); print(n, flush=True)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    last = -1
    for line in process.stdout:
        last = int(line)
        if last >= 40:
            os.kill(process.pid, signal.SIGKILL)
            break
    process.wait()
    numbers = [entry["n"] for entry in read_journal(tmp_path)]
    assert numbers == list(range(len(numbers))) and len(numbers) > last


def test_a_topic_with_dashes_and_dots_keeps_its_name() -> None:
    """The number is what follows the last dash."""
    memory = Memory.of([{"type": "submit", "partitions": {"a-b.c-12": [1, 2]}}])
    assert memory.submitted == {TopicPartition("a-b.c", 12): (1, 2)}


def test_entries_of_a_newer_version_are_left_alone() -> None:
    """An older program can still read a journal that has kinds it does not know."""
    assert Memory.of([{"type": "moon-phase", "full": True}]).begun == {}


def test_memory_is_plain_json() -> None:
    """What is noted while running is what comes back through the file."""
    entry = {"type": "rates", "rate": 5, "brokers": {"3": {"a": None, "b": "7"}}}
    live, read = Memory.of([entry]), Memory.of([json.loads(json.dumps(entry))])
    assert live == read and live.rates == {3: {"a": None, "b": "7"}}
