"""The journal's file in a plan directory: its name, and whether a run holds it."""

from __future__ import annotations

import fcntl
from pathlib import Path

NAME = "journal.jsonl"


def is_held(folder: Path) -> bool:
    """Whether a run of a plan directory is under way, in whatever process of this machine."""
    try:
        with (Path(folder) / NAME).open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # none was ever begun, or it is not ours to read, which reading it says better
        return False
    return False
