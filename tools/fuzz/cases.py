"""The families of cases, and the case of a number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random

from tools.fuzz.asked import contradictions, loads, options, wishes
from tools.fuzz.carried import calls, carrying
from tools.fuzz.case import Case
from tools.fuzz.given import folders, formats, looks, names, proposals

FAMILIES: dict[str, tuple[Callable[[Random, Mapping[str, bytes]], Case], float]] = {
    "options": (options, 30),
    "formats": (formats, 25),
    "proposals": (proposals, 10),
    "plan folders": (folders, 20),
    "names": (names, 8),
    "contradictions": (contradictions, 7),
    "looks": (looks, 6),
    "wishes": (wishes, 6),
    "loads": (loads, 14),
    "carrying": (carrying, 6),
    "calls": (calls, 10),
}
"""Each with its share of the cases."""


def case_of(seed: int, number: int, plan: Mapping[str, bytes]) -> Case:
    """The case of a number; ``plan`` is a sound plan folder, to be tampered with."""
    draw = Random(f"{seed}/{number}")
    family = draw.choices(list(FAMILIES), [weight for _, weight in FAMILIES.values()])[0]
    return FAMILIES[family][0](draw, plan)


def read_folder(folder: Path) -> dict[str, bytes]:
    """The files of a folder by their path in it."""
    return {
        str(file.relative_to(folder)): file.read_bytes()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }
