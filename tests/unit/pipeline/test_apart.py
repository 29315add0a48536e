"""What a task of Spark does on its second try: one piece of work after the other, in a process beside it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pyarrow as pa
import pytest

from equipoise.pipeline.transforms import apart


def rows(piece: str) -> Iterator[pa.RecordBatch]:
    """Three batches that name the process; a piece that kills does so after the first."""
    for k in range(3):
        if piece == "kills" and k == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        if piece == "fails":
            raise RuntimeError("nobody thought of this")
        yield pa.RecordBatch.from_pylist([{"piece": piece, "said": str(os.getpid())}])


def lost(piece: str, reason: str) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist([{"piece": piece, "said": reason}])


def each(whole: bool) -> list[tuple[str, str]]:
    batches = apart.each(["one", "kills", "fails", "two", "three"], rows, lost, 1, whole=whole)
    return [(row["piece"], row["said"]) for batch in batches for row in batch.to_pylist()]


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.slow
def test_what_kills_its_process_costs_itself(whole: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """A row with its reason, after what it gave before or in place of it; the others have all their rows."""
    monkeypatch.setattr(apart, "is_second_try", lambda: True)
    told = each(whole)
    pieces = [piece for piece, _ in told]
    n_killed = 1 if whole else 2
    assert pieces == ["one"] * 3 + ["kills"] * n_killed + ["fails"] + ["two"] * 3 + ["three"] * 3
    why = dict(told)
    assert why["kills"] == "cannot be read: reading it was killed by signal 9: out of memory, perhaps"
    assert why["fails"] == (
        "cannot be read: reading it ended with 1: RuntimeError: nobody thought of this"
    )
    assert why["two"] == why["three"] != why["one"] != str(os.getpid())


def test_on_the_first_try_nothing_is_started() -> None:
    """Outside of Spark, and where no task failed before, the work is done here."""
    assert [row["said"] for batch in apart.each(["one"], rows, lost, 1) for row in batch.to_pylist()] == [
        str(os.getpid())
    ] * 3
