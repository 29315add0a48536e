"""Prints what the tests ran of each room, and fails where the whole is below the floor in pyproject.toml.

Reads the data that ``coverage combine`` leaves; ``make coverage`` does it all.

    python -m tools.coverage_by_room
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import coverage

SOURCE = "src/equipoise/"
FIGURES = ("num_statements", "covered_lines", "num_branches", "covered_branches")


def main() -> int:
    measured = coverage.Coverage()
    measured.load()
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "coverage.json"
        # Tests copy the package and run it elsewhere: that is none of it.
        measured.json_report(outfile=str(out), include=[f"{SOURCE}*"])
        files = json.loads(out.read_text(encoding="utf-8"))["files"]
    floor = float(measured.get_option("report:fail_under"))  # type: ignore[arg-type]
    sums = rooms(files)
    for line in table(sums):
        print(line)
    total = run([sum(figures[name] for figures in sums.values()) for name in FIGURES])
    print(f"{'all':<12}{total:>26.1f} %   floor {floor:.1f} %")
    return int(total < floor)


def rooms(files: dict[str, Any]) -> dict[str, dict[str, int]]:
    """Sums of the figures of each room; modules that belong to none are "shared"."""
    sums: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(FIGURES, 0))
    for name, file in files.items():
        inside = name.partition(SOURCE)[2]
        room = inside.partition("/")[0] if "/" in inside else "shared"
        for figure in FIGURES:
            sums[room][figure] += file["summary"][figure]
    return dict(sorted(sums.items()))


def table(sums: dict[str, dict[str, int]]) -> list[str]:
    """A line for each room: lines, branches, and the part of both that was run."""
    lines = [f"{'room':<12}{'lines':>8}{'branches':>10}{'run':>8}"]
    for room, figures in sums.items():
        counted = [figures[name] for name in FIGURES]
        lines.append(f"{room:<12}{counted[0]:>8}{counted[2]:>10}{run(counted):>8.1f} %")
    return lines


def run(counted: list[int]) -> float:
    """Percent of lines and branches together, from what `FIGURES` names."""
    n_lines, run_lines, n_branches, run_branches = counted
    return 100 * (run_lines + run_branches) / max(1, n_lines + n_branches)


if __name__ == "__main__":
    sys.exit(main())
