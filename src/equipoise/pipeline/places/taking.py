"""What a run takes from the run before: by links where the file system has them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from equipoise.files.places import Place
from equipoise.pipeline.places.hadoop import HadoopPlace

AT_ONCE = 16
"""Copies that Hadoop makes at a time: most of each is waiting."""


def take_over(pairs: Iterable[tuple[Place, Place]]) -> None:
    """The files of folders again elsewhere: as links, or where there are none as copies."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda pair: taken_over(*pair), pairs))


def taken_over(folder: Place, to: Place) -> None:
    """One folder."""
    if isinstance(folder, HadoopPlace) and isinstance(to, HadoopPlace):
        folder.copy_to(to)
    elif isinstance(folder, Path) and isinstance(to, Path):
        shutil.copytree(folder, to, copy_function=link_or_copy)
    else:
        raise TypeError(f"{folder} and {to} are of two file systems")


def take_along(folder: Place, to: Place) -> None:
    """A folder that nobody but the next run reads: in a file system of Hadoop it is not copied but moved.

    Where that run is stopped, the files of samples that were read into it are read again.
    """
    if isinstance(folder, HadoopPlace) and isinstance(to, HadoopPlace):
        to.parent.mkdir()
        folder.rename(to)
    else:
        taken_over(folder, to)


def link_or_copy(one: str, other: str) -> None:
    try:
        os.link(one, other)
    except OSError:
        shutil.copy2(one, other)
