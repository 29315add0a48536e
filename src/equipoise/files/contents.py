"""Sources that come as bytes under a name, as they are sent to a service: texts, gzip, zip archives."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from equipoise.cluster import Cluster
from equipoise.errors import UnusableInput
from equipoise.files.merging import merge
from equipoise.files.sources import MOST_UNPACKED, PIECE, is_source, parse_file
from equipoise.wording import printable

ZIP_MAGIC = b"PK\x03\x04"
EMPTY_ZIP_MAGIC = b"PK\x05\x06"
MOST_FILES = 1_000
"""Files in one archive; a snapshot has about a dozen."""

Content = tuple[str, bytes]
"""The name and the bytes of one file."""


def read_contents(contents: Sequence[Content], *, name: str | None = None) -> Cluster:
    """The cluster that files, given by name and content, describe together.

    A zip archive stands for the files in it that lie least deep, as a folder does on disk. ``name`` is by
    default that of the folder in a lone archive, or of the first file. Raises :class:`UnusableInput` for the
    first fault.
    """
    files = [file for content in contents for file in unzipped(*content)]
    if not files:
        raise UnusableInput("no source is given", advice="Give what describes a cluster")
    fragments = [parse_file(content, printable(PurePosixPath(path).name)) for path, content in files]
    return merge(fragments, name or name_of(files))


def name_of(files: Sequence[Content]) -> str:
    """The folder of the first file, or else its name without endings."""
    first = PurePosixPath(files[0][0])
    return printable(first.parent.name or first.name.split(".")[0]) or "cluster"


def unzipped(name: str, content: bytes) -> Iterator[Content]:
    """The file itself or, of a zip archive, the files of its uppermost folder.

    Raises :class:`UnusableInput` where the archive is broken, locked, or unpacks to more than
    `MOST_UNPACKED`.
    """
    if not content.startswith((ZIP_MAGIC, EMPTY_ZIP_MAGIC)):
        yield name, content
        return
    shown = printable(name)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            yield from files_in(archive, shown)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError) as error:
        advice = "Is the file complete, and without a password?"
        raise UnusableInput(f"broken zip archive ({error})", source=shown, advice=advice) from None


def files_in(archive: zipfile.ZipFile, shown: str) -> Iterator[Content]:
    """Names and bytes; what is unpacked is counted piece by piece."""
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    entries = [entry for entry in entries if is_plain(PurePosixPath(entry.filename))]
    depth = min((len(PurePosixPath(entry.filename).parts) for entry in entries), default=0)
    entries = [entry for entry in entries if len(PurePosixPath(entry.filename).parts) == depth]
    if not 0 < len(entries) <= MOST_FILES:
        advice = f"Give the files of one snapshot folder, at most {MOST_FILES:,}"
        raise UnusableInput(f"the archive has {len(entries):,} files", source=shown, advice=advice)
    left = MOST_UNPACKED
    for entry in entries:
        pieces = []
        with archive.open(entry) as file:
            while piece := file.read(PIECE):
                left -= len(piece)
                if left < 0:
                    problem = f"unpacks to more than {MOST_UNPACKED // 10**6:,} MB"
                    raise UnusableInput(problem, source=shown, advice="Give fewer files")
                pieces.append(piece)
        yield entry.filename, b"".join(pieces)


def is_plain(path: PurePosixPath) -> bool:
    """False for hidden files and folders, notes, and what some systems add to archives."""
    return is_source(path.name) and not any(part.startswith((".", "__MACOSX")) for part in path.parts)
