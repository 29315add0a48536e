"""Which folders a run over a fleet may take the place of."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from equipoise.files import plan_claim
from equipoise.files.folders import Claim, Reason
from equipoise.files.places import Place
from equipoise.pipeline.schemas.tables import TABLES
from equipoise.wording import cut

CLUSTERS, TABLE_FOLDER, RECORD, PAGE = "clusters", "tables", "run.json", "index.html"
STATE, PARTS, INPUTS = "state", "told", "inputs.json"
"""Folder of what the next run asks this one, of samples as they were told in it, and the list of both."""
Somewhere = TypeVar("Somewhere", bound=Place)
BY_RUN = re.compile(r"run=\d+")
PART = re.compile(r"part-\d+\.parquet")


def run_claim(fleet: Place) -> Claim:
    """What a run over ``fleet`` may be published in place of.

    What is wished for a cluster stands in the fleet, as what the cluster is; so a plan of an earlier wish is
    replaced as one of an earlier state is.
    """

    def other(folder: Path) -> str:
        return another(folder, fleet)

    return Claim(foreign, precious, other)


def another(out: Place, fleet: Place) -> str:
    """Why the run at ``out`` is not one over ``fleet``; "" where it is."""
    before = fleet_of(out)
    if is_of(before, fleet):
        return ""
    return f"holds the run of another fleet ({cut(before) or 'not told which'})"


def is_of(before: str, fleet: Place) -> bool:
    """Whether a fleet has the name that it had in an earlier run."""
    if before == str(fleet):
        return True
    return bool(before) and isinstance(fleet, Path) and Path(before).resolve() == fleet.resolve()


def foreign(out: Path) -> str:
    """Why a folder is not what a run published and nothing else; "" where it is."""
    names = {entry.name for entry in out.iterdir()}
    if not is_plain(out / RECORD) or not names <= {CLUSTERS, TABLE_FOLDER, STATE, RECORD, PAGE}:
        return "is there and is not what an earlier run wrote"
    for path in strangers(out):
        return f"holds {path.relative_to(out).as_posix()}, which no run wrote"
    return next((f"{where} {reason}" for where, reason in judged(out, plan_claim.foreign)), "")


def precious(out: Path) -> str:
    """Why one of its plans may be missed."""
    return next((f"{where} {reason}" for where, reason in judged(out, plan_claim.precious)), "")


def strangers(out: Path) -> Iterator[Path]:
    """What stands beside plans, in tables or in the place of a page and is not a run's."""
    if (out / PAGE).exists() and not is_plain(out / PAGE):
        yield out / PAGE
    for name in (CLUSTERS, TABLE_FOLDER, STATE, f"{STATE}/{PARTS}"):
        if (out / name).is_symlink() or ((out / name).exists() and not (out / name).is_dir()):
            yield out / name
    for table in inside(out / TABLE_FOLDER):
        if table.name not in TABLES or table.is_symlink() or not table.is_dir():
            yield table
        else:
            yield from no_parts(table)
    yield from (entry for entry in inside(out / STATE) if entry.name not in (PARTS, INPUTS))
    if (out / STATE / INPUTS).exists() and not is_plain(out / STATE / INPUTS):
        yield out / STATE / INPUTS
    for told in inside(out / STATE / PARTS):
        if not BY_RUN.fullmatch(told.name) or told.is_symlink() or not told.is_dir():
            yield told
        else:
            yield from no_parts(told)
    yield from (cluster for cluster in inside(out / CLUSTERS) if cluster.is_symlink() or not cluster.is_dir())


def no_parts(folder: Path) -> Iterator[Path]:
    """What stands in a folder of rows and is none of its files."""
    return (file for file in inside(folder) if not (PART.fullmatch(file.name) and is_plain(file)))


def judged(out: Path, reason_of: Reason) -> Iterator[tuple[str, str]]:
    """Each plan that has a reason to stay, with it."""
    for folder in inside(out / CLUSTERS):
        if reason := reason_of(folder):
            yield f"{CLUSTERS}/{folder.name}", reason


def fleet_of(out: Place) -> str:
    """The fleet of an earlier run, as it was named then; "" where its record does not say."""
    try:
        record = json.loads((out / RECORD).read_bytes())
    except (OSError, ValueError, RecursionError):
        return ""
    return str(record.get("fleet", "")) if isinstance(record, dict) else ""


def inside(folder: Somewhere) -> list[Somewhere]:
    """What stands in a folder, by name; nothing where there is none."""
    return sorted(folder.iterdir()) if folder.is_dir() else []


def is_plain(path: Path) -> bool:
    """Whether this is a file of its own: no link, no folder and nothing that never ends."""
    return path.is_file() and not path.is_symlink()
