"""Which plan directories another one may take the place of."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from equipoise.errors import UnusableInput
from equipoise.files.digests import SUMS, check_digest, read_sums
from equipoise.files.folders import Claim
from equipoise.files.journal_lock import NAME as JOURNAL
from equipoise.files.journal_lock import is_held
from equipoise.files.plan_head import read_head
from equipoise.files.plan_request import as_options
from equipoise.files.plan_summary import plain

NEEDED = frozenset({"plan.json", "reassignment.json", SUMS})
UNLISTED = frozenset({SUMS, "report.html", JOURNAL})
"""Files of a plan that have no digest: they are made anew without it changing, or come later."""
FOLDERS = frozenset({"waves", "original", "migrated"})
ENTRIES = NEEDED | UNLISTED | FOLDERS | {"rollback.json", "certificate.npz", "state.npz"}


def plan_claim(request: Mapping[str, Any], cluster_id: str | None = None) -> Claim:
    """What the plan of a request for a cluster may be written in place of."""
    asked = plain(dict(request))

    def other(folder: Path) -> str:
        head = read_head(folder)
        held = head.get("request")
        if not isinstance(held, dict):
            return "holds a plan of which the request cannot be read"
        if cluster_id and head.get("cluster_id") and head["cluster_id"] != cluster_id:
            return "holds the plan of another cluster"
        options = as_options(held) or "no options"
        return "" if held == asked else f"holds a plan of another request ({options})"

    return Claim(foreign, precious, other)


def foreign(folder: Path) -> str:
    """Why a folder is not a plan directory alone, or cannot be missed now; "" where it can."""
    if not {entry.name for entry in folder.iterdir()} >= NEEDED:
        return "is there and is not a plan directory"
    try:
        listed = read_sums(folder).keys() | UNLISTED
    except UnusableInput as error:
        return f"is not a plan directory: {SUMS} {error.problem}"
    strange = next((name for name in names_in(folder) if not is_ours(folder, name, listed)), None)
    if strange is not None:
        return f"holds {strange}, which is not part of a plan"
    return "holds a plan that is being carried out" if is_held(folder) else ""


def names_in(folder: Path) -> Iterator[str]:
    """Everything in a folder and its folders, by relative path."""
    # A Path for each of tens of thousands of files would take longer than the looking.
    start = len(os.path.join(folder, ""))  # noqa: PTH118
    for parent, folders, files in os.walk(folder):
        inside = f"{parent}/"[start:]
        for name in sorted((*folders, *files)):
            yield f"{inside}{name}"


def is_ours(folder: Path, name: str, listed: set[str]) -> bool:
    """Whether an entry is a folder of plans, or a plain file that the digests name."""
    mode = os.lstat(f"{folder}/{name}").st_mode
    if stat.S_ISDIR(mode):
        return name in FOLDERS
    return stat.S_ISREG(mode) and name in listed and name.partition("/")[0] in ENTRIES


def precious(folder: Path) -> str:
    """Why a plan directory may be missed: it was begun to be carried out, or changed by hand."""
    if (folder / JOURNAL).exists():
        return f"holds {JOURNAL}: without it the run of that plan can be neither resumed nor rolled back"
    for name, digest in read_sums(folder).items():
        try:
            check_digest(folder, name, digest)
        except UnusableInput as error:
            return f"holds {name}, which {error.problem}"
    return ""
