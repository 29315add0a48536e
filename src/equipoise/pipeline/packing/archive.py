"""An archive with a Python, its libraries and the packages that a fleet needs, for ``spark.archives``.

It needs nothing of the machine where it is unpacked but the same kind of system: architecture and C library.
"""

from __future__ import annotations

import io
import os
import sys
import sysconfig
import tarfile
from collections.abc import Iterator
from pathlib import Path

from equipoise.errors import UnusableInput
from equipoise.pipeline.packing.distributions import files_of, needed

VERSION = f"python{sys.version_info.major}.{sys.version_info.minor}"
START = f"""#!/bin/sh
# Starts the Python beside it wherever this folder is; its own library goes before those of the machine.
# The packages are named, for not every Python looks into site-packages by itself (Debian's does not).
here=$(dirname "$(readlink -f "$0")")
unset PYTHONHOME
export PYTHONPATH="${{PYTHONPATH:+$PYTHONPATH:}}$here/../lib/{VERSION}/site-packages"
LD_LIBRARY_PATH="$here/../lib${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}" exec "$here/{VERSION}" "$@"
"""
"""``bin/python``."""
BASE = {"base": sys.base_prefix, "platbase": sys.base_exec_prefix, "installed_base": sys.base_prefix,
        "installed_platbase": sys.base_exec_prefix}  # fmt: skip
"""Where the standard library is: an environment has none of its own."""
NOT_NEEDED = {"test", "idlelib", "tkinter", "turtledemo", "ensurepip", "lib2to3", "site-packages"}
"""Folders of the standard library, and what is built anew here."""
FAST = 1
"""Of gzip: libraries hardly get smaller with more."""


def pack(out: Path) -> int:
    """Write the archive; its size in bytes. Raises :class:`UnusableInput` where it cannot be written."""
    fresh = out.with_name(f".{out.name}.{os.getpid()}.new")
    try:
        with tarfile.open(fresh, "w:gz", compresslevel=FAST) as archive:
            add_start(archive)
            seen = set()
            for name, path in contents():
                if name not in seen and path.is_file():
                    seen.add(name)
                    archive.add(path.resolve(), name, recursive=False)
        fresh.replace(out)
    except OSError as error:
        raise UnusableInput(f"cannot be written ({error.strerror})", source=str(out)) from None
    finally:
        fresh.unlink(missing_ok=True)
    return out.stat().st_size


def add_start(archive: tarfile.TarFile) -> None:
    """``bin/python``."""
    entry = tarfile.TarInfo("bin/python")
    entry.mode, entry.size = 0o755, len(START)
    archive.addfile(entry, io.BytesIO(START.encode()))


def contents() -> Iterator[tuple[str, Path]]:
    """Every file by its name in the archive."""
    yield f"bin/{VERSION}", Path(os.path.realpath(sys.executable))
    if sysconfig.get_config_var("Py_ENABLE_SHARED"):
        folder = Path(str(sysconfig.get_config_var("LIBDIR")))
        for name in (sysconfig.get_config_var("LDLIBRARY"), sysconfig.get_config_var("INSTSONAME")):
            yield f"lib/{name}", folder / str(name)
    own = f"lib/{VERSION}"
    for root in dict.fromkeys(Path(sysconfig.get_path(kind, vars=BASE)) for kind in ("stdlib", "platstdlib")):
        for path in root.rglob("*"):
            parts = path.relative_to(root).parts
            if parts[0] not in NOT_NEEDED and not parts[0].startswith("config-"):
                yield f"{own}/{'/'.join(parts)}", path
    for package in needed():
        for name, path in files_of(package):
            yield f"{own}/site-packages/{name}", path
