"""NumPy archives whose bytes depend on nothing but the arrays."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

import numpy as np

from equipoise.errors import UnusableInput

EPOCH = (1980, 1, 1, 0, 0, 0)
UNIX = 3


def archive_bytes(arrays: Mapping[str, np.ndarray]) -> bytes:
    """An ``.npz`` of arrays in name order, without times.

    Stored, not deflated: what deflate writes depends on the library behind it.
    """
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name in sorted(arrays):
            entry = zipfile.ZipInfo(name + ".npy", EPOCH)
            entry.create_system = UNIX
            entry.external_attr = 0o644 << 16
            with archive.open(entry, "w", force_zip64=True) as file:
                array = np.asarray(arrays[name])
                np.lib.format.write_array(
                    file, array if array.ndim == 0 else np.ascontiguousarray(array), allow_pickle=False
                )
    return buffer.getvalue()


def read_archive(data: bytes, source: str) -> dict[str, np.ndarray]:
    """The arrays of an ``.npz``; raises :class:`UnusableInput` where it is none."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except (ValueError, OSError, EOFError, KeyError, zipfile.BadZipFile) as error:
        raise UnusableInput(f"not a NumPy archive ({error})", source=source) from None
