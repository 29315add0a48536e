"""Where a run is written before it is published, and the run before it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from equipoise.errors import UnusableInput
from equipoise.files.folders import replaced
from equipoise.files.places import Place
from equipoise.pipeline.jobs.claim import CLUSTERS, RECORD, STATE, TABLE_FOLDER, another, run_claim
from equipoise.pipeline.places.hadoop import HadoopPlace
from equipoise.pipeline.places.runs import new_run, runs_at
from equipoise.pipeline.places.taking import link_or_copy, taken_over

WORK = ".work"
"""Folder of what passes between the steps of a run; never published."""


@contextmanager
def opened(out: Place, fleet: Place, *, force: bool = False) -> Iterator[tuple[Place, Place | None]]:
    """A folder that is published at ``out`` when the block ends well, and the run before it, None for none.

    Raises :class:`UnusableInput` where what is at ``out`` has to stay.
    """
    if isinstance(out, HadoopPlace):
        runs = runs_at(out)
        reason = "" if runs.latest is None else another(runs.latest, fleet)
        if reason and not force:
            advice = "Give --force to replace it, or another --out"
            raise UnusableInput(reason, source=str(out), advice=advice)
        with new_run(runs) as place:
            yield place, runs.latest
    elif isinstance(out, Path):
        with replaced(out, run_claim(fleet), force=force) as folder:
            yield folder, linked_run(out, folder / WORK / "before")


def linked_run(out: Path, place: Path) -> Path | None:
    """Links in ``place`` to what the run at ``out`` made, whatever becomes of it; None for no run."""
    try:
        if not (out / RECORD).is_file():
            return None
        place.mkdir(parents=True)
        for name in (CLUSTERS, TABLE_FOLDER, STATE):
            if (out / name).exists():
                taken_over(out / name, place / name)
        link_or_copy(str(out / RECORD), str(place / RECORD))
    except (OSError, shutil.Error):  # another run takes its place just now
        return None
    return place


def removed(place: Place) -> None:
    """A folder with all that is in it."""
    if isinstance(place, HadoopPlace):
        place.remove()
    elif isinstance(place, Path):
        shutil.rmtree(place)
