"""What may stand at the place of a folder that is to be written."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from equipoise.errors import UnusableInput
from equipoise.files.places import on_this_machine

Reason = Callable[[Path], str]
"""Says of a folder why it should stay; "" where nothing speaks against removing it."""


def nothing(folder: Path) -> str:
    """For writers that make no such difference."""
    return ""


@dataclass(frozen=True)
class Claim:
    """What a writer may remove of what it finds; each question is asked once those before had no reason."""

    foreign: Reason
    """Why a folder is not, or not alone, what this writer makes: it always stays."""
    precious: Reason = nothing
    """Why one that is may be missed: it goes by force."""
    other: Reason = nothing
    """Why one is not what is now written anew: it goes by force."""

    def keeps(self, folder: Path) -> str:
        """Why nobody may clear a folder away without having been told to."""
        return self.foreign(folder) or self.precious(folder)


def place_of(out: Path) -> Path:
    """Where ``out`` really is: a link stays, and the folder that it leads to is replaced.

    Raises :class:`UnusableInput` for a link to nothing, which may lead to a disk that is not there, and for
    the address of another file system, of which a local folder would be made.
    """
    on_this_machine(out)
    place = Path(os.path.realpath(out))
    if out.is_symlink() and not place.exists():
        advice = "Make that folder, or choose another --out"
        raise UnusableInput(f"is a link to {place}, which is not there", source=str(out), advice=advice)
    return place


def refuse(folder: Path, claim: Claim, *, out: Path, force: bool = False) -> str:
    """Raise :class:`UnusableInput` unless ``folder`` is free, empty or may be removed; ``out`` is its name.

    Returns what speaks against it and was overruled by ``force``, else "".
    """
    if not os.path.lexists(folder):
        return ""
    if folder.is_symlink() or not folder.is_dir():
        raise UnusableInput("is there and is not a folder", source=str(out), advice="Choose another --out")
    if folder.is_mount():
        advice = "Give a folder in it"
        raise UnusableInput("is a mount point, which cannot be replaced", source=str(out), advice=advice)
    if folder.samefile(os.curdir):  # whoever stands in it would be left in what it replaces
        problem = "is the folder that this runs in, which would be replaced"
        raise UnusableInput(problem, source=str(out), advice="Give a folder in it")
    if not any(folder.iterdir()):
        return ""
    if reason := claim.foreign(folder):
        raise UnusableInput(reason, source=str(out), advice="Choose another --out or empty it")
    reason = claim.precious(folder) or claim.other(folder)
    if reason and not force:
        raise UnusableInput(reason, source=str(out), advice="Give --force to replace it, or another --out")
    return reason
