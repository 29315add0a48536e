"""The plan directory as one zip archive, for those who cannot be given a folder."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from itertools import chain
from typing import TYPE_CHECKING
from urllib.parse import quote

from equipoise.cluster import Plan
from equipoise.files.digests import with_sums
from equipoise.files.plan_directory import contents
from equipoise.files.wave_files import wave_files

if TYPE_CHECKING:
    from equipoise.scheduling import Schedule

EPOCH = (1980, 1, 1, 0, 0, 0)
"""The earliest time that the format has: equal plans give equal bytes."""


def plan_archive(plan: Plan, schedule: Schedule, extra: Mapping[str, bytes]) -> bytes:
    """What `write_plan` writes, in a folder named after the cluster.

    ``extra`` are more files by name, such as ``report.html``.
    """
    folder = archive_folder(plan)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        files = chain(with_sums(chain(contents(plan), wave_files(schedule))), extra.items())
        for path, data in files:
            entry = zipfile.ZipInfo(f"{folder}/{path}", EPOCH)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, data)
    return buffer.getvalue()


def archive_folder(plan: Plan) -> str:
    """``orders-plan``; characters that file systems do not allow are written as %XX."""
    return f"{quote(plan.cluster.name, safe=' ')}-plan"
