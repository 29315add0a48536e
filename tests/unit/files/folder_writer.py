"""A process of its own that replaces a folder: to be killed anywhere, to be waited for, to be ended.

``python folder_writer.py OUT [--kill-at N] [--in-turn] [--wait]`` puts a folder with ``new/file`` in place of
OUT.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from equipoise.files.folders import Claim, exchange, replaced

EVENTS = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.scandir", "ctypes.dlsym"}
"""What Python tells of before it is done, the last as the two folders are about to change places."""


def claim() -> Claim:
    """Folders with ``file`` in a folder may go, unless ``notes`` are in them."""
    return Claim(lambda folder: "holds notes" if (folder / "notes").exists() else unlike(folder))


def unlike(folder: Path) -> str:
    return "" if any(folder.glob("*/file")) else "is not ours"


@contextmanager
def killed_at(number: int) -> Iterator[None]:
    """Have this process killed right before the n-th step on the disk that it takes meanwhile, 0 for none.

    What comes afterwards is not counted: a process may have a file of its own to write when it ends.
    """
    steps, counts = iter(range(1, number)), number > 0

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if counts and event in EVENTS and next(steps, None) is None:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hook)
    yield
    counts = False


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--kill-at", type=int, default=0)
    parser.add_argument("--in-turn", action="store_true", help="as on a file system without exchange")
    parser.add_argument("--wait", action="store_true", help="for a line, with half of the folder written")
    given = parser.parse_args()
    if given.in_turn:
        exchange.exchanged = lambda one, other: False
    with killed_at(given.kill_at), replaced(given.out, claim()) as fresh:
        (fresh / "new").mkdir()
        if given.wait:
            print("waiting", flush=True)
            sys.stdin.readline()
        (fresh / "new/file").write_text("new")
    print("published")


if __name__ == "__main__":
    main()
