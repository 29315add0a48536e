"""The journal on the disk."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from equipoise.errors import UnusableInput
from equipoise.execution.journal import DAMAGED, Journal, read_journal
from equipoise.execution.memory import Memory
from equipoise.execution.port import TopicPartition
from equipoise.files.journal_lock import NAME, is_held

BEGIN = {"type": "begin", "operation": "apply", "plan": "sha256:plan"}
END = {"type": "end", "outcome": "finished"}


def test_entries_come_back_in_order(tmp_path: Path) -> None:
    """What was appended is what is read."""
    with Journal(tmp_path) as journal:
        journal.append({**BEGIN, "n": 1})
        journal.append({**END, "n": 2})
    assert [entry["n"] for entry in read_journal(tmp_path).entries] == [1, 2]


def test_no_journal_is_an_empty_one(tmp_path: Path) -> None:
    """A plan that was never applied has none."""
    assert read_journal(tmp_path).entries == []


@pytest.mark.parametrize("keep", range(20))
def test_a_torn_last_line_is_left_out_and_written_over(tmp_path: Path, keep: int) -> None:
    """A crash in the middle of a write, at any byte, costs that entry alone."""
    whole = json.dumps(BEGIN).encode() + b"\n"
    (tmp_path / NAME).write_bytes(whole + b'{"type":"submit","x":1}'[:keep])
    assert read_journal(tmp_path).entries == [BEGIN]
    with Journal(tmp_path) as journal:
        journal.append(END)
    assert read_journal(tmp_path).entries == [BEGIN, END]


WRONG = [
    b"[1,2]",
    b"5",
    b"{}",
    b'{"type":5}',
    b'{"type":"begin"}',
    b'{"type":"begin","operation":"apply","plan":"sha256:plan","throttle":"1MB"}',
    b'{"type":"begin","operation":"apply","plan":"sha256:plan","throttle":0}',
    b'{"type":"begin","operation":"apply","plan":"sha256:plan","max_inflight":1.5}',
    b'{"type":"begin","operation":"apply","plan":"sha256:plan","max_inflight":1e999}',
    b'{"type":"begin","operation":"apply","plan":"sha256:plan","bounds":[1,1e999]}',
    b'{"type":"begin","operation":"apply","plan":"sha256:plan","inflight_bounds":[9,1]}',
    b'{"type":"begin","operation":"apply","plan":"sha256:plan","between":"25:00-06:00"}',
    b'{"type":"begin","operation":"apply","plan":"sha256:plan","until":"2026-01-01T00:00:00"}',
    b'{"type":"begin","operation":"apply","plan":"sha256:plan","until":7}',
    b'{"type":"begin","operation":"apply","plan":"sha256:plan","health":7}',
    b'{"type":"begin","operation":"apply","plan":"sha256:plan","health":"\\u001b[2J"}',
    b'{"type":"submit"}',
    b'{"type":"submit","partitions":{"t-0":[1e999]}}',
    b'{"type":"submit","partitions":{"t-0":"abc"}}',
    b'{"type":"submit","partitions":[["t-0",[1]]]}',
    b'{"type":"done","partitions":["x"]}',
    b'{"type":"done","partitions":"t-1"}',
    b'{"type":"rates","rate":1}',
    b'{"type":"pairs","topics":{"t":{"k":"0:1"}}}',
    b'{"type":"end"}',
    b'{"ty',
    b"\0" * 512,
    b"[" * 100_000,
]


@pytest.mark.parametrize("line", WRONG, ids=range(len(WRONG)))
def test_a_journal_is_read_up_to_the_first_line_that_is_no_entry(tmp_path: Path, line: bytes) -> None:
    """In the middle it cannot be a crash, so nobody guesses: it is named, and only on purpose cut there."""
    good = json.dumps(BEGIN).encode() + b"\n"
    (tmp_path / NAME).write_bytes(good + line + b"\n" + json.dumps(END).encode() + b"\n")
    told = read_journal(tmp_path)
    assert told.entries == [BEGIN] and told.damage == "line 2 of 3 is not an entry"
    with pytest.raises(UnusableInput, match=r"line 2 of 3 is not an entry\. status shows .* --adopt"):
        Journal(tmp_path)
    with Journal(tmp_path, cut=True) as journal:
        journal.append(END)
    assert read_journal(tmp_path).entries == [BEGIN, END]
    assert line in (tmp_path / DAMAGED).read_bytes()


def test_nothing_is_steered_that_was_not_begun(tmp_path: Path) -> None:
    """The entry that says which plan is carried out is gone."""
    (tmp_path / NAME).write_bytes(b'{"type":"steer","hold":"","throttle":5}\n')
    assert read_journal(tmp_path).damage == "line 1 of 1 is not an entry"


@pytest.mark.parametrize("room", range(0, 60, 7))
def test_an_entry_is_on_the_disk_whole_or_not_at_all(tmp_path: Path, room: int) -> None:
    """A disk that fills up in the middle of a line: an error, and the journal can be read and written on."""
    code = (
        "import resource, sys; from pathlib import Path; from equipoise.execution.journal import Journal\n"
        "with Journal(Path(sys.argv[1])) as journal:\n"
        "    size = journal.path.stat().st_size\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (size + int(sys.argv[2]), resource.RLIM_INFINITY))\n"
        "    try:\n"
        "        journal.append({'type': 'skip', 'partitions': ['t-0'], 'why': 'x' * 99})\n"
        "    except OSError as error:\n"
        "        print(error.strerror, journal.path.stat().st_size - size)\n"
    )
    (tmp_path / NAME).write_text(json.dumps(BEGIN) + "\n")
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path), str(room)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "File too large 0\n"
    with Journal(tmp_path) as journal:
        journal.append(END)
    assert read_journal(tmp_path).entries == [BEGIN, END]


def test_nobody_else_may_read_it(tmp_path: Path) -> None:
    """Names of topics are nobody's business, whatever the umask."""
    before = os.umask(0)
    try:
        Journal(tmp_path).close()
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / NAME).stat().st_mode) == 0o600


def test_wider_rights_are_narrowed_when_it_is_taken_up(tmp_path: Path) -> None:
    """An older journal, one that was copied, and what is kept of a damaged one."""
    (tmp_path / NAME).write_bytes(b"no entry\n")
    (tmp_path / DAMAGED).write_bytes(b"of an earlier time\n")
    for name in (NAME, DAMAGED):
        (tmp_path / name).chmod(0o644)
    Journal(tmp_path, cut=True).close()
    assert (tmp_path / DAMAGED).read_bytes() == b"no entry\n"
    assert {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in (NAME, DAMAGED)} == {0o600}


def test_a_torn_last_line_is_told(tmp_path: Path) -> None:
    """Not so where nothing is; NUL bytes are damage: they stand where a disk has lost what was written."""
    whole = json.dumps(BEGIN).encode() + b"\n"
    (tmp_path / NAME).write_bytes(whole + b'{"ty')
    torn = "line 2 was cut short, so it was never acted on and is left out"
    assert (read_journal(tmp_path).torn, read_journal(tmp_path).damage) == (torn, "")
    with Journal(tmp_path) as journal:
        assert journal.torn == torn
    assert read_journal(tmp_path).torn == ""
    (tmp_path / NAME).write_bytes(whole + b'{"ty' + b"\0" * 300)
    assert read_journal(tmp_path).damage == "line 2 of 2 is not an entry"


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
        second.append(BEGIN)
    assert read_journal(tmp_path).entries == [BEGIN]


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
    numbers = [entry["n"] for entry in read_journal(tmp_path).entries]
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
