"""Runs one beside the other in a file system of Hadoop, which exchanges no folders, and which of them counts.

``OUT/runs/NUMBER`` has a run each, ``OUT/latest`` the path of the one that counts. The run before it stays
until the next one, for those who are reading it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count

from equipoise.errors import UnusableInput
from equipoise.files.places import scheme_of
from equipoise.pipeline.places.hadoop import HadoopPlace

LOG = logging.getLogger(__name__)
LATEST, RUNS, RECORD = "latest", "runs", "run.json"
FRESH = f".{LATEST}.new"
NUMBER = re.compile(r"[0-9]{6,}")
POINTER = re.compile(rf"{RUNS}/({NUMBER.pattern})\n?")
REPLACING = ("hdfs", "viewfs")
"""Schemes where a file that is written anew is cut short for a moment, and a rename replaces it at once.
An object store shows what is written once it is whole."""


@dataclass(frozen=True)
class Runs:
    """What stands at OUT."""

    out: HadoopPlace
    latest: HadoopPlace | None
    numbers: tuple[int, ...]

    def at(self, number: int) -> HadoopPlace:
        return self.out / RUNS / f"{number:06d}"


def runs_at(out: HadoopPlace) -> Runs:
    """Raises :class:`UnusableInput` where ``out`` holds anything but runs."""
    if not out.exists():
        return Runs(out, None, ())
    if not out.is_dir():
        raise UnusableInput("is there and is not a folder", source=str(out), advice="Choose another --out")
    strange = sorted(entry.name for entry in out.iterdir() if entry.name not in (LATEST, RUNS, FRESH))
    if strange:
        advice = "Choose another --out or empty it"
        raise UnusableInput(f"holds {strange[0]}, which no run wrote", source=str(out), advice=advice)
    there = (out / RUNS).iterdir() if (out / RUNS).exists() else ()
    numbers = sorted(int(entry.name) for entry in there if NUMBER.fullmatch(entry.name))
    return Runs(out, pointed(out), tuple(numbers))


def pointed(out: HadoopPlace) -> HadoopPlace | None:
    """The run that counts; None where there is none. Raises :class:`UnusableInput` where that is not told."""
    if not (out / LATEST).exists():
        return None
    told = (out / LATEST).read_bytes().decode(errors="replace")
    if not (found := POINTER.fullmatch(told)):
        raise UnusableInput(f"does not name a run as {RUNS}/000001", source=str(out / LATEST))
    return out / RUNS / found[1]


@contextmanager
def new_run(runs: Runs) -> Iterator[HadoopPlace]:
    """A folder for a new run, which counts once the block ends well; else nothing is left of it.

    Runs that nobody needs, as of processes that were killed, are cleared away then. Of two that work at once
    the one that began later may clear away the other, which fails.
    """
    folder = begun(runs)
    try:
        yield folder
    except BaseException:
        folder.remove()
        raise
    point(runs.out, f"{RUNS}/{folder.name}\n")  # where nobody knows whether that was done, the folder stays
    clear(runs)


def begun(runs: Runs) -> HadoopPlace:
    """A folder that no other run has, with an empty record in it."""
    for number in count(max(runs.numbers, default=0) + 1):
        folder = runs.at(number)
        try:
            (folder / RECORD).create(b"{}\n")
        except FileExistsError:
            continue
        return folder
    raise AssertionError


def point(out: HadoopPlace, told: str) -> None:
    """Let ``latest`` name another run, at once."""
    if scheme_of(str(out)) not in REPLACING:
        (out / LATEST).write_text(told, "utf-8")
        return
    (out / FRESH).write_text(told, "utf-8")
    (out / FRESH).replace(out / LATEST)


def clear(runs: Runs) -> None:
    """Remove the runs that were there before a new one, but the one that counted then."""
    for other in runs.numbers:
        folder = runs.at(other)
        if runs.latest is not None and folder.name == runs.latest.name:
            continue
        try:
            folder.remove()
        except OSError as error:
            LOG.warning("%s: not needed any more, and cannot be removed (%s)", folder, error.strerror)
