"""A process of its own that replaces a folder: to be killed anywhere, to be waited for, to be ended.

``python folder_writer.py OUT [--kill-at N] [--in-turn] [--wait]`` puts a folder with ``new/file`` in place of
OUT.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from pathlib import Path

from equipoise.files.folders import Claim, exchange, replaced

EVENTS = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.scandir", "ctypes.dlsym"}
"""What Python tells of before it is done, the last as the two folders are about to change places."""


def claim() -> Claim:
    """Folders with ``file`` in a folder may go, unless ``notes`` are in them."""
    return Claim(lambda folder: "holds notes" if (folder / "notes").exists() else unlike(folder))


def unlike(folder: Path) -> str:
    return "" if any(folder.glob("*/file")) else "is not ours"


def kill_at(number: int) -> None:
    """Have this process killed right before it does its n-th step on the disk."""
    steps = iter(range(1, number))

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event in EVENTS and next(steps, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--kill-at", type=int)
    parser.add_argument("--in-turn", action="store_true", help="as on a file system without exchange")
    parser.add_argument("--wait", action="store_true", help="for a line, with half of the folder written")
    given = parser.parse_args()
    if given.in_turn:
        exchange.exchanged = lambda one, other: False
    if given.kill_at:
        kill_at(given.kill_at)
    with replaced(given.out, claim()) as fresh:
        (fresh / "new").mkdir()
        if given.wait:
            print("waiting", flush=True)
            sys.stdin.readline()
        (fresh / "new/file").write_text("new")
    print("published")


if __name__ == "__main__":
    main()
